import assert from 'node:assert/strict';
import test from 'node:test';

import type { DecideDue } from '../../src/core/due.ts';
import { claim, settlement } from '../support/claims.ts';
import {
  NOW,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  temporaryStore,
} from '../support/store.ts';

const DAY_MS = 86_400_000;
const release: DecideDue = ({ due }) =>
  due.map(() => ({ type: 'release', decision: null, quietly: false }));

test('shiftForClock() makes what was accepted by a clock a day ahead due now, and a later step as long after it as planned (fault 26)', async () => {
  let now = NOW + DAY_MS;
  await using opened = await temporaryStore({ now: () => now });
  const { store } = opened;
  await store.events.accept([sampleRecord()], () =>
    sampleEffects({
      deliveries: [
        sampleDelivery({ id: 'first', dueAt: now }),
        sampleDelivery({ id: 'step', channel: 'team', dueAt: now + 120_000, heldFor: 'step' }),
      ],
    }),
  );
  now = NOW;
  assert.deepEqual(await claim(store), []);

  assert.equal(await store.outbox.shiftForClock(NOW), 2);

  const [claimed] = await claim(store);
  assert.equal(claimed?.delivery.id, 'first');
  assert.equal(await store.held.nextTimer(), NOW + 120_000);
});

test('shiftForClock() makes due what the right clock accepted and one a day ahead released (fault 26)', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord()], () =>
    sampleEffects({ deliveries: [sampleDelivery({ dueAt: NOW + 700, heldFor: 'settle' })] }),
  );
  assert.equal(await store.held.releaseDue(NOW + DAY_MS, release), 1);
  assert.deepEqual(await claim(store), []);

  assert.equal(await store.outbox.shiftForClock(NOW), 1);

  assert.equal((await claim(store)).length, 1);
});

test('shiftForClock() leaves what was put off by the right clock, and does not end an attempt under way', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord()], () =>
    sampleEffects({
      deliveries: [
        sampleDelivery({ id: 'under way' }),
        sampleDelivery({ id: 'step', channel: 'team', dueAt: NOW + DAY_MS, heldFor: 'step' }),
      ],
    }),
  );
  const [claimed] = await claim(store);

  assert.equal(await store.outbox.shiftForClock(NOW - 1), 2);

  assert.equal(await store.held.nextTimer(), NOW - 1 + DAY_MS);
  assert.equal(await store.outbox.recordAttempt(settlement(claimed!)), true);
});

test('shiftForClock() moves what is claimed too: it is sent when its claim is released unsent (A5)', async () => {
  let now = NOW + DAY_MS;
  await using opened = await temporaryStore({ now: () => now });
  const { store } = opened;
  await store.events.accept([sampleRecord()], () =>
    sampleEffects({ deliveries: [sampleDelivery({ dueAt: now })] }),
  );
  const [first] = await claim(store, { now });
  now = NOW;

  await store.outbox.shiftForClock(NOW);
  await store.outbox.release(first!.delivery.id, first!.fence);

  assert.equal((await claim(store)).length, 1);
});

test('shiftForClock() lets no delivery wait for its next attempt longer than any ever does', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord()], () =>
    sampleEffects({ deliveries: [sampleDelivery()] }),
  );
  const [claimed] = await claim(store);
  const fields = { state: 'retrying', dueAt: NOW + DAY_MS, reason: 'Not now' } as const;
  await store.outbox.recordAttempt(settlement(claimed!, fields));

  await store.outbox.shiftForClock(NOW);

  assert.equal((await claim(store)).length, 1);
});

test('shiftForClock() keeps the order: what came before the clock was set back goes first', async () => {
  let now = NOW + DAY_MS;
  await using opened = await temporaryStore({ now: () => now });
  const { store } = opened;
  const accept = (id: string): Promise<unknown> =>
    store.events.accept([sampleRecord({ id })], () =>
      sampleEffects({ deliveries: [sampleDelivery({ id, dueAt: now })] }),
    );
  await accept('before');
  now = NOW;
  await accept('after');

  await store.outbox.shiftForClock(NOW + 5);

  const [claimed] = await claim(store, { now: NOW + 5 });
  assert.equal(claimed?.delivery.id, 'before');
});

test('shiftForClock() ends a lease as long after the new time as it was to last (A5)', async () => {
  const now = NOW + DAY_MS;
  await using opened = await temporaryStore({ now: () => now });
  const { store } = opened;
  await store.events.accept([sampleRecord()], () =>
    sampleEffects({ deliveries: [sampleDelivery({ dueAt: now })] }),
  );
  const [first] = await claim(store, { now, leaseMs: 60_000 });

  await store.outbox.shiftForClock(NOW);

  assert.deepEqual(await claim(store, { now: NOW + 59_999 }), []);
  const [second] = await claim(store, { now: NOW + 60_000 });
  assert.equal(second?.delivery.id, first?.delivery.id);
});
