/** They change by themselves. */
const restless = [
  'nonces',
  'heartbeats',
  'process_configs',
  'poller_memory',
  'clock',
  'clock_marks',
  'directory_version',
];

type Run = (sql: string) => Promise<readonly Record<string, unknown>[]>;

/** Reads every row of a database, as the name of its table and its JSON. */
export async function rowReader(run: Run): Promise<() => Promise<ReadonlySet<string>>> {
  const tables = await run(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
  );
  const statement = tables
    .map(({ name }) => String(name))
    .filter((name) => !restless.includes(name))
    .map(
      (name) =>
        `SELECT '${name} ' || (to_jsonb(one) - 'heard_at')::text AS text FROM "${name}" AS one`,
    )
    .join(' UNION ALL ');
  return async () => new Set((await run(statement)).map(({ text }) => String(text)));
}

/** The rows of the first that the second does not have. */
export function without(rows: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] {
  return [...rows].filter((row) => !others.has(row));
}
