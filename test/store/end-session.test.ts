import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Session } from '../../src/core/session.ts';
import type { SessionEnd } from '../../src/core/alert.ts';
import { claim, settlement } from '../support/claims.ts';
import type { TestStore } from '../support/store.ts';
import {
  NOW,
  sampleAlert,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  sampleSession,
  temporaryStore,
} from '../support/store.ts';

/** A waiting session, sent to "desktop" and "log" immediately and to "desktop" later; returns its end. */
async function waiting({ store }: TestStore, fields: Partial<Session> = {}): Promise<SessionEnd> {
  const record = sampleRecord();
  const { id, sessionKey: key } = record.event;
  await store.events.accept([record], (_memory, event) => {
    const alertId = sampleAlert(event).id;
    return sampleEffects({
      session: sampleSession({
        key,
        state: 'waiting',
        waitingFor: 'ls',
        lastEventId: id,
        ...fields,
      }),
      alerts: [sampleAlert(event)],
      deliveries: [
        sampleDelivery({ id: 'desktop', alertId }),
        sampleDelivery({ id: 'log', channel: 'log', alertId }),
        sampleDelivery({ id: 'later', alertId, step: 1, heldFor: 'step', dueAt: NOW + 60_000 }),
      ],
    });
  });
  return {
    key,
    lastEventId: id,
    state: 'ended',
    at: NOW + 9,
    reason: "The agent's process is gone",
    exceptChannels: ['log'],
  };
}

test('endSession() ends the session and its alert, and cancels unsent messages to people', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const end = await waiting(opened);

  assert.equal(await store.alerts.endSession(end), true);

  const [session] = await store.sessions.list({ limit: 9 });
  assert.deepEqual(
    [session?.state, session?.stateSince, session?.waitingFor],
    ['ended', NOW + 9, null],
  );
  assert.deepEqual(await store.alerts.live(), []);
  const unsent = await store.queue.list({ limit: 9, states: ['pending', 'retrying'] });
  assert.deepEqual(
    unsent.map(({ id }) => id),
    ['log'],
  );
  const entry = await store.history.event(end.lastEventId);
  assert.equal(entry?.deliveries.find(({ id }) => id === 'later')?.reason, end.reason);
  assert.match(entry?.decisions.at(-1)?.reason ?? '', /waiting -> ended\. The agent.s process/);
});

test('endSession() takes back what was shown of its question', async () => {
  await using opened = await temporaryStore();
  const end = await waiting(opened);
  const [claimed] = await claim(opened.store);
  await opened.store.outbox.recordAttempt(settlement(claimed!, { ref: 'pop-up 7' }));

  await opened.store.alerts.endSession(end);

  const [taken] = await opened.store.shown.withdrawals('desktop', 9);
  assert.deepEqual([taken?.ref, taken?.reason], ['pop-up 7', end.reason]);
});

test('endSession() leaves a session alone that has had another event since', async () => {
  await using opened = await temporaryStore();
  const end = await waiting(opened);

  assert.equal(
    await opened.store.alerts.endSession({ ...end, lastEventId: 'an earlier one' }),
    false,
  );
  assert.equal(await opened.store.alerts.endSession({ ...end, key: 'claude:unknown' }), false);

  const [session] = await opened.store.sessions.list({ limit: 9 });
  assert.equal(session?.state, 'waiting');
  assert.equal((await opened.store.alerts.live()).length, 1);
});

test('answerRequest() ends the alert and not the session, and counts the wait as no work', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const { key, lastEventId: eventId } = await waiting(opened, {
    turnStartedAt: NOW - 60_000,
    stateSince: NOW,
  });
  const answer = {
    eventId,
    sessionKey: key,
    at: NOW + 5_000,
    isTurnOver: false,
    via: null,
    reason: 'the transcript of the session shows the result of the call',
    exceptChannels: ['log'],
  };

  assert.equal(await store.alerts.answerRequest({ ...answer, eventId: 'another' }), false);
  assert.equal(await store.alerts.answerRequest(answer), true);
  assert.equal(await store.alerts.answerRequest(answer), false);

  const [session] = await store.sessions.list({ limit: 9 });
  assert.deepEqual(
    [session?.state, session?.waitingFor, session?.turnStartedAt],
    ['working', null, NOW - 55_000],
  );
  assert.deepEqual(await store.alerts.live(), []);
  const unsent = await store.queue.list({ limit: 9, states: ['pending', 'retrying'] });
  assert.deepEqual(
    unsent.map(({ id }) => id),
    ['log'],
  );
});

test('openRequests() names those of this machine that have a transcript', async () => {
  await using opened = await temporaryStore();
  for (const [sessionKey, fields] of [
    ['claude:a', { transcriptPath: '/t.jsonl' }],
    ['claude:b', { transcriptPath: null }],
    ['home/claude:c', { transcriptPath: '/t.jsonl', machine: 'home' }],
    ['claude:d', { transcriptPath: '/t.jsonl', kind: 'turn.done' }],
  ] as const) {
    const record = sampleRecord({ kind: 'needs.permission', sessionKey, ...fields });
    await opened.store.events.accept([record], (_memory, event) =>
      sampleEffects({
        session: sampleSession({ key: sessionKey }),
        alerts: [sampleAlert(event)],
      }),
    );
  }

  const keysOf = async (sessionKeys?: readonly string[]): Promise<readonly string[]> => {
    const query = sessionKeys === undefined ? { limit: 9 } : { limit: 9, sessionKeys };
    return (await opened.store.alerts.openRequests(query)).map(({ sessionKey }) => sessionKey);
  };

  assert.deepEqual(
    [await keysOf(), await keysOf(['claude:a', 'claude:b']), await keysOf(['claude:b'])],
    [['claude:a'], ['claude:a'], []],
  );
});
