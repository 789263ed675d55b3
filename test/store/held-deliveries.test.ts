import assert from 'node:assert/strict';
import test from 'node:test';

import type { HookEvent } from '../../src/core/hook-event.ts';
import type { DecideDue, DueDelivery, DueResult } from '../../src/core/due.ts';
import { claim, settlement } from '../support/claims.ts';
import { hold, releaseAll } from '../support/held.ts';
import { sampleMute } from '../support/sample.ts';
import type { TestStore } from '../support/store.ts';
import {
  NOW,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  storeAt,
  temporaryStore,
} from '../support/store.ts';

const release: DueResult = { type: 'release', quietly: false, decision: null };

function joined(carrier: string): DueResult {
  const reason = `Told by ${carrier}`;
  return { type: 'join', carrier, decision: { stage: 'throttle', verdict: 'notify', reason } };
}

/** The first of a channel is released and carries the others. */
const gather: DecideDue = ({ due }) =>
  due.map((_one, index) => (index === 0 ? release : joined(due[0]!.delivery.id)));

/** The state of each delivery of an event: "id state heldFor". */
async function states({ store }: TestStore, eventId: string): Promise<readonly string[]> {
  const entry = await store.history.event(eventId);
  return (entry?.deliveries ?? []).map(({ id, state, heldFor }) => `${id} ${state} ${heldFor}`);
}

test('releaseDue() hands over the condition and the delay of a step, also of news without an alert', async () => {
  await using opened = await temporaryStore();
  const condition = { presence: 'away', hours: { from: 60, to: 120, timezone: 'UTC' } } as const;
  const delivery = sampleDelivery({ heldFor: 'step', step: 1, delayMs: 60_000, condition });
  await opened.store.events.accept([sampleRecord()], () =>
    sampleEffects({ deliveries: [delivery] }),
  );
  const seen: DueDelivery[] = [];

  await opened.store.held.releaseDue(NOW, (memory) => {
    seen.push(...memory.due);
    return releaseAll(memory);
  });

  assert.equal(seen[0]?.alert, null);
  assert.deepEqual(seen[0]?.delivery.condition, condition);
  assert.equal(seen[0]?.delivery.delayMs, 60_000);
});

test('reevaluateHeld() makes what is held for a reason due, and a decision is kept once', async () => {
  await using opened = await temporaryStore();
  const event = await hold(opened, [
    { id: 'quiet', heldFor: 'quiet', dueAt: NOW + 1e6 },
    { id: 'step', step: 1, dueAt: NOW + 1e6 },
  ]);
  const decision = { stage: 'mute', verdict: 'note', reason: 'Quiet hours' } as const;
  const holdOn: DecideDue = ({ due }) =>
    due.map(() => ({ type: 'hold', heldFor: 'quiet', until: NOW + 1e6, decision }));

  assert.equal(await opened.store.held.reevaluateHeld('quiet'), 1);
  assert.equal(await opened.store.held.nextTimer(), NOW);
  await opened.store.held.releaseDue(NOW, holdOn);
  await opened.store.held.reevaluateHeld('quiet');
  await opened.store.held.releaseDue(NOW, holdOn);

  const entry = await opened.store.history.event(event.id);
  assert.deepEqual(entry?.decisions, [decision]);
  assert.deepEqual(
    entry.deliveries.map(({ dueAt }) => dueAt - NOW),
    [1e6, 1e6],
  );
});

test('claim() and dueTimes() do not see held deliveries, nextTimer() does', async () => {
  await using opened = await temporaryStore();
  await hold(opened, [
    { id: 'later', dueAt: NOW + 9 },
    { id: 'next', dueAt: NOW - 5 },
  ]);

  assert.deepEqual(await claim(opened.store, { now: NOW + 1e6 }), []);
  assert.deepEqual(await opened.store.outbox.dueTimes(), new Map());
  assert.equal(await opened.store.held.nextTimer(), NOW - 5);
});

test('nextTimer() is the end of a live alert where that comes first, and null where nothing waits', async () => {
  await using opened = await temporaryStore();
  assert.equal(await opened.store.held.nextTimer(), null);

  const event = await hold(opened, [{ dueAt: NOW + 1e9 }]);

  assert.equal(await opened.store.held.nextTimer(), event.at + 3_600_000);
});

test('releaseDue() hands over each channel with event, session, alert and mutes, in the order of arrival', async () => {
  await using opened = await temporaryStore();
  const mute = sampleMute({
    until: NOW + 1,
    project: 'shop',
    agent: 'claude',
    kind: 'needs.input',
  });
  await opened.store.mutes.add(mute, []);
  const event = await hold(opened, [
    { id: 'second', dueAt: NOW },
    { id: 'first', dueAt: NOW - 1 },
    { id: 'team', channel: 'team', dueAt: NOW },
    { id: 'not yet', dueAt: NOW + 1 },
  ]);
  const seen: { due: readonly DueDelivery[]; mutes: unknown }[] = [];

  const released = await opened.store.held.releaseDue(NOW, ({ due, mutes }) => {
    seen.push({ due, mutes });
    return due.map(() => release);
  });

  assert.equal(released, 3);
  assert.deepEqual(
    seen.map(({ due }) => due.map(({ delivery }) => delivery.id)),
    [['second', 'first'], ['team']],
  );
  assert.deepEqual(seen[0]?.mutes, [mute]);
  assert.deepEqual(seen[0]?.due[0]?.event, event);
  assert.equal(seen[0]?.due[0]?.session?.key, event.sessionKey);
  assert.equal(seen[0]?.due[0]?.alert?.eventId, event.id);
});

test('releaseDue() writes each fate with its reason: released, held on, cancelled', async () => {
  await using opened = await temporaryStore();
  const event = await hold(opened, [{ id: 'go' }, { id: 'wait' }, { id: 'stop' }]);
  const fates: readonly DueResult[] = [
    { type: 'release', quietly: true, decision: null },
    {
      type: 'hold',
      heldFor: 'mute',
      until: NOW + 7,
      decision: { stage: 'mute', verdict: 'note', reason: 'Muted' },
    },
    { type: 'cancel', decision: { stage: 'plan', verdict: 'stop', reason: 'Too late' } },
  ];

  await opened.store.held.releaseDue(NOW + 3, () => fates);

  assert.deepEqual(await states(opened, event.id), [
    'go pending null',
    'wait pending mute',
    'stop cancelled null',
  ]);
  const entry = await opened.store.history.event(event.id);
  assert.deepEqual(
    entry?.decisions.map(({ reason }) => reason),
    ['Muted', 'Too late'],
  );
  assert.equal(entry?.deliveries[2]?.reason, 'Too late');
  assert.equal(await opened.store.held.nextTimer(), NOW + 7);
  const [claimed] = await claim(opened.store, { now: NOW + 3 });
  assert.deepEqual([claimed?.delivery.id, claimed?.delivery.quietly], ['go', true]);
  assert.equal(claimed?.delivery.dueAt, NOW + 3);
});

test('releaseDue() combines deliveries: claim() returns their events, and they are not suppressed', async () => {
  await using opened = await temporaryStore();
  const events: HookEvent[] = [];
  for (const number of [1, 2, 3]) {
    events.push(await hold(opened, [{ id: `d${number}` }], { sessionId: `s${number}` }));
  }

  assert.equal(await opened.store.held.releaseDue(NOW, gather), 1);

  const claimed = await claim(opened.store);
  assert.deepEqual(
    claimed.map(({ delivery, also }) => [delivery.id, also]),
    [['d1', events.slice(1)]],
  );
  assert.deepEqual(
    claimed[0]?.delivery.alsoCovers,
    events.slice(1).map(({ id }) => id),
  );
  assert.deepEqual(await states(opened, events[2]!.id), ['d3 cancelled null']);
  assert.deepEqual(await opened.store.history.list({ limit: 9, suppressed: true }), []);
});

for (const isClaimed of [false, true]) {
  const when = isClaimed ? 'while it is being sent' : 'before it is sent';
  test(`the events of a summary are decided again when the summary is cancelled ${when}`, async () => {
    await using opened = await temporaryStore();
    const first = await hold(opened, [{ id: 'd1' }], { sessionId: 's1' });
    const second = await hold(opened, [{ id: 'd2' }], { sessionId: 's2' });
    await opened.store.held.releaseDue(NOW, gather);
    const [claimed] = isClaimed ? await claim(opened.store) : [];

    await opened.store.events.accept([sampleRecord()], () =>
      sampleEffects({
        cancel: [
          { alertId: `alert of ${first.id}`, fromStep: 0, exceptChannels: [], reason: 'Answered' },
        ],
      }),
    );
    if (claimed !== undefined) {
      await opened.store.outbox.recordAttempt(
        settlement(claimed, { state: 'retrying', dueAt: NOW }),
      );
    }

    assert.deepEqual(await states(opened, first.id), ['d1 cancelled null']);
    assert.deepEqual(await states(opened, second.id), ['d2 pending burst']);
    await opened.store.held.releaseDue(NOW, releaseAll);
    assert.deepEqual(
      (await claim(opened.store)).map(({ delivery, also }) => [delivery.id, also]),
      [['d2', []]],
    );
  });
}

test('cancelling a summary also cancels the deliveries combined into it', async () => {
  await using opened = await temporaryStore();
  await hold(opened, [{ id: 'd1' }], { sessionId: 's1' });
  const second = await hold(opened, [{ id: 'd2' }], { sessionId: 's2' });
  await opened.store.held.releaseDue(NOW, gather);

  assert.equal(await opened.store.queue.drop(['d1'], 'Dropped by a person'), 1);

  assert.deepEqual(await states(opened, second.id), ['d2 cancelled null']);
  assert.equal((await opened.store.history.list({ limit: 9, suppressed: true })).length, 2);
});

test('releaseDue() names the later steps, and later times of the same step, that are due as well', async () => {
  await using opened = await temporaryStore();
  await hold(opened, [
    { id: 'step 1', step: 1 },
    { id: 'step 2', step: 2, channel: 'team' },
    { id: 'step 2 again', step: 2, repetition: 1, channel: 'team' },
    { id: 'step 3', step: 3, dueAt: NOW + 1 },
  ]);
  await hold(opened, [{ id: 'of another alert', step: 1 }], { sessionId: 's2' });
  const seen = new Map<string, readonly string[]>();

  await opened.store.held.releaseDue(NOW, ({ due }) => {
    for (const { delivery, laterDue } of due) {
      const names = laterDue.map((one) => `${one.channel} ${one.step} ${one.repetition}`);
      seen.set(delivery.id, names);
    }
    return due.map(() => release);
  });

  assert.deepEqual(
    [...seen],
    [
      ['step 1', ['team 2 0', 'team 2 1']],
      ['of another alert', []],
      ['step 2', ['team 2 1']],
      ['step 2 again', []],
    ],
  );
});

test('releaseDue() writes nothing at all when the decision throws, also of channels decided before', async () => {
  await using opened = await temporaryStore();
  const event = await hold(opened, [{ id: 'd1' }, { id: 'd2', channel: 'team' }]);

  const firing = opened.store.held.releaseDue(NOW, (memory) => {
    if (memory.due[0]?.delivery.channel === 'team') throw new Error('A bug');
    return releaseAll(memory);
  });

  await assert.rejects(firing, /A bug/);
  assert.deepEqual(await states(opened, event.id), ['d1 pending step', 'd2 pending step']);
});

test('dueSessions() names each session with due held deliveries once', async () => {
  await using opened = await temporaryStore();
  await hold(opened, [{ id: 'a' }, { id: 'b' }], { sessionId: 's1' });
  await hold(opened, [{ id: 'c', dueAt: NOW + 1 }], { sessionId: 's2' });

  const sessions = await opened.store.held.dueSessions(NOW);

  assert.deepEqual(
    sessions.map(({ key }) => key),
    ['claude:s1'],
  );
});

test('held deliveries, mutes and alerts outlive a restart', async () => {
  await using opened = await temporaryStore();
  const event = await hold(opened, [{ id: 'held', dueAt: NOW + 5 }]);
  await opened.store.mutes.add(sampleMute({ id: 'mute' }), []);
  await opened.store.close();

  await using again = await storeAt(opened.path);

  assert.deepEqual(await states(again, event.id), ['held pending step']);
  assert.deepEqual(
    (await again.store.mutes.active(NOW)).map(({ id }) => id),
    ['mute'],
  );
  assert.equal(await again.store.held.releaseDue(NOW + 5, releaseAll), 1);
});

for (const hidden of ['hold', 'next-step'] as const) {
  const next = hidden === 'hold' ? 'leaves the next step' : 'makes the next step due';
  test(`recordAttempt() of a message that would be hidden (${hidden}) holds it and ${next}`, async () => {
    await using opened = await temporaryStore();
    const { outbox, held } = opened.store;
    const event = await hold(opened, [
      { id: 'd1', heldFor: null },
      { id: 'd2', step: 1, dueAt: NOW + 60_000 },
      { id: 'd3', step: 2, dueAt: NOW + 90_000 },
    ]);
    const [claimed] = await claim(opened.store);

    const dueAt = NOW + 600_000;
    await outbox.recordAttempt(settlement(claimed!, { state: 'pending', dueAt, hidden }));

    const wanted = ['d1 pending hidden', 'd2 pending step', 'd3 pending step'];
    assert.deepEqual(await states(opened, event.id), wanted);
    assert.equal(await held.nextTimer(), hidden === 'hold' ? NOW + 60_000 : NOW + 40);
    assert.deepEqual(await claim(opened.store, { now: dueAt }), []);
    // The channel works again.
    assert.equal(await outbox.retryNow('desktop', NOW + 50), 1);
    await held.releaseDue(NOW + 50, releaseAll);
    const [again] = await claim(opened.store, { now: NOW + 50 });
    assert.equal(again?.delivery.id, 'd1');
  });
}

test('a summary that is held again and joined by another brings its events along', async () => {
  await using opened = await temporaryStore();
  const { outbox, held } = opened.store;
  const hides = async (id: string): Promise<void> => {
    const [claimed] = await claim(opened.store);
    assert.ok(claimed !== undefined);
    assert.equal(claimed.delivery.id, id);
    const ended = settlement(claimed, { state: 'pending', dueAt: NOW + 600_000, hidden: 'hold' });
    await outbox.recordAttempt(ended);
  };
  const first = await hold(opened, [{ id: 'd1', heldFor: null }], { sessionId: 's1' });
  await hides('d1');
  const second = await hold(opened, [{ id: 'd2' }], { sessionId: 's2' });
  const third = await hold(opened, [{ id: 'd3' }], { sessionId: 's3' });
  await held.releaseDue(NOW, gather);
  await hides('d2');

  await outbox.retryNow('desktop', NOW);
  await held.releaseDue(NOW, gather);

  const [message] = await claim(opened.store);
  assert.equal(message?.event.id, first.id);
  assert.deepEqual(
    message?.also.map(({ id }) => id),
    [second.id, third.id],
  );
});
