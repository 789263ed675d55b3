import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';

import { Client } from 'pg';

import type { Decide } from '../../../src/core/store.ts';
import { StoreError } from '../../../src/core/store-aging.ts';
import { serverMigrations } from '../../../src/store/postgres/server-schema.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { claim, settlement } from '../../support/claims.ts';
import { needsPostgres, type Postgres, startPostgres } from '../../support/postgres.ts';
import {
  decideNothing,
  NOW,
  sampleEffects,
  sampleRecord,
  sampleSession,
  tell,
} from '../../support/store.ts';

const skip = needsPostgres();

/** Counts the events of a session in it. */
const countEvents: Decide = ({ session }) =>
  sampleEffects({
    session: sampleSession({ ...session, lastTurnMs: (session?.lastTurnMs ?? 0) + 1 }),
  });

/** Stores of several processes on one database. */
async function storesOn(postgres: Postgres, count: number) {
  const opened = await Promise.all(
    Array.from({ length: count }, () => openServerStore({ url: postgres.url, now: () => NOW })),
  );
  return {
    stores: opened.map(({ store }) => store),
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map(({ store }) => store.close()));
    },
  };
}

test('processes that start concurrently migrate a new database once', { skip }, async () => {
  await using postgres = await startPostgres();

  await using opened = await storesOn(postgres, 6);

  const versions = await postgres.run('SELECT version::int FROM hookbell_schema ORDER BY version');
  assert.deepEqual(
    versions.map(({ version }) => version),
    serverMigrations.map((_, index) => index + 1),
  );
  assert.equal((await opened.stores[0]!.upkeep.counts()).events, 0);
});

test(
  'a database that a newer hookbell has migrated is refused and left as it is',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await (await storesOn(postgres, 1))[Symbol.asyncDispose]();
    await postgres.run('INSERT INTO hookbell_schema (version) VALUES (999)');

    await assert.rejects(openServerStore({ url: postgres.url }), (error) => {
      assert.ok(error instanceof StoreError);
      assert.equal(error.code, 'newer');
      assert.match(error.message, /its schema is 999, expected at most \d+, so a newer hookbell/);
      return true;
    });

    const [last] = await postgres.run('SELECT max(version)::int AS version FROM hookbell_schema');
    assert.equal(last?.['version'], 999);
  },
);

test(
  'events of one session are decided one after the other, whichever process takes them',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await using opened = await storesOn(postgres, 3);
    const total = 90;

    const verdicts = await Promise.all(
      Array.from({ length: total }, (_, index) =>
        opened.stores[index % 3]!.events.accept(
          [sampleRecord({ id: `event-${index}` })],
          countEvents,
        ),
      ),
    );

    assert.deepEqual(new Set(verdicts.flat()), new Set(['committed']));
    const [session] = await opened.stores[0]!.sessions.list({ limit: 1 });
    assert.equal(session?.lastTurnMs, total);
  },
);

test('an event that two processes get concurrently is taken once', { skip }, async () => {
  await using postgres = await startPostgres();
  await using opened = await storesOn(postgres, 2);

  for (let round = 0; round < 20; round += 1) {
    // Of different sessions, so that no lock of a session keeps the second one waiting.
    const verdicts = await Promise.all(
      opened.stores.map((store, index) =>
        store.events.accept(
          [sampleRecord({ id: `event-${round}`, sessionKey: `claude:${index}` })],
          decideNothing,
        ),
      ),
    );
    assert.deepEqual(verdicts.flat().toSorted(), ['committed', 'known']);
  }
  assert.equal((await opened.stores[0]!.upkeep.counts()).events, 20);
});

test(
  'processes share the deliveries: each goes to one of them, those of a session in their order',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await using opened = await storesOn(postgres, 3);
    const sessions = Array.from({ length: 20 }, (_, index) => `claude:${index}`);
    for (let round = 0; round < 5; round += 1) {
      await opened.stores[0]!.events.accept(
        sessions.map((sessionKey) => sampleRecord({ id: `${sessionKey}/${round}`, sessionKey })),
        tell('desktop'),
      );
    }

    const sent: string[] = [];
    await Promise.all(
      opened.stores.map(async (store) => {
        while (sent.length < 100) {
          for (const claimed of await claim(store, { limit: 7 })) {
            sent.push(claimed.event.id);
            assert.equal(await store.outbox.recordAttempt(settlement(claimed)), true);
          }
        }
      }),
    );

    assert.equal(new Set(sent).size, 100);
    assert.equal(sent.length, 100);
    for (const sessionKey of sessions) {
      const own = sent.filter((id) => id.startsWith(`${sessionKey}/`));
      assert.deepEqual(own, own.toSorted());
    }
    assert.equal((await opened.stores[0]!.upkeep.counts()).deliveries.sent, 100);
  },
);

test(
  'a process that starts takes over the claims of one that is gone, and leaves those of one that lives',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await using living = await storesOn(postgres, 1);
    const gone = await storesOn(postgres, 1);
    await living.stores[0]!.events.accept([sampleRecord({ id: 'a' })], tell('one'));
    await living.stores[0]!.events.accept([sampleRecord({ id: 'b' })], tell('two'));
    assert.equal((await claim(living.stores[0]!, { channel: 'one' })).length, 1);
    assert.equal((await claim(gone.stores[0]!, { channel: 'two' })).length, 1);
    await gone[Symbol.asyncDispose]();

    await using started = await storesOn(postgres, 1);
    const store = started.stores[0]!;
    assert.equal(await store.outbox.recoverClaims(NOW), 1);
    await store.outbox.releaseLost('one', []);

    assert.deepEqual(await claim(store, { channel: 'one' }), []);
    const [taken] = await claim(store, { channel: 'two' });
    assert.deepEqual([taken?.event.id, taken?.delivery.possibleDuplicate], ['b', true]);
  },
);

test(
  'a message whose claim is overdue is never handed out again unmarked, also if its session was busy a moment ago',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    // In front of that of the system: the first look meets a session that another transaction has locked.
    await postgres.run(`
      CREATE SEQUENCE looks;
      SELECT setval('looks', 9);
      CREATE FUNCTION pg_try_advisory_xact_lock(space integer, number integer) RETURNS boolean LANGUAGE sql VOLATILE AS
        'SELECT nextval(''looks'') <> 1 AND pg_catalog.pg_try_advisory_xact_lock(space, number)';
      ALTER DATABASE hookbell SET search_path = public, pg_catalog;
    `);
    await using opened = await storesOn(postgres, 2);
    const [first, second] = opened.stores;
    await first!.events.accept([sampleRecord()], tell('desktop'));
    assert.equal((await claim(first!, { leaseMs: 1_000 })).length, 1);
    await postgres.run("SELECT setval('looks', 1, false)");

    const later = { now: NOW + 2_000 };
    const claimed = [...(await claim(second!, later)), ...(await claim(second!, later))];

    assert.deepEqual(
      claimed.map(({ delivery }) => delivery.possibleDuplicate),
      [true],
    );
  },
);

test('new work is announced to the other processes', { skip }, async () => {
  await using postgres = await startPostgres();
  await using opened = await storesOn(postgres, 1);
  const listener = new Client({ connectionString: postgres.url });
  await listener.connect();
  await listener.query('LISTEN hookbell');
  const announced = once(listener, 'notification');

  await opened.stores[0]!.events.accept([sampleRecord()], tell('desktop'));

  await announced;
  await listener.end();
});

test(
  'time that deliveries wait is counted once, however many processes count it',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await using opened = await storesOn(postgres, 4);
    const hour = 3_600_000;

    for (const store of opened.stores) await store.outbox.addAwakeTime(hour);

    const [clock] = await postgres.run('SELECT awake_ms::int FROM clock');
    assert.ok(Number(clock?.['awake_ms']) < 1.5 * hour, JSON.stringify(clock));
  },
);

test(
  'an event whose decision throws leaves nothing, and the others of the process are taken',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await using opened = await storesOn(postgres, 1);
    const store = opened.stores[0]!;

    const [failed, taken] = await Promise.allSettled([
      store.events.accept([sampleRecord({ id: 'a' })], () => {
        throw new RangeError('No decision');
      }),
      store.events.accept([sampleRecord({ id: 'b' })], decideNothing),
    ]);

    assert.ok(failed.status === 'rejected' && failed.reason instanceof RangeError);
    assert.equal(taken.status, 'fulfilled');
    assert.equal((await store.upkeep.counts()).events, 1);
  },
);
