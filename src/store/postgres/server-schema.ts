import type { Client } from 'pg';
import { StoreError } from '../../core/store-aging.ts';
import { hasMetAnother } from './server-error.ts';
import { channelLimits, hubTables } from './migrations/first-hub.ts';
import { serverTables } from './migrations/first-tables.ts';
import { serverTriggers } from './migrations/first-triggers.ts';

/**
 * All migrations in order. The first one changes with the program until it is released; a released one is never changed:
 * add a new one.
 */
export const serverMigrations: readonly string[] = [
  [serverTables, serverTriggers, hubTables, channelLimits].join(''),
];

const MOST_TRIES = 8;
const TABLE_LOCK_MS = 60_000;

/**
 * Migrates the schema to the newest version, in one transaction. Of processes that start concurrently, one does it.
 *
 * @param space the key of the store's advisory locks
 * @throws StoreError `newer` if a newer hookbell has migrated it
 */
export async function migrateServer(
  client: Pick<Client, 'query'>,
  {
    space,
    migrations = serverMigrations,
  }: { readonly space: number; readonly migrations?: readonly string[] },
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await migrateOnce(client, space, migrations);
    } catch (error) {
      await client.query('ROLLBACK');
      // The lock excludes writers, but not readers of several tables.
      if (!hasMetAnother(error) || tries === MOST_TRIES) throw error;
    }
  }
}

async function migrateOnce(
  client: Pick<Client, 'query'>,
  space: number,
  migrations: readonly string[],
): Promise<void> {
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${space})`);
  // A transaction that waits for a table blocks all later ones. None holds a table for longer than a statement may take.
  await client.query(`SET LOCAL lock_timeout = ${TABLE_LOCK_MS}`);
  await client.query(
    'CREATE TABLE IF NOT EXISTS hookbell_schema (version bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
  );
  const version = await knownVersion(client, migrations);
  for (const [index, migration] of [...migrations.entries()].slice(version)) {
    await client.query(migration);
    await client.query('INSERT INTO hookbell_schema (version) VALUES ($1)', [index + 1]);
  }
  await client.query('COMMIT');
}

/** Refuses a database that a newer hookbell has migrated; changes nothing. @throws StoreError `newer` */
export async function refuseNewerSchema(client: Pick<Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ readonly found: string | null }>(
    "SELECT to_regclass('hookbell_schema')::text AS found",
  );
  if (typeof rows[0]?.found === 'string') await knownVersion(client, serverMigrations);
}

async function knownVersion(
  client: Pick<Client, 'query'>,
  migrations: readonly string[],
): Promise<number> {
  const { rows } = await client.query<{ readonly version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM hookbell_schema',
  );
  const version = rows[0]?.version ?? 0;
  if (version <= migrations.length) return version;
  throw new StoreError(
    'newer',
    `Cannot open the database: its schema is ${version}, expected at most ${migrations.length}, so a newer hookbell uses it: update this one`,
  );
}
