import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { traitsOf } from '../../src/agents/registry.ts';
import { decide } from '../../src/alerts/decide.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { unknownPresence } from '../../src/core/policy.ts';
import { SERVICE } from '../../src/core/source-event.ts';
import type { Decide } from '../../src/core/store.ts';
import { createTimeWatch, type TimeWatchOptions } from '../../src/daemon/time-watch.ts';
import { createRenderer } from '../../src/delivery/render.ts';
import { samplePolicy } from '../support/decisions.ts';
import { inZone } from '../support/in-zone.ts';
import { sampleRecord, temporaryStore } from '../support/store.ts';

const MINUTE_MS = 60_000;
/** Thursday, 14:05 in Berlin. */
const START = Date.UTC(2026, 6, 9, 12, 5);

const hit: Partial<HookEvent> = {
  kind: 'turn.failed',
  event: 'StopFailure',
  failed: true,
  reason: 'rate_limit',
  message: "You've hit your session limit · resets 3:45pm (Europe/Berlin)",
};
const prompt: Partial<HookEvent> = { kind: 'prompt', event: 'UserPromptSubmit', message: 'go on' };
const done: Partial<HookEvent> = { kind: 'turn.done', event: 'Stop', message: 'Done' };

/** A daemon's store, its decisions and the watch, at minutes after the start. */
async function world(options: Partial<TimeWatchOptions> = {}) {
  const opened = await temporaryStore();
  const { store } = opened;
  const clock = { now: START };
  const told: { readonly event: HookEvent; readonly title: string; readonly body: string }[] = [];
  const { texts } = createRenderer();
  let lastId = 0;
  const decideNow: Decide = (memory, event) => {
    const effects = decide(memory, event, {
      agents: traitsOf,
      policy: samplePolicy,
      now: clock.now,
      presence: unknownPresence,
      newId: () => `id-${(lastId += 1)}`,
    });
    const rings = effects.deliveries.some(
      ({ channel, step }) => channel === 'desktop' && step === 0,
    );
    const refined = effects.event ?? event;
    if (rings) told.push({ event: refined, ...texts(refined, effects.session) });
    return effects;
  };
  const watch = () =>
    createTimeWatch({
      store,
      decide: decideNow,
      prepare: (record) => record,
      onCommitted: () => undefined,
      personOf: () => null,
      isRelayed: () => false,
      isOwner: () => true,
      now: () => clock.now,
      ...options,
    });
  let running = watch();
  return {
    store,
    at(minutes: number) {
      clock.now = START + minutes * MINUTE_MS;
    },
    async feed(fields: Partial<HookEvent>) {
      const { event, payload } = sampleRecord({ at: clock.now, receivedAt: clock.now, ...fields });
      await store.events.accept([{ event, payload }], decideNow);
    },
    look: (awakeMs = 30_000) => running.look(awakeMs),
    /** The notifications since the last call. */
    told: () =>
      told.splice(0).map(({ title, body }) => `${title} | ${body.split('\n').join(' / ')}`),
    restart() {
      running = watch();
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

describe('a usage limit', () => {
  inZone('Europe/Berlin');

  test('is one alert until it ends, and one message then, which names the sessions that stopped', async () => {
    await using run = await world();
    await run.feed({ ...hit, title: 'Fix the cart' });
    const first = run.told();
    run.at(5);
    await run.feed({ ...hit, sessionId: 's2', project: 'web' });
    await run.feed(prompt);
    run.at(6);
    await run.feed(hit);
    await run.look();
    const repeated = run.told();
    run.at(100);
    await run.look();
    const early = run.told();
    run.restart();
    run.at(102);
    await run.look();
    const over = run.told();
    await run.look();
    run.restart();
    await run.look();
    const again = run.told();

    assert.equal(first.length, 1);
    assert.match(
      first[0] ?? '',
      /^shop hit its session limit until 15:45 · Fix the cart \| You've hit your session limit · resets 3:45pm \(Europe\/Berlin\) \/ hookbell notifies you when it is over /,
    );
    assert.deepEqual(repeated, []);
    assert.deepEqual(early, []);
    assert.equal(over.length, 1);
    assert.match(over[0] ?? '', /^Claude Code can go on: its session limit is over \| Stopped: /);
    assert.match(over[0] ?? '', /shop \(Fix the cart\)/);
    assert.match(over[0] ?? '', /web/);
    assert.deepEqual(again, []);
  });

  test('is recognised by the kind of the failure where the text only says when it is over', async () => {
    await using run = await world();
    const bare = { ...hit, message: 'resets 3:45pm' };
    await run.feed(bare);
    await run.feed({ ...bare, reason: 'unknown', sessionId: 's2' });

    const [limit, other] = run.told();
    assert.match(limit ?? '', /^shop hit its rate limit until 15:45 /);
    assert.match(other ?? '', /^shop failed /);
  });

  test('is reported as over late rather than never, when the machine slept', async () => {
    await using run = await world();
    await run.feed(hit);
    run.at(3 * 24 * 60);
    run.restart();
    await run.look();

    assert.match(run.told().at(-1) ?? '', /can go on/);
  });

  test('has no second message where its end cannot be read, and is reported once while it lasts', async () => {
    await using run = await world();
    const unclear = {
      ...hit,
      message: "You've hit your usage limit, or try again at 10 de jul. de 2026, 11:52.",
    };
    await run.feed(unclear);
    const first = run.told();
    run.at(1);
    await run.feed({ ...unclear, sessionId: 's2' });
    await run.feed(prompt);
    run.at(2);
    await run.feed(unclear);
    run.at(40 * 24 * 60);
    await run.look();
    const later = run.told();
    await run.feed(unclear);

    assert.equal(first.length, 1);
    assert.match(
      first[0] ?? '',
      /hit its usage limit \|.* It does not say for certain when it is over/,
    );
    assert.deepEqual(later, []);
    assert.equal(run.told().length, 1);
  });

  test('rings again where only a later failure says when it ends, and then knows both forms', async () => {
    await using run = await world();
    await run.feed({ ...hit, message: "You've hit your usage limit, resets mañana a las 9" });
    run.at(1);
    await run.feed({ ...hit, sessionId: 's2' });
    const known = run.told();
    run.at(2);
    await run.feed({ ...hit, sessionId: 's3' });
    await run.feed({ ...hit, sessionId: 's4', message: "You've hit your usage limit" });

    assert.match(known[1] ?? '', /until 15:45/);
    assert.deepEqual(run.told(), []);
  });

  test('rings again for another limit, and for the same agent elsewhere', async () => {
    await using run = await world();
    await run.feed(hit);
    await run.feed({
      ...hit,
      sessionId: 's2',
      message: "You've hit your weekly limit · resets Jul 13, 9am (Europe/Berlin)",
    });
    await run.feed({ ...hit, sessionId: 's3', machine: 'laptop', sessionKey: 'laptop/claude:s3' });
    await run.feed({ ...hit, sessionId: 's4', agent: 'codex' });

    assert.equal(run.told().length, 4);
  });

  test('is not reported as over when every session has gone on by itself', async () => {
    await using run = await world();
    await run.feed(hit);
    run.at(60);
    await run.feed(prompt);
    run.at(61);
    await run.feed(done);
    run.told();
    run.at(200);
    await run.look();

    assert.deepEqual(run.told(), []);
  });

  test('takes the message back once the sessions have gone on', async () => {
    await using run = await world();
    await run.feed(hit);
    run.at(102);
    await run.look();
    const open = await run.store.alerts.live();
    await run.feed(prompt);
    run.at(103);
    await run.look();

    assert.ok(open.some(({ sessionKey }) => sessionKey.startsWith(`${SERVICE}:limit/`)));
    assert.deepEqual(await run.store.alerts.live(), []);
  });

  test('is reported as over once, whether the agent says so itself or the time comes first', async () => {
    const reset: Partial<HookEvent> = {
      kind: 'needs.input',
      event: 'Notification',
      notificationType: 'quota_auto_resume_stale',
      message: 'Usage limit reset — press enter to continue',
    };
    for (const isFirst of [true, false]) {
      await using run = await world();
      await run.feed(hit);
      run.told();
      run.at(isFirst ? 30 : 102);
      if (!isFirst) await run.look();
      await run.feed(reset);
      run.at(isFirst ? 32 : 103);
      await run.look();
      run.at(110);
      await run.look();

      const told = run.told();
      assert.equal(told.length, 1, told.join('\n'));
      assert.match(told[0] ?? '', /can go on/);
    }
  });

  test('is reported as over once, whether the session says that it went on, or the time comes first', async () => {
    const fired: Partial<HookEvent> = {
      kind: 'message',
      event: 'Notification',
      notificationType: 'quota_auto_resume_fired',
      message: 'Usage limit reset — resuming',
    };
    for (const isFirst of [true, false]) {
      await using run = await world();
      await run.feed(hit);
      run.told();
      run.at(isFirst ? 101 : 102);
      if (!isFirst) await run.look();
      await run.feed(fired);
      run.at(103);
      await run.look();
      run.at(110);
      await run.look();

      const told = run.told();
      assert.equal(told.length, 1, told.join('\n'));
      assert.match(told[0] ?? '', isFirst ? /Usage limit reset/ : /can go on/);
      const open = await run.store.alerts.live();
      assert.ok(!open.some(({ sessionKey }) => sessionKey.startsWith(SERVICE)));
    }
  });

  test('is reported as over once, when several sessions go on by themselves', async () => {
    for (const isDone of [false, true]) {
      await using run = await world();
      for (const sessionId of ['s1', 's2']) await run.feed({ ...hit, sessionId });
      run.told();
      run.at(101);
      const fired = { kind: 'message', event: 'Notification', message: 'resuming' } as const;
      await run.feed({ ...fired, sessionId: 's1', notificationType: 'quota_auto_resume_fired' });
      run.at(102);
      if (isDone) await run.feed({ ...done, sessionId: 's1' });
      const before = run.told().filter((text) => text.includes('resuming'));
      await run.feed({ ...fired, sessionId: 's2', notificationType: 'quota_auto_resume_fired' });
      run.at(110);
      await run.look();

      assert.equal(before.length, 1);
      assert.deepEqual(run.told(), []);
    }
  });

  test('rings when the agent says that a limit is over that hookbell did not know', async () => {
    await using run = await world();
    await run.feed({
      kind: 'needs.input',
      event: 'Notification',
      notificationType: 'quota_auto_resume_stale',
    });

    assert.equal(run.told().length, 1);
  });
});

describe('a session that wakes itself', () => {
  inZone('Europe/Berlin');

  const round: Partial<HookEvent> = {
    kind: 'activity',
    event: 'Stop',
    wakes: [{ cron: '30 14 * * *', prompt: null }],
  };

  test('is reported as lost once its round is long overdue while the machine is awake', async () => {
    await using run = await world();
    await run.feed(round);
    run.at(8 * 60);
    // The machine slept: the agent has time to begin the round.
    await run.look();
    const slept = run.told();
    for (let count = 0; count < 120; count += 1) await run.look();
    const lost = run.told();

    assert.deepEqual(slept, []);
    assert.equal(lost.length, 1);
    assert.match(lost[0] ?? '', /^shop failed .*due at 14:30 has not begun/);
    const [session] = await run.store.sessions.list({ limit: 1 });
    assert.equal(session?.state, 'failed');
  });

  test('is not lost where the round begins, or its time is unknown', async () => {
    await using run = await world();
    await run.feed(round);
    await run.feed({ ...round, sessionId: 's2', wakes: [{ cron: 'soon', prompt: null }] });
    run.at(8 * 60);
    for (let count = 0; count < 40; count += 1) await run.look();
    await run.feed({ kind: 'activity', event: 'UserPromptSubmit', wokeItself: true });
    for (let count = 0; count < 100; count += 1) await run.look();

    assert.deepEqual(run.told(), []);
  });
});
