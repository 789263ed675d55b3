import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Client } from 'pg';

import { readDatabaseUrl } from '../../../src/store/postgres/database-url.ts';
import { serverMigrations } from '../../../src/store/postgres/migrations/all.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { migrateServer } from '../../../src/store/postgres/server-schema.ts';
import { connectTo } from '../../../src/store/postgres/server.ts';
import { claim, settlement } from '../../support/claims.ts';
import { writeEarlierServerDatabase } from '../../support/earlier-server-database.ts';
import { needsPostgres, type Postgres, startPostgres } from '../../support/postgres.ts';
import { NOW } from '../../support/store.ts';

const EVENTS = 2_000;

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

  // The first one was never released without the second.
  for (let schema = 2; schema < serverMigrations.length; schema += 1) {
    test(`a filled database of schema ${schema} becomes like a new one, and its work goes on`, async () => {
      const [url, fresh] = [await newSchema(), await newSchema()];
      await writeEarlierServerDatabase(url, { schema, events: EVENTS });

      const { store } = await openServerStore({ url, now: () => NOW });
      try {
        const { events, deliveries } = await store.upkeep.counts();
        assert.deepEqual([events, deliveries.pending], [EVENTS, 2]);
        const [session] = await store.sessions.list({ limit: 1, states: ['waiting'] });
        assert.equal(session?.key, 'claude:s1');
        assert.equal((await store.mutes.active(NOW)).length, 1);
        const [claimed] = await claim(store, { now: NOW + 1 });
        assert.equal(claimed?.delivery.id, 'first');
        assert.equal(await store.outbox.recordAttempt(settlement(claimed)), true);
      } finally {
        await store.close();
      }
      await (await openServerStore({ url: fresh })).store.close();
      assert.deepEqual(await shapeOf(url), await shapeOf(fresh));
    });
  }

  test('processes that start concurrently migrate a filled database of the first schemas once', async () => {
    const url = await newSchema();
    await writeEarlierServerDatabase(url, { schema: 2, events: EVENTS });

    const opened = await Promise.all(
      Array.from({ length: 5 }, () => openServerStore({ url, now: () => NOW })),
    );

    try {
      for (const { store } of opened) assert.equal((await store.upkeep.counts()).events, EVENTS);
      const [only, ...others] = (
        await Promise.all(opened.map(({ store }) => claim(store, { now: NOW + 1 })))
      ).flat();
      assert.deepEqual([only?.delivery.id, others], ['first', []]);
    } finally {
      await Promise.all(opened.map(({ store }) => store.close()));
    }
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

/** Its columns, indexes, constraints, triggers and functions. */
async function shapeOf(url: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly line: string }>(`
      SELECT replace(line, current_schema(), 'schema') AS line FROM (
        SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) AS line
          FROM information_schema.columns WHERE table_schema = current_schema()
        UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()
        UNION ALL SELECT concat_ws(' ', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint
          WHERE connamespace = current_schema()::regnamespace
        UNION ALL SELECT pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
          WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal
        UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
        UNION ALL SELECT concat_ws(' ', relname, reloptions) FROM pg_class
          WHERE relnamespace = current_schema()::regnamespace
      ) AS lines ORDER BY line`);
    return rows.map(({ line }) => line);
  } finally {
    await client.end();
  }
}
