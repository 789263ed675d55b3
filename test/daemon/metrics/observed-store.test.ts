import assert from 'node:assert/strict';
import { test } from 'node:test';

import { seenFact } from '../../../src/core/agent/witness.ts';
import type { MetricFamily } from '../../../src/core/metrics.ts';
import { observeStore } from '../../../src/daemon/metrics/observed-store.ts';
import { NOW, sampleRecord, tell, temporaryStore } from '../../support/store.ts';

function valueOf(families: readonly MetricFamily[], name: string): unknown {
  return families
    .flatMap(({ samples }) => samples)
    .filter((sample) => sample.name === name)
    .map(({ labels, value }) => [labels, value]);
}

test('observeStore() counts what was committed once, and how attempts ended and when', async () => {
  await using opened = await temporaryStore();
  const { store, families } = observeStore(opened.store);
  const record = sampleRecord({ id: 'e', agent: 'droid', kind: 'turn.done' });

  await store.events.accept([record, record], tell('desktop'));
  const [claimed] = await store.outbox.claim({
    channel: 'desktop',
    now: NOW,
    leaseMs: 1_000,
    limit: 5,
  });
  assert.ok(claimed);
  const settlement = {
    deliveryId: claimed.delivery.id,
    fence: claimed.fence,
    state: 'sent',
    reason: null,
    attempt: { number: 1, startedAt: NOW, durationMs: 40, outcome: 'delivered', reason: null },
  } as const;
  await store.outbox.recordAttempt({ ...settlement, fence: claimed.fence + 1 });
  await store.outbox.recordAttempt(settlement);
  await store.outbox.recordAttempt(settlement);

  assert.deepEqual(valueOf(families(), 'hookbell_events_total'), [
    [{ agent: 'droid', kind: 'turn.done' }, 1],
  ]);
  assert.deepEqual(valueOf(families(), 'hookbell_delivery_attempts_total'), [
    [{ channel: 'desktop', outcome: 'delivered' }, 1],
  ]);
  const sum = (0.04 + NOW / 1_000 - claimed.delivery.dueAt / 1_000).toFixed(3);
  const [latency] = families().flatMap(({ samples }) =>
    samples.filter(({ name }) => name === 'hookbell_delivery_latency_seconds_sum'),
  );
  assert.equal(latency?.value.toFixed(3), sum);
});

test('observeStore() counts waits by what showed them, and how late it was', async () => {
  await using opened = await temporaryStore();
  const { store, families } = observeStore(opened.store);
  const wait = { agent: 'claude', kind: 'needs.permission', receivedAt: NOW } as const;
  const seen = seenFact({ state: 'waiting', since: NOW - 1_200 });

  await store.events.accept(
    [
      sampleRecord({ ...wait, id: 'e1', at: NOW - 40 }),
      sampleRecord({ ...wait, id: 'e2', at: NOW, facts: { seen } }),
      sampleRecord({ ...wait, id: 'e3', kind: 'turn.done' }),
    ],
    tell('desktop'),
  );

  const byHook = { agent: 'claude', seen: 'hook' };
  const byRecord = { agent: 'claude', seen: 'record' };
  assert.deepEqual(valueOf(families(), 'hookbell_waits_total'), [
    [byHook, 1],
    [byRecord, 1],
  ]);
  assert.deepEqual(valueOf(families(), 'hookbell_wait_notice_seconds_sum'), [
    [byHook, 0.04],
    [byRecord, 1.2],
  ]);
});
