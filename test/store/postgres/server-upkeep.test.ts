import assert from 'node:assert/strict';
import test from 'node:test';

import { Client } from 'pg';

import type { Store } from '../../../src/core/store.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { claim, settlement } from '../../support/claims.ts';
import { needsPostgres, startPostgres } from '../../support/postgres.ts';
import {
  decideNothing,
  NOW,
  sampleEffects,
  sampleRecord,
  sampleSession,
  tell,
} from '../../support/store.ts';

const skip = needsPostgres();
const HOUR_MS = 3_600_000;
const OLD = { keepMs: HOUR_MS, before: NOW, maxBytes: Number.MAX_SAFE_INTEGER };

async function storeOn(url: string) {
  const { store } = await openServerStore({ url, now: () => NOW });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

/** Another process in the middle of a transaction that shares the lock of the store. */
async function otherWriter(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    "BEGIN; SELECT pg_advisory_xact_lock_shared(hashtext('hookbell ' || current_schema()))",
  );
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.end();
    },
  };
}

/** Events that were sent more than an hour ago. */
async function addOld(store: Store, names: readonly string[]): Promise<void> {
  await store.events.accept(
    names.map((id) => sampleRecord({ id, sessionKey: `claude:${id}` })),
    tell('desktop'),
  );
  for (const claimed of await claim(store, { limit: names.length })) {
    await store.outbox.recordAttempt(settlement(claimed));
  }
  await store.upkeep.countElapsedTime(NOW);
  await store.upkeep.countElapsedTime(NOW + 2 * HOUR_MS);
}

async function idsIn(store: Store): Promise<readonly string[]> {
  return (await store.history.list({ limit: 1_000 })).map(({ event }) => event.id);
}

test('prune() does not wait for processes that take in and send', { skip }, async () => {
  await using postgres = await startPostgres();
  await using opened = await storeOn(postgres.url);
  const { store } = opened;
  const names = Array.from({ length: 600 }, (_, index) => `old-${index}`);
  await addOld(store, names);
  await store.events.accept([sampleRecord({ id: 'new' })], decideNothing);
  await using _writer = await otherWriter(postgres.url);

  assert.equal(await store.upkeep.prune(OLD), names.length);

  const { events, deliveries } = await store.upkeep.counts();
  assert.deepEqual([events, deliveries.sent], [1, 0]);
  const [left] = await postgres.run(
    'SELECT (SELECT count(*)::int FROM attempts) AS attempts, (SELECT count(*)::int FROM payloads) AS payloads',
  );
  assert.deepEqual(left, { attempts: 0, payloads: 1 });
});

test(
  'prune() keeps an event that another process gives a delivery, or changes one of, meanwhile',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await using opened = await storeOn(postgres.url);
    const { store } = opened;
    await addOld(store, ['told-again', 'retried', 'done']);
    await using writer = await otherWriter(postgres.url);
    await writer.client.query(
      `INSERT INTO deliveries (id, event_id, session_key, step, channel, state, due_at, created_at)
      VALUES ('more', 'told-again', 'claude:told-again', 0, 'team', 'pending', 0, 0)`,
    );
    await writer.client.query(
      "UPDATE deliveries SET state = 'retrying' WHERE event_id = 'retried'",
    );

    assert.equal(await store.upkeep.prune(OLD), 1);
    await writer.client.query('COMMIT');
    assert.equal(await store.upkeep.prune(OLD), 0);

    assert.deepEqual((await idsIn(store)).toSorted(), ['retried', 'told-again']);
  },
);

test(
  'prune() goes past old events that are not finished, however many they are',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await using opened = await storeOn(postgres.url);
    const { store } = opened;
    const waiting = Array.from({ length: 600 }, (_, index) => sampleRecord({ id: `w-${index}` }));
    await store.events.accept(waiting, tell('desktop'));
    await store.events.accept([sampleRecord({ id: 'done' })], decideNothing);
    await addOld(store, []);

    assert.equal(await store.upkeep.prune(OLD), 1);
    assert.equal((await store.upkeep.counts()).events, waiting.length);
  },
);

test('prune() keeps a session that gets an event meanwhile', { skip }, async () => {
  await using postgres = await startPostgres();
  await using opened = await storeOn(postgres.url);
  const { store } = opened;
  await store.events.accept([sampleRecord()], () =>
    sampleEffects({ session: sampleSession({ key: 'claude:back', lastEventAt: NOW - 1 }) }),
  );
  await using writer = await otherWriter(postgres.url);
  await writer.client.query(
    "SELECT pg_advisory_xact_lock(hashtext('hookbell ' || current_schema()), hashtext('claude:back'))",
  );
  await writer.client.query('UPDATE sessions SET last_event_at = $1', [NOW + 1]);

  const pruned = store.upkeep.prune(OLD);
  await waitingIn(writer.client);
  await writer.client.query('COMMIT');
  await pruned;

  assert.deepEqual(
    (await store.sessions.list({ limit: 10 })).map(({ key }) => key),
    ['claude:back'],
  );
});

/** Until another connection waits for an advisory lock. */
async function waitingIn(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
    );
    if (rows.length > 0) return;
  }
}
