import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Decide } from '../../src/core/store.ts';
import {
  decideNothing,
  NOW,
  sampleEffects,
  sampleRecord,
  storeAt,
  temporaryStore,
} from '../support/store.ts';

const HOUR_MS = 3_600_000;
const decideToRelay: Decide = () => sampleEffects({ relay: true });

test('relayBatch() hands out what waits in the order of acceptance, with its payload, until it is settled', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept(
    [sampleRecord({ id: 'a' }, '1'), sampleRecord({ id: 'b' }, '2')],
    decideToRelay,
  );
  await store.events.accept([sampleRecord({ id: 'stays' })], decideNothing);
  await store.events.accept([sampleRecord({ id: 'c' }, '3')], decideToRelay);

  const all = await store.relay.batch({ limit: 9, maxBytes: 1_000 });
  await store.relay.complete([{ eventId: 'a', refusal: null }]);
  const rest = await store.relay.batch({ limit: 1, maxBytes: 1_000 });

  assert.deepEqual(
    all.map(({ event, payload }) => `${event.id}${Buffer.from(payload).toString()}`),
    ['a1', 'b2', 'c3'],
  );
  assert.deepEqual(
    rest.map(({ event }) => event.id),
    ['b'],
  );
  assert.deepEqual(await store.relay.backlog(), { count: 2, since: NOW });
});

test('relayBatch() ends before it has too many bytes, but always with one event at least', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const large = 'x'.repeat(100);
  await store.events.accept(
    ['a', 'b', 'c'].map((id) => sampleRecord({ id }, large)),
    decideToRelay,
  );

  const count = async (maxBytes: number) =>
    (await store.relay.batch({ limit: 9, maxBytes })).length;

  assert.deepEqual([await count(10), await count(199), await count(200)], [1, 1, 2]);
});

test('completeRelayed() keeps why an event was refused among its decisions', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord({ id: 'a' })], decideToRelay);

  await store.relay.complete([{ eventId: 'a', refusal: 'It is malformed' }]);

  const decisions = (await store.history.list({ limit: 1 }))[0]?.decisions;
  assert.deepEqual(decisions, [{ stage: 'relay', verdict: 'stop', reason: 'It is malformed' }]);
  assert.equal((await store.relay.backlog()).count, 0);
});

test('what waits to be relayed survives a restart', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord({ id: 'a' })], decideToRelay);
  await opened.store.close();

  await using again = await storeAt(opened.path);

  assert.equal((await again.store.relay.batch({ limit: 1, maxBytes: 1 })).length, 1);
});

test('prune() forgets nothing that waits to be relayed, and giveUpRelaying() lets go of it with a reason', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord({ id: 'a' })], decideToRelay);
  await store.upkeep.countElapsedTime(NOW);
  await store.upkeep.countElapsedTime(NOW + HOUR_MS);
  await store.events.accept([sampleRecord({ id: 'b' })], decideToRelay);
  const limits = { keepMs: 0, before: NOW + 1, maxBytes: 0 };

  assert.equal(await store.upkeep.prune(limits), 0);
  assert.equal(await store.relay.giveUp({ keepMs: HOUR_MS / 2, reason: 'Too old' }), 1);
  const given =
    (await store.history.event('a-----')) ?? (await store.history.list({ limit: 9 }))[1];
  assert.equal(given?.decisions[0]?.reason, 'Too old');
  assert.equal(await store.upkeep.prune(limits), 1);
  assert.equal((await store.relay.backlog()).count, 1);
  assert.equal(await store.relay.giveUp({ reason: 'Not relayed any more' }), 1);
});

test('giveUpRelaying() gives up nothing because the clock stood in 1970 or stands in 2038 (A5)', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const old = { keepMs: 24 * HOUR_MS, reason: 'Too old' };
  await store.upkeep.countElapsedTime(5_000);
  await store.events.accept(
    [sampleRecord({ id: 'a', at: 6_000, receivedAt: 6_000 })],
    decideToRelay,
  );

  for (const now of [NOW, NOW + 12 * 365 * 24 * HOUR_MS, NOW]) {
    await store.upkeep.countElapsedTime(now);
    assert.equal(await store.relay.giveUp(old), 0);
  }

  assert.equal((await store.relay.backlog()).count, 1);
});
