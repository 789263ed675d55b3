import { StoreError } from '../../core/store-aging.ts';
import type { Driver, OpenDriver } from './driver.ts';
import { readPragma } from './pragmas.ts';

/** The tables, indexes and triggers of a database. */
export interface Schema {
  /** By table: the shape of each column by its name. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, Column>>;
  /** Indexes and triggers by name: they can be rebuilt without losing a row. */
  readonly parts: ReadonlyMap<string, Part>;
}

interface Column {
  /** Type, nullability, default, key and reference as one text, for comparison. */
  readonly shape: string;
  /** True if a row can be inserted without naming it. */
  readonly isOptional: boolean;
}

interface Part {
  readonly type: 'index' | 'trigger';
  readonly table: string;
  readonly sql: string;
}

/** SQLite's own tables and indexes carry this prefix. */
const LISTED = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";

export function readSchema(driver: Driver): Schema {
  const tables = new Map<string, ReadonlyMap<string, Column>>();
  const parts = new Map<string, Part>();
  const rows = driver
    .prepare(
      `SELECT type, name, tbl_name, coalesce(sql, '') AS sql FROM sqlite_schema WHERE ${LISTED}`,
    )
    .all();
  for (const row of rows) {
    const [type, name, table, sql] = texts(row);
    if (name === undefined || table === undefined || sql === undefined) continue;
    if (type === 'table') tables.set(name, readColumns(driver, name));
    if (type === 'index' || type === 'trigger') parts.set(name, { type, table, sql });
  }
  return { tables, parts };
}

function readColumns(driver: Driver, table: string): ReadonlyMap<string, Column> {
  const references = new Map<string, string>();
  const keys = driver
    .prepare(
      'SELECT "from", "table", coalesce("to", \'\'), on_delete FROM pragma_foreign_key_list(?)',
    )
    .all(table);
  for (const row of keys) {
    const [from = '', ...target] = texts(row);
    references.set(from, ` references ${target.join(' ')}`);
  }
  const columns = driver
    .prepare(
      `SELECT name, upper(type), "notnull", coalesce(dflt_value, ''), pk, hidden FROM pragma_table_xinfo(?)`,
    )
    .all(table);
  return new Map(
    columns.map((row) => {
      const [name = '', type, notNull, defaultValue, key, hidden] = texts(row);
      const shape = `${type} notnull=${notNull} default=${defaultValue} pk=${key} hidden=${hidden}${references.get(name) ?? ''}`;
      const isOptional = notNull === '0' || defaultValue !== '' || hidden !== '0';
      return [name, { shape, isOptional }];
    }),
  );
}

function texts(row: unknown): readonly string[] {
  return typeof row === 'object' && row !== null ? Object.values(row).map(String) : [];
}

/** The schema of the first `version` migrations, built in memory. @throws the driver's error for an invalid migration */
export function schemaAfter(
  version: number,
  { migrations, open }: { readonly migrations: readonly string[]; readonly open: OpenDriver },
): Schema {
  const driver = open(':memory:');
  try {
    for (const migration of migrations.slice(0, version)) driver.exec(migration);
    return readSchema(driver);
  } finally {
    driver.close();
  }
}

/**
 * The difference that prevents using the tables of a database as those of `expected`, or null. Additional tables, and
 * columns that an insert may omit, are harmless.
 */
export function schemaFault(actual: Schema, expected: Schema): string | null {
  for (const [table, columns] of expected.tables) {
    const found = actual.tables.get(table);
    if (found === undefined) return `table "${table}" is missing`;
    for (const [column, { shape }] of columns) {
      const there = found.get(column);
      if (there === undefined) return `table "${table}" has no column "${column}"`;
      if (there.shape !== shape) {
        return `column "${column}" of table "${table}" is "${there.shape}", expected "${shape}"`;
      }
    }
    for (const [column, { isOptional }] of found) {
      if (!columns.has(column) && !isOptional) {
        return `table "${table}" has an unknown column "${column}" that must have a value`;
      }
    }
  }
  return null;
}

/**
 * Repairs the indexes and triggers of our tables to match `expected`, and removes foreign ones: an extra trigger or
 * unique index refuses rows, a missing one stops deliveries. Returns the changed names.
 *
 * @throws StoreError `damaged` when the rows do not allow an index
 */
export function repairParts(driver: Driver, expected: Schema): readonly string[] {
  const actual = readSchema(driver).parts;
  const surplus = [...actual].filter(
    ([name, { table, sql }]) =>
      expected.tables.has(table) && !isSame(sql, expected.parts.get(name)?.sql),
  );
  const missing = [...expected.parts].filter(
    ([name, { sql }]) => !isSame(sql, actual.get(name)?.sql),
  );
  if (surplus.length === 0 && missing.length === 0) return [];
  driver.exec('BEGIN IMMEDIATE');
  try {
    for (const [name, { type }] of surplus) {
      driver.exec(`DROP ${type} "${name.replaceAll('"', '""')}"`);
    }
    for (const [, { sql }] of missing) driver.exec(sql);
    driver.exec('COMMIT');
  } catch (error) {
    driver.exec('ROLLBACK');
    const reason = error instanceof Error ? error.message : String(error);
    if (!/constraint|malformed/i.test(reason)) throw error;
    throw new StoreError('damaged', `Cannot rebuild its indexes: ${reason}`, { cause: error });
  }
  return [...new Set([...surplus, ...missing].map(([name]) => name))];
}

function isSame(left: string, right: string | undefined): boolean {
  return right !== undefined && withoutLayout(left) === withoutLayout(right);
}

function withoutLayout(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ').trim();
}

/** True for a file without tables: a new one. */
export function isEmpty(driver: Driver): boolean {
  return driver.prepare(`SELECT 1 FROM sqlite_schema WHERE ${LISTED} LIMIT 1`).get() === undefined;
}

export function schemaVersion(driver: Driver): number {
  return Number(readPragma(driver, 'user_version'));
}
