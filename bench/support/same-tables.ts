import type { Client } from 'pg';

import type { Postgres } from '../../test/support/postgres.ts';

/** Rows of a table that a batch writes. */
interface TableRows {
  readonly table: string;
  /** Columns of the primary key; a row that exists is written again. */
  readonly key: readonly string[];
  /** As JSON. */
  readonly rows: string;
}

const COUNTS = `SELECT relname AS table,
  (xpath('/row/c/text()', query_to_xml(format('SELECT count(*) AS c FROM public.%I', relname), false, true, '')))[1]::text::int AS count
  FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`;

/** How many rows each table of hookbell has. */
export async function rowCounts(postgres: Postgres): Promise<ReadonlyMap<string, number>> {
  const rows = await postgres.run(COUNTS);
  return new Map(rows.map((row) => [String(row['table']), Number(row['count'])]));
}

/** Empty tables with the columns and indexes of those that have got rows, in the schema "same". */
export async function copyTables(
  postgres: Postgres,
  before: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const after = await rowCounts(postgres);
  const tables = [...after].flatMap(([table, count]) =>
    count > (before.get(table) ?? 0) && !table.startsWith('plain_') ? [table] : [],
  );
  await postgres.run('CREATE SCHEMA same');
  for (const table of tables) {
    await postgres.run(
      `CREATE TABLE same.${table} (LIKE public.${table} INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE)`,
    );
  }
  // Gets its rows from what is sent.
  await postgres.run('CREATE TABLE same.attempts (LIKE public.attempts INCLUDING ALL)');
  return tables;
}

/**
 * What hookbell has written, in batches. A table with fewer rows than events is one whose rows were written again and again,
 * such as the sessions: each batch writes some of them again.
 */
export async function sameRows(
  client: Client,
  batches: number,
): Promise<readonly (readonly TableRows[])[]> {
  const { rows: tables } = await client.query<{
    readonly table: string;
    readonly key: readonly string[] | null;
  }>(
    `SELECT relname AS table, (SELECT array_agg(attname::text) FROM pg_index JOIN pg_attribute
      ON attrelid = indrelid AND attnum = ANY (indkey) WHERE indrelid = pg_class.oid AND indisprimary) AS key
     FROM pg_class WHERE relnamespace = 'same'::regnamespace AND relkind = 'r'`,
  );
  const all: {
    readonly table: string;
    readonly key: readonly string[];
    readonly rows: readonly string[];
  }[] = [];
  for (const { table, key } of tables) {
    const { rows } = await client.query<{ readonly row: string }>(
      `SELECT to_jsonb(t)::text AS row FROM public.${table} AS t ORDER BY ${key === null ? 'ctid' : key.join(', ')}`,
    );
    all.push({ table, key: key ?? [], rows: rows.map(({ row }) => row) });
  }
  return Array.from({ length: batches }, (_, batch) =>
    all.map(({ table, key, rows }) => {
      const size = Math.max(Math.ceil(rows.length / batches), Math.min(50, rows.length));
      const from = (batch * size) % Math.max(1, rows.length);
      return { table, key, rows: `[${rows.slice(from, from + size).join(',')}]` };
    }),
  );
}

/** The same rows in one transaction, without anything that hookbell does besides. */
export async function insertSame(client: Client, tables: readonly TableRows[]): Promise<void> {
  await client.query('BEGIN');
  for (const { table, key, rows } of tables) {
    const again =
      key.length === 0
        ? 'NOTHING'
        : `UPDATE SET ${key.map((name) => `${name} = excluded.${name}`).join(', ')}`;
    const target = key.length === 0 ? '' : `(${key.join(', ')})`;
    await client.query(
      `INSERT INTO same.${table} SELECT * FROM jsonb_populate_recordset(NULL::same.${table}, $1::jsonb) ON CONFLICT ${target} DO ${again}`,
      [rows],
    );
  }
  await client.query('COMMIT');
}

/**
 * Claims what is due in batches, with the event of each, and records each as sent with its attempt: the rows that hookbell
 * writes for it, without its order within a session.
 */
export async function drainSame(client: Client, batch: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ readonly id: string; readonly event_id: string }>(
      `UPDATE same.deliveries SET fence = fence + 1, claimed_at = 1, claimed_until = 2, claimed_by = 'plain', ready_at = 2, turn = 0 WHERE seq IN (
        SELECT seq FROM same.deliveries WHERE state = 'pending' AND claimed_until IS NULL
        ORDER BY due_at LIMIT ${batch} FOR UPDATE SKIP LOCKED
      ) RETURNING *`,
    );
    if (rows.length === 0) return;
    await client.query('SELECT * FROM same.events WHERE id = ANY ($1::text[])', [
      rows.map((row) => row.event_id),
    ]);
    const ids = rows.map(({ id }) => id);
    await client.query('BEGIN');
    await client.query(
      `UPDATE same.deliveries SET state = 'sent', attempts = 1, sent_at = 3, is_next = 0,
        claimed_at = NULL, claimed_until = NULL, claimed_by = NULL, ready_at = 1, turn = 2 WHERE id = ANY ($1::text[])`,
      [ids],
    );
    await client.query(
      "INSERT INTO same.attempts (delivery_id, number, started_at, duration_ms, outcome) SELECT id, 1, 1, 40, 'delivered' FROM unnest($1::text[]) AS id",
      [ids],
    );
    await client.query('COMMIT');
  }
}
