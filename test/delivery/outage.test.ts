import assert from 'node:assert/strict';
import { test } from 'node:test';

import { traitsOf } from '../../src/agents/registry.ts';
import { decide } from '../../src/alerts/decide.ts';
import { releaseDue } from '../../src/alerts/release-due.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { delivered, failed, retry } from '../../src/core/outcome.ts';
import { unknownPresence } from '../../src/core/policy.ts';
import { createRenderer } from '../../src/delivery/render.ts';
import { createTimekeeper } from '../../src/delivery/timekeeper.ts';
import { createWorker } from '../../src/delivery/worker.ts';
import { samplePolicy, sampleStep } from '../support/decisions.ts';
import { type Answer, fakeChannel } from '../support/fake-channel.ts';
import { manualClock } from '../support/manual-clock.ts';
import { sampleRecord, temporaryStore } from '../support/store.ts';

const HOUR_MS = 3_600_000;

const policy = {
  ...samplePolicy,
  plans: { all: { name: 'all', steps: [sampleStep(['team', 'log'])] } },
  routes: [{ name: 'all', match: {}, plan: 'all', also: false }],
};

/** The decisions, the real store and the worker on one manual clock; people read "team", a program "log". */
async function outage(answer: Answer) {
  const clock = manualClock();
  const opened = await temporaryStore({ now: clock.now });
  const { store } = opened;
  const team = fakeChannel({ now: clock.now, answer, concurrency: 1 });
  const log = fakeChannel({ now: clock.now });
  let ids = 0;
  const newId = (): string => `id-${String((ids += 1)).padStart(6, '0')}`;
  const worker = createWorker({
    outbox: store.outbox,
    channels: new Map([
      ['team', team],
      ['log', log],
    ]),
    render: createRenderer().notification,
    now: clock.now,
    random: () => 0.5,
    startTimer: clock.startTimer,
  });
  const timekeeper = createTimekeeper({
    held: store.held,
    alerts: store.alerts,
    decideDue: (seen, now) => (memory) => releaseDue(memory, { policy, ...seen, now }),
    programChannels: () => ['log'],
    now: clock.now,
    random: () => 0.5,
    startTimer: clock.startTimer,
    onReleased: () => worker.wake(),
  });
  worker.start();
  timekeeper.start();

  /** A commit takes some turns of the event loop, and no time. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 8; turn += 1) await clock.settle();
  }
  return {
    clock,
    store,
    team,
    log,
    async pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= 5_000) {
        await clock.advance(Math.min(left, 5_000));
        await settle();
      }
    },
    async event(number: number, fields: Partial<HookEvent>): Promise<void> {
      const at = clock.now();
      const session = { sessionId: `s${number}`, sessionKey: `claude:s${number}` };
      const record = sampleRecord({
        id: `event-${number}`,
        at,
        receivedAt: at,
        ...session,
        duplicate: { key: `${number}`, windowMs: null },
        ...fields,
      });
      await store.events.accept([record], (memory, event) =>
        decide(memory, event, {
          agents: traitsOf,
          policy,
          now: at,
          presence: unknownPresence,
          newId,
        }),
      );
      worker.wake();
      timekeeper.wake();
      await settle();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([timekeeper.stop(), worker.stop({ graceMs: 0 })]);
      await opened[Symbol.asyncDispose]();
    },
  };
}

const answers: readonly (readonly [string, Answer, number])[] = [
  ['429 with a pause of a minute', () => retry('It answered 429', { afterMs: 60_000 }), 62],
  ['nothing but broken connections', () => retry('The connection broke'), 20],
];

for (const [what, answer, mostRequests] of answers) {
  test(
    `an hour of ${what} under 500 events ends in a few messages, most urgent first, that count all (faults 30, 34)`,
    { timeout: 120_000 },
    async () => {
      await using world = await outage(answer);
      const { clock, team, log } = world;
      const begin = clock.now();

      for (let number = 0; number < 500; number += 1) {
        const kind =
          number === 400 ? 'turn.failed' : number % 2 === 0 ? 'needs.input' : 'tool.done';
        await world.event(number, { kind, message: `Event ${number}`, failed: number === 400 });
        await world.pass(HOUR_MS / 500);
      }
      assert.ok(team.sent.length <= mostRequests, `${team.sent.length} requests in the hour`);
      const requests = team.sent.length;

      team.answer(() => delivered());
      await world.pass(HOUR_MS);

      const after = team.sent.slice(requests).map(({ notification }) => notification);
      assert.ok(after.length <= 20, `${after.length} messages when it is back`);
      const told = after.map(
        ({ title }) => 1 + Number(/· and (\d+) (?:more|other)/.exec(title)?.[1] ?? 0),
      );
      const sum = told.reduce((all, count) => all + count, 0);
      assert.equal(sum, 500, 'nothing is missing and nothing sent twice');
      const grave = after.find(({ severity }) => severity === 'critical');
      assert.match(grave?.body.split('\n')[0] ?? '', /Event 400/);
      assert.equal(log.sent.length, 500, 'programs get everything, one by one and immediately');
      assert.ok((log.sent.at(-1)?.at ?? 0) - begin <= HOUR_MS);
    },
  );
}

test('a request answered during an outage is not sent afterwards (fault 34)', async () => {
  await using world = await outage(() => retry('It answered 429', { afterMs: 60_000 }));
  await world.event(0, { kind: 'needs.input' });
  await world.event(1, { kind: 'needs.input', message: 'Still open' });
  await world.event(2, { kind: 'needs.input', message: 'Answered meanwhile' });
  await world.event(3, { kind: 'prompt', sessionId: 's2', sessionKey: 'claude:s2' });

  world.team.answer(() => delivered());
  await world.pass(120_000);

  const told = world.team.sent.map(({ notification }) => notification.body).join('\n');
  assert.match(told, /Still open/);
  assert.doesNotMatch(told, /Answered meanwhile/);
});

test('a revoked token costs one request however much comes, and keeps no other channel back (fault 35)', async () => {
  await using world = await outage(() => failed('invalid_token', { channelBroken: true }));

  for (let number = 0; number < 50; number += 1) {
    await world.event(number, { kind: 'needs.input' });
    await world.pass(60_000);
  }

  assert.equal(world.team.sent.length, 1);
  assert.equal(world.log.sent.length, 50);
});
