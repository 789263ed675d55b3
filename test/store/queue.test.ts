import assert from 'node:assert/strict';
import test from 'node:test';

import type { DeliveryState } from '../../src/core/delivery.ts';
import type { Store } from '../../src/core/store.ts';
import { claim, settlement } from '../support/claims.ts';
import {
  NOW,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  tell,
  temporaryStore,
} from '../support/store.ts';

const UNFINISHED = ['pending', 'retrying', 'dead'] as const;

async function states(store: Store): Promise<Readonly<Record<string, DeliveryState>>> {
  const all = await store.queue.list({ limit: 100, states: [...UNFINISHED, 'sent', 'cancelled'] });
  return Object.fromEntries(all.map(({ id, state }) => [id, state]));
}

/** Deliveries of one event, named after the state they are in; so are their channels. */
async function storeWithAllStates(): ReturnType<typeof temporaryStore> {
  const opened = await temporaryStore();
  const { store } = opened;
  const wanted = ['pending', 'retrying', 'sent', 'dead', 'cancelled'] as const;
  await store.events.accept([sampleRecord()], () =>
    sampleEffects({ deliveries: wanted.map((id) => sampleDelivery({ id, channel: id })) }),
  );
  for (const state of wanted) {
    if (state === 'pending') continue;
    const [claimed] = await claim(store, { channel: state });
    await store.outbox.recordAttempt(settlement(claimed!, { state, reason: 'As the test wants' }));
  }
  return opened;
}

test('queue() lists deliveries of the wanted states in the order of their due times', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], () =>
    sampleEffects({
      deliveries: [
        sampleDelivery({ id: 'third', dueAt: NOW + 3 }),
        sampleDelivery({ id: 'first', dueAt: NOW - 5 }),
        sampleDelivery({ id: 'second', channel: 'mail', dueAt: NOW }),
      ],
    }),
  );
  const [first] = await claim(opened.store, { now: NOW - 5 });
  await opened.store.outbox.recordAttempt(settlement(first!, { state: 'dead', reason: 'Refused' }));
  const listed = async (limit: number, ...wanted: readonly DeliveryState[]): Promise<unknown> => {
    const found = await opened.store.queue.list({ limit, states: wanted });
    return found.map(({ id }) => id);
  };

  assert.deepEqual(await listed(10, ...UNFINISHED), ['first', 'second', 'third']);
  assert.deepEqual(await listed(2, ...UNFINISHED), ['first', 'second']);
  assert.deepEqual(await listed(10, 'dead'), ['first']);
  assert.deepEqual(await listed(10, 'pending', 'pending'), ['second', 'third']);
});

test('retryDeliveries("all-dead") brings the dead back and nothing else', async () => {
  await using opened = await storeWithAllStates();

  assert.equal(await opened.store.queue.retry('all-dead', NOW), 1);

  assert.deepEqual(await states(opened.store), {
    pending: 'pending',
    retrying: 'retrying',
    sent: 'sent',
    dead: 'pending',
    cancelled: 'cancelled',
  });
});

test('retryDeliveries() of ids brings dead and cancelled ones back, and leaves the others', async () => {
  await using opened = await storeWithAllStates();
  const ids = ['pending', 'retrying', 'sent', 'dead', 'cancelled', 'unknown'];

  assert.equal(await opened.store.queue.retry(ids, NOW), 2);

  assert.deepEqual(await states(opened.store), {
    pending: 'pending',
    retrying: 'retrying',
    sent: 'sent',
    dead: 'pending',
    cancelled: 'pending',
  });
});

test('retryDeliveries() gives a dead letter all its attempts again, and keeps the log of the old ones', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], tell('desktop'));
  const [claimed] = await claim(opened.store);
  await opened.store.outbox.recordAttempt(
    settlement(claimed!, { state: 'dead', reason: 'Refused' }),
  );

  await opened.store.queue.retry([claimed!.delivery.id], NOW + 9);

  const entry = await opened.store.history.event('last');
  const [delivery] = entry!.deliveries;
  assert.deepEqual(
    [delivery?.attempts, delivery?.dueAt, delivery?.reason, delivery?.log.length],
    [0, NOW + 9, null, 1],
  );
});

test('dropDeliveries("all") cancels what is unsent or dead, with the reason', async () => {
  await using opened = await storeWithAllStates();

  assert.equal(await opened.store.queue.drop('all', 'Dropped by a person'), 3);

  const cancelled = await opened.store.queue.list({ limit: 10, states: ['cancelled'] });
  assert.deepEqual(
    cancelled.map(({ id, reason }) => [id, reason]),
    [
      ['pending', 'Dropped by a person'],
      ['retrying', 'Dropped by a person'],
      ['dead', 'Dropped by a person'],
      ['cancelled', 'As the test wants'],
    ],
  );
});

test('dropDeliveries() of ids counts each once, and leaves what is sent or cancelled', async () => {
  await using opened = await storeWithAllStates();
  const ids = ['pending', 'pending', 'sent', 'cancelled', 'unknown'];

  assert.equal(await opened.store.queue.drop(ids, 'Dropped'), 1);

  const { deliveries } = await opened.store.upkeep.counts();
  assert.deepEqual(deliveries, { pending: 0, retrying: 1, sent: 1, dead: 1, cancelled: 2 });
});

test('retryNow() makes due what waits for its next attempt by one channel, and nothing else (B9)', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord()], () =>
    sampleEffects({
      deliveries: ['desktop', 'mail'].map((id) => sampleDelivery({ id, channel: id })),
    }),
  );
  for (const channel of ['desktop', 'mail']) {
    const [claimed] = await claim(store, { channel });
    const dueAt = NOW + 900_000;
    await store.outbox.recordAttempt(
      settlement(claimed!, { state: 'retrying', reason: 'No desktop', dueAt }),
    );
  }

  assert.equal(await store.outbox.retryNow('desktop', NOW), 1);
  const due = await store.queue.list({ limit: 10, states: ['retrying'] });
  assert.deepEqual(
    due.map(({ id, dueAt }) => [id, dueAt]),
    [
      ['desktop', NOW],
      ['mail', NOW + 900_000],
    ],
  );
});
