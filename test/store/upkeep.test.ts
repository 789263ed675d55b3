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
  aboutFile,
  storeAt,
  tell,
  temporaryStore,
} from '../support/store.ts';

const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
/** Older than an hour, by the clock of the store and by the wall clock. */
const OLD = { keepMs: HOUR_MS, before: NOW, maxBytes: NO_LIMIT };

async function ids(store: Store): Promise<readonly string[]> {
  const entries = await store.history.list({ limit: 1000 });
  return entries.map(({ event }) => event.id);
}

/** Lets everything there is by now grow older than an hour. */
async function age(store: Store, now = NOW): Promise<void> {
  await store.upkeep.countElapsedTime(now);
  await store.upkeep.countElapsedTime(now + 2 * HOUR_MS);
}

test('prune() removes events older than it keeps them, with all that hangs on them', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord({ id: 'old' })], tell('desktop'));
  const [claimed] = await claim(store);
  await store.outbox.recordAttempt(settlement(claimed!));
  await age(store);
  await store.events.accept([sampleRecord({ id: 'new' })], decideNothing);

  assert.equal(await store.upkeep.prune(OLD), 1);

  assert.deepEqual(await ids(store), ['new']);
  const { events, deliveries } = await store.upkeep.counts();
  assert.deepEqual([events, deliveries.sent], [1, 0]);
});

test('prune() removes nothing by age when the clock jumps to 2038, to 1970 and back (A5)', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.upkeep.countElapsedTime(NOW);
  await store.events.accept([sampleRecord({ id: 'a' })], decideNothing);

  for (const now of [NOW + HOUR_MS, NOW + 12 * YEAR_MS, NOW + 12 * YEAR_MS + 60_000, 0, NOW]) {
    assert.equal(
      (await store.upkeep.countElapsedTime(now)) !== 0,
      ![NOW + HOUR_MS, NOW + 12 * YEAR_MS + 60_000].includes(now),
    );
    assert.equal(await store.upkeep.prune({ ...OLD, keepMs: 24 * HOUR_MS, before: null }), 0);
  }

  assert.deepEqual(await ids(store), ['a']);
});

test('prune() counts what came in 1970 from when the clock was set right, over restarts (A5)', async () => {
  await using opened = await temporaryStore();
  await opened.store.upkeep.countElapsedTime(5_000);
  await opened.store.events.accept(
    [sampleRecord({ id: 'a', at: 6_000, receivedAt: 6_000 })],
    decideNothing,
  );
  await opened.store.upkeep.countElapsedTime(70_000);
  await opened.store.close();
  await using again = await storeAt(opened.path);
  const { store } = again;

  assert.equal(await store.upkeep.countElapsedTime(NOW), NOW - 70_000);
  assert.equal(await store.upkeep.prune(OLD), 0);
  await store.upkeep.countElapsedTime(NOW + 59 * 60_000);
  assert.equal(await store.upkeep.prune(OLD), 0);

  await store.upkeep.countElapsedTime(NOW + 2 * HOUR_MS);
  assert.equal(await store.upkeep.prune(OLD), 1);
});

test('prune() keeps a dead letter as long as other history, however long it waited before (A5)', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord({ id: 'a' })], tell('desktop'));
  await age(store);
  await store.outbox.addAwakeTime(1_000);
  const given = { channel: 'desktop', waitedMs: 1_000, reason: 'Too old', limit: 10 };
  assert.equal(await store.outbox.giveUp({ ...given, waitedMs: 1_001 }), 0);
  assert.equal(await store.outbox.giveUp(given), 1);

  assert.equal(await store.upkeep.prune(OLD), 0);
  const [dead] = await store.queue.list({ limit: 1, states: ['dead'] });
  assert.equal(dead?.reason, 'Too old');
  await age(store, NOW + 2 * HOUR_MS);
  assert.equal(await store.upkeep.prune(OLD), 1);
});

test('prune() keeps events with unsent deliveries, and those a live alert is about', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord({ id: 'unsent' })], tell('desktop'));
  await store.events.accept([sampleRecord({ id: 'asked' })], (_memory, event) =>
    sampleEffects({ alerts: [sampleAlert(event)], session: sampleSession({ state: 'waiting' }) }),
  );
  const limits = { keepMs: 0, before: NOW + 1, maxBytes: 0 };

  assert.equal(await store.upkeep.prune(limits), 0);
  await store.events.accept([sampleRecord({ id: 'answer' })], ({ alert }) =>
    sampleEffects({ alerts: [{ ...alert!, state: 'resolved' }] }),
  );
  await store.queue.drop('all', 'Dropped');

  assert.equal(await store.upkeep.prune(limits), 3);
});

test(
  'prune() removes the oldest events while the database is too large, and the file shrinks',
  { skip: aboutFile },
  async () => {
    await using opened = await temporaryStore();
    const { store, path } = opened;
    const payload = 'x'.repeat(20_000);
    const records = Array.from({ length: 300 }, (_, index) =>
      sampleRecord({ id: String(index), receivedAt: NOW + index }, payload),
    );
    await store.events.accept(records, decideNothing);
    const maxBytes = 2_000_000;

    await store.upkeep.prune({ keepMs: HOUR_MS, before: 0, maxBytes });

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
  },
);

test('prune() lets others have their turn between its transactions, and goes on until the limits hold (A8)', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const records = Array.from({ length: 2_050 }, () => sampleRecord());
  await store.events.accept(records, decideNothing);
  await age(store);
  const limits = OLD;
  const order: string[] = [];

  const pruning = store.upkeep.prune(limits).then((removed) => order.push(`removed ${removed}`));
  await store.quarantine.add({ id: 'q', at: NOW + 1, reason: 'empty', detail: '', bytes: 0 });
  order.push('written');
  await pruning;

  assert.deepEqual(order, ['written', 'removed 2050']);
  assert.equal(await store.upkeep.prune(limits), 0);
});

test(
  'prune() brings 60 MB down to the limit in one call, and the open file with it (A8)',
  { skip: aboutFile },
  async () => {
    await using opened = await temporaryStore();
    const { store, path } = opened;
    const payload = 'x'.repeat(60_000);
    for (let round = 0; round < 10; round += 1) {
      const records = Array.from({ length: 100 }, () => sampleRecord({}, payload));
      await store.events.accept(records, decideNothing);
    }
    const maxBytes = 5_000_000;

    await store.upkeep.prune({ before: 0, maxBytes });

    const { size } = statSync(path);
    assert.ok(size <= maxBytes * 1.1, `The file has ${size} bytes`);
    assert.ok((await store.upkeep.counts()).events > 50);
  },
);

test(
  'prune() ends when aborted, and writes nothing when the limits hold',
  { skip: aboutFile },
  async () => {
    const statements: string[] = [];
    const openDriver = await watchedDriver({ onRun: (sql) => statements.push(sql) });
    await using opened = await temporaryStore({ openDriver });
    const { store } = opened;
    await store.events.accept([sampleRecord()], decideNothing);
    statements.length = 0;

    assert.equal(await store.upkeep.prune({ before: NOW, maxBytes: NO_LIMIT }), 0);
    const signal = AbortSignal.abort();
    assert.equal(await store.upkeep.prune({ before: NOW + 1, maxBytes: 0, signal }), 0);

    assert.deepEqual(
      statements.filter((sql) => sql.startsWith('BEGIN')),
      [],
    );
  },
);

test('prune() removes silent sessions and old quarantine entries', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  for (const [key, lastEventAt] of [
    ['silent', NOW - 1],
    ['recent', NOW],
  ] as const) {
    await store.events.accept([sampleRecord()], () =>
      sampleEffects({ session: sampleSession({ key, lastEventAt }) }),
    );
    await store.quarantine.add({ id: key, at: lastEventAt, reason: 'empty', detail: '', bytes: 0 });
  }

  await store.upkeep.prune(OLD);

  const sessions = await store.sessions.list({ limit: 10 });
  const quarantined = await store.quarantine.list(10);
  assert.deepEqual(
    [sessions.map(({ key }) => key), quarantined.map(({ id }) => id)],
    [['recent'], ['recent']],
  );
  assert.equal((await store.upkeep.counts()).sessions.working, 1);
});

test('prune() keeps a session as long as its alert is live', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], (_memory, event) =>
    sampleEffects({
      session: sampleSession({ state: 'waiting', lastEventAt: NOW - 1 }),
      alerts: [sampleAlert(event)],
    }),
  );

  await opened.store.upkeep.prune(OLD);

  assert.equal((await opened.store.sessions.list({ limit: 10 })).length, 1);
});
