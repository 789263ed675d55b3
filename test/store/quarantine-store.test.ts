import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { SelfCheckProblem } from '../../src/core/history.ts';
import { claim, settlement } from '../support/claims.ts';
import type { TestStore } from '../support/store.ts';
import {
  NOW,
  sampleAlert,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  changeByHand,
  storeAt,
  temporaryStore,
} from '../support/store.ts';

const HOUR_MS = 3_600_000;
const decisions = [{ stage: 'route', verdict: 'stop', reason: 'No route' }] as const;

/** A store with a sent event, one that waits for a later step, a suppressed one and a dead one. */
async function storeInOrder(): Promise<TestStore> {
  const opened = await temporaryStore();
  const { store } = opened;
  const due = { told: NOW, waits: NOW + HOUR_MS, died: NOW };
  for (const [id, dueAt] of Object.entries(due)) {
    await store.events.accept([sampleRecord({ id, sessionKey: id })], (_memory, event) =>
      sampleEffects({
        decisions,
        alerts: id === 'waits' ? [sampleAlert(event)] : [],
        deliveries: [sampleDelivery({ id, dueAt, heldFor: id === 'waits' ? 'step' : null })],
      }),
    );
  }
  await store.events.accept([sampleRecord({ id: 'quiet' })], () => sampleEffects({ decisions }));
  for (const claimed of await claim(store)) {
    const isDead = claimed.delivery.id === 'died';
    const fields = isDead ? ({ state: 'dead', reason: 'It answered 413' } as const) : {};
    await store.outbox.recordAttempt(settlement(claimed, fields));
  }
  return opened;
}

describe('audit()', () => {
  test('finds nothing where every event has an end or a time', async () => {
    await using opened = await storeInOrder();

    assert.deepEqual(await opened.store.upkeep.selfCheck(NOW), { events: 4, findings: [] });
  });

  const breaks: Readonly<Record<SelfCheckProblem, readonly [sql: string, eventId: string]>> = {
    undecided: ["UPDATE events SET decisions = '[]'", 'quiet'],
    'without payload': [
      "DELETE FROM payloads WHERE event_seq = (SELECT seq FROM events WHERE id = 'told')",
      'told',
    ],
    late: [`UPDATE deliveries SET due_at = ${NOW - HOUR_MS} WHERE id = 'waits'`, 'waits'],
    abandoned: [
      `UPDATE deliveries SET claimed_at = 1, claimed_until = ${NOW - HOUR_MS} WHERE id = 'waits'`,
      'waits',
    ],
    unexplained: ["UPDATE deliveries SET reason = NULL WHERE id = 'died'", 'died'],
    unfinished: [`UPDATE alerts SET expires_at = ${NOW - HOUR_MS}`, 'waits'],
  };
  for (const [problem, [sql, eventId]] of Object.entries(breaks)) {
    test(`sees what is "${problem}" when it is made so by hand`, async () => {
      await using opened = await storeInOrder();
      await opened.store.close();
      await changeByHand(opened.path, sql);

      await using again = await storeAt(opened.path);

      assert.deepEqual((await again.store.upkeep.selfCheck(NOW)).findings, [
        { problem, count: 1, eventIds: [eventId] },
      ]);
    });
  }

  test('calls nothing late that its channel keeps waiting, or whose channel has just sent something', async () => {
    await using opened = await temporaryStore();
    const { store } = opened;
    await store.events.accept([sampleRecord({ id: 'event-1' })], () =>
      sampleEffects({
        decisions,
        deliveries: ['open', 'limited', 'busy', 'idle'].map((channel) =>
          sampleDelivery({ id: channel, channel, dueAt: NOW - HOUR_MS }),
        ),
      }),
    );
    const well = {
      notBefore: 0,
      circuit: 'closed',
      openUntil: null,
      failures: 0,
      lastOutcome: null,
      lastReason: null,
      lastAt: null,
      missingMs: 0,
    } as const;
    await store.outbox.saveChannelState({ ...well, channel: 'open', circuit: 'open' });
    await store.outbox.saveChannelState({ ...well, channel: 'limited', notBefore: NOW + 1 });
    await store.outbox.saveChannelState({ ...well, channel: 'busy', lastAt: NOW - 1 });

    const { findings } = await store.upkeep.selfCheck(NOW);

    assert.deepEqual(findings, [{ problem: 'late', count: 1, eventIds: ['event-1'] }]);
  });
});
