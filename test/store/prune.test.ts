import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import test from 'node:test';

import type { Store } from '../../src/core/store.ts';
import { claim, settlement } from '../support/claims.ts';
import { watchedDriver } from '../support/driver.ts';
import {
  decideNothing,
  NOW,
  sampleAlert,
  sampleEffects,
  sampleRecord,
  sampleSession,
  tell,
  temporaryStore,
} from '../support/store.ts';

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

async function ids(store: Store): Promise<readonly string[]> {
  const entries = await store.history({ limit: 1000 });
  return entries.map(({ event }) => event.id);
}

test('prune() removes events received before the cut, with all that hangs on them', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.accept([sampleRecord({ id: 'old', receivedAt: NOW - 1 })], tell('desktop'));
  await store.accept([sampleRecord({ id: 'new', receivedAt: NOW })], decideNothing);
  const [claimed] = await claim(store);
  await store.settle(settlement(claimed!));

  assert.equal(await store.prune({ before: NOW, maxBytes: NO_LIMIT }), 1);

  assert.deepEqual(await ids(store), ['new']);
  const { events, deliveries } = await store.counts();
  assert.deepEqual([events, deliveries.sent], [1, 0]);
});

test('prune() keeps events with unsent deliveries, and those a live alert is about', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.accept([sampleRecord({ id: 'unsent' })], tell('desktop'));
  await store.accept([sampleRecord({ id: 'asked' })], (_memory, event) =>
    sampleEffects({ alerts: [sampleAlert(event)], session: sampleSession({ state: 'waiting' }) }),
  );
  const limits = { before: NOW + 1, maxBytes: 0 };

  assert.equal(await store.prune(limits), 0);
  await store.accept([sampleRecord({ id: 'answer' })], ({ alert }) =>
    sampleEffects({ alerts: [{ ...alert!, state: 'resolved' }] }),
  );
  await store.dropDeliveries('all', 'Dropped');

  assert.equal(await store.prune(limits), 3);
});

test('prune() removes the oldest events while the database is too large, and the file shrinks', async () => {
  await using opened = await temporaryStore();
  const { store, path } = opened;
  const payload = 'x'.repeat(20_000);
  const records = Array.from({ length: 300 }, (_, index) =>
    sampleRecord({ id: String(index), receivedAt: NOW + index }, payload),
  );
  await store.accept(records, decideNothing);
  const maxBytes = 2_000_000;

  await store.prune({ before: 0, maxBytes });

  const left = await ids(store);
  assert.ok(left.length > 50 && left.length < 100, `${left.length} events are left`);
  assert.deepEqual(
    left,
    records
      .slice(-left.length)
      .map(({ event }) => event.id)
      .toReversed(),
  );
  await store.close();
  assert.ok(statSync(path).size <= maxBytes, `The file has ${statSync(path).size} bytes`);
});

test('prune() lets others have their turn between its transactions, and goes on until the limits hold (A8)', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const records = Array.from({ length: 2_050 }, () => sampleRecord());
  await store.accept(records, decideNothing);
  const limits = { before: NOW + 1, maxBytes: NO_LIMIT };
  const order: string[] = [];

  const pruning = store.prune(limits).then((removed) => order.push(`removed ${removed}`));
  await store.addQuarantined({ id: 'q', at: NOW + 1, reason: 'empty', detail: '', bytes: 0 });
  order.push('written');
  await pruning;

  assert.deepEqual(order, ['written', 'removed 2050']);
  assert.equal(await store.prune(limits), 0);
});

test('prune() brings 60 MB down to the limit in one call, and the open file with it (A8)', async () => {
  await using opened = await temporaryStore();
  const { store, path } = opened;
  const payload = 'x'.repeat(60_000);
  for (let round = 0; round < 10; round += 1) {
    const records = Array.from({ length: 100 }, () => sampleRecord({}, payload));
    await store.accept(records, decideNothing);
  }
  const maxBytes = 5_000_000;

  await store.prune({ before: 0, maxBytes });

  const { size } = statSync(path);
  assert.ok(size <= maxBytes * 1.1, `The file has ${size} bytes`);
  assert.ok((await store.counts()).events > 50);
});

test('prune() ends when it is told to, and writes nothing when the limits hold', async () => {
  const statements: string[] = [];
  const openDriver = await watchedDriver({ onRun: (sql) => statements.push(sql) });
  await using opened = await temporaryStore({ openDriver });
  const { store } = opened;
  await store.accept([sampleRecord()], decideNothing);
  statements.length = 0;

  assert.equal(await store.prune({ before: NOW, maxBytes: NO_LIMIT }), 0);
  const signal = AbortSignal.abort();
  assert.equal(await store.prune({ before: NOW + 1, maxBytes: 0, signal }), 0);

  assert.deepEqual(
    statements.filter((sql) => sql.startsWith('BEGIN')),
    [],
  );
});

test('prune() removes silent sessions and old quarantine entries', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  for (const [key, lastEventAt] of [
    ['silent', NOW - 1],
    ['recent', NOW],
  ] as const) {
    await store.accept([sampleRecord()], () =>
      sampleEffects({ session: sampleSession({ key, lastEventAt }) }),
    );
    await store.addQuarantined({ id: key, at: lastEventAt, reason: 'empty', detail: '', bytes: 0 });
  }

  await store.prune({ before: NOW, maxBytes: NO_LIMIT });

  const sessions = await store.sessions({ limit: 10 });
  const quarantined = await store.quarantined(10);
  assert.deepEqual(
    [sessions.map(({ key }) => key), quarantined.map(({ id }) => id)],
    [['recent'], ['recent']],
  );
  assert.equal((await store.counts()).sessions.working, 1);
});

test('prune() keeps a session as long as its alert is live', async () => {
  await using opened = await temporaryStore();
  await opened.store.accept([sampleRecord()], (_memory, event) =>
    sampleEffects({
      session: sampleSession({ state: 'waiting', lastEventAt: NOW - 1 }),
      alerts: [sampleAlert(event)],
    }),
  );

  await opened.store.prune({ before: NOW, maxBytes: NO_LIMIT });

  assert.equal((await opened.store.sessions({ limit: 10 })).length, 1);
});
