import type { Driver } from '../../src/store/sqlite/driver.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';

/** What must differ in each copy of a row, by table: whatever is unique, or names another row. */
const tables: Readonly<Record<string, { numbers?: readonly string[]; texts: readonly string[] }>> =
  {
    events: {
      numbers: ['seq'],
      texts: ['id', 'session_key', 'session_id', 'duplicate_key', 'duplicate_of'],
    },
    payloads: { numbers: ['event_seq'], texts: [] },
    sessions: { texts: ['key', 'session_id', 'last_event_id'] },
    alerts: { texts: ['id', 'session_key', 'event_id', 'closed_by'] },
    deliveries: {
      numbers: ['seq'],
      texts: ['id', 'event_id', 'alert_id', 'session_key', 'told_by'],
    },
    attempts: { numbers: ['seq'], texts: ['delivery_id'] },
  };

/**
 * Multiplies what a database holds, as if the same had happened again and again in other sessions: the store itself,
 * which waits for the disk, would take minutes for a million events.
 *
 * @param path a database that no process has open
 */
export async function multiplyHistory(path: string, times: number): Promise<void> {
  const driver = (await loadDriver())(path);
  driver.exec(`
    PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000;
    PRAGMA journal_mode = OFF; PRAGMA temp_store = MEMORY; BEGIN`);
  for (const table of Object.keys(tables)) multiplyRows(driver, table, times);
  // No trigger counts events: the store does, once a commit.
  driver.exec(`UPDATE counters SET count = count * ${times} WHERE thing = 'event'`);
  driver.exec('COMMIT; PRAGMA journal_mode = DELETE');
  driver.close();
}

function multiplyRows(driver: Driver, table: string, times: number): void {
  const { numbers = [], texts = [] } = tables[table] ?? {};
  const columns = columnsOf(driver, table);
  const values = columns.map((column) => {
    if (numbers.includes(column)) return `${column} + copy * (SELECT max(${column}) FROM original)`;
    return texts.includes(column) ? `${column} || '-' || copy` : column;
  });
  driver.exec(`
    CREATE TEMP TABLE original AS SELECT * FROM ${table};
    WITH RECURSIVE copies (copy) AS (
      SELECT 1 UNION ALL SELECT copy + 1 FROM copies WHERE copy < ${times - 1}
    )
    INSERT INTO ${table} (${columns.join(', ')})
    SELECT ${values.join(', ')} FROM copies CROSS JOIN original;
    DROP TABLE original`);
}

/** Without generated ones. */
function columnsOf(driver: Driver, table: string): readonly string[] {
  return driver
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map((row) => String(Object.entries(row ?? {}).find(([name]) => name === 'name')?.[1]));
}
