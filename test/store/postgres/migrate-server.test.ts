import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Client } from 'pg';

import { readDatabaseUrl } from '../../../src/store/postgres/database-url.ts';
import { serverMigrations } from '../../../src/store/postgres/server-schema.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { migrateServer } from '../../../src/store/postgres/server-schema.ts';
import { connectTo } from '../../../src/store/postgres/server.ts';
import { claim, settlement } from '../../support/claims.ts';
import { needsPostgres, type Postgres, startPostgres } from '../../support/postgres.ts';
import { decideNothing, NOW, sampleRecord, tell } from '../../support/store.ts';

const EVENTS = 2_000;

/** Migrations of a later hookbell. The last one fails if it is run twice. */
const later = [
  ...serverMigrations,
  `ALTER TABLE events ADD COLUMN later text COLLATE "C" DEFAULT 'new'`,
];

describe('migrations on PostgreSQL', { skip: needsPostgres() }, () => {
  let postgres: Postgres;
  let count = 0;

  before(async () => {
    postgres = await startPostgres();
  });
  after(async () => {
    await postgres[Symbol.asyncDispose]();
  });

  /** A URL of a separate schema. */
  async function newSchema(): Promise<string> {
    const name = `schema_${(count += 1)}`;
    await postgres.run(`CREATE SCHEMA ${name}`);
    return `${postgres.url}&options=${encodeURIComponent(`-c search_path=${name}`)}`;
  }

  test('a filled database is migrated once by processes that start concurrently, and its work goes on', async () => {
    const url = await newSchema();
    const { store } = await openServerStore({ url, now: () => NOW });
    const records = Array.from({ length: EVENTS }, (_, index) =>
      sampleRecord({ id: `old-${index}`, sessionKey: `claude:${index % 50}` }),
    );
    await store.events.accept(records, decideNothing);
    await store.events.accept([sampleRecord({ id: 'asked' })], tell('desktop'));

    await Promise.all(
      Array.from({ length: 5 }, () =>
        on(url, (client) => migrateServer(client, { space: 1, migrations: later })),
      ),
    );

    const [row] = await rowsOf(
      url,
      'SELECT count(*)::int AS count, min(later) AS later FROM events',
    );
    assert.deepEqual(row, { count: EVENTS + 1, later: 'new' });
    assert.deepEqual(
      await rowsOf(url, 'SELECT version::int FROM hookbell_schema ORDER BY version'),
      later.map((_, index) => ({ version: index + 1 })),
    );
    // The processes of a hub are upgraded one after the other.
    const [claimed] = await claim(store, { now: NOW + 1 });
    assert.equal(claimed?.event.id, 'asked');
    assert.equal(await store.outbox.recordAttempt(settlement(claimed)), true);
    await store.close();
  });

  test('a migration that breaks off leaves nothing, and goes on from there next time', async () => {
    const url = await newSchema();
    const migrate = (...migrations: readonly string[]): Promise<void> =>
      on(url, (client) => migrateServer(client, { space: 1, migrations }));
    await migrate('CREATE TABLE one (a text)');

    const failing = 'CREATE TABLE two (a text); INSERT INTO missing VALUES (1)';
    await assert.rejects(migrate('CREATE TABLE one (a text)', failing), /missing/);
    const tables =
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY name';
    assert.deepEqual(await rowsOf(url, tables), [{ name: 'hookbell_schema' }, { name: 'one' }]);

    await migrate('CREATE TABLE one (a text)', 'CREATE TABLE two (a text)');
    assert.equal((await rowsOf(url, tables)).length, 3);
  });

  test('a migration may take longer than other statements', async () => {
    const url = await newSchema();
    const server = connectTo(readDatabaseUrl(url), {
      process: 'hookbell test',
      random: Math.random,
    });
    const connection = await server.open('migration');
    const { client } = connection;
    try {
      await migrateServer(client, {
        space: 1,
        migrations: [
          `CREATE TABLE limits AS SELECT current_setting('statement_timeout') AS statement,
            current_setting('lock_timeout') AS lock`,
        ],
      });
      const { rows } = await client.query('SELECT * FROM limits');
      assert.deepEqual(rows, [{ statement: '0', lock: '1min' }]);
    } finally {
      await connection.end();
      await server.close();
    }
  });
});

async function on<T>(url: string, run: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

async function rowsOf(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  return on(url, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);
}
