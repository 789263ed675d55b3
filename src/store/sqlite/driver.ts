import { StoreError } from '../../core/store-aging.ts';
import { FailedError } from '../../platform/errors.ts';
import type { Value } from '../row.ts';

/**
 * Primary result codes of SQLite with their texts: https://www.sqlite.org/rescode.html. The texts are for the package's
 * driver, whose `all` throws errors without the code.
 */
const troubles: readonly {
  readonly errcode: number;
  readonly text: string;
  readonly code: StoreError['code'];
}[] = [
  // Another program has the file open.
  { errcode: 5, text: 'database is locked', code: 'io' },
  { errcode: 7, text: 'out of memory', code: 'io' },
  { errcode: 8, text: 'attempt to write a readonly database', code: 'io' },
  { errcode: 10, text: 'disk I/O error', code: 'io' },
  { errcode: 11, text: 'database disk image is malformed', code: 'damaged' },
  { errcode: 13, text: 'database or disk is full', code: 'full' },
  { errcode: 14, text: 'unable to open database file', code: 'io' },
  { errcode: 26, text: 'file is not a database', code: 'damaged' },
];

const FILE_SYSTEM_FULL = ['ENOSPC', 'EDQUOT'];

/** The error as a StoreError, or null if neither the database nor the disk caused it: then it is a bug, or the caller's. */
export function storeErrorOf(error: unknown, path: string): StoreError | null {
  if (error instanceof StoreError) return error;
  if (!(error instanceof Error) || !('code' in error)) return null;
  const code = error.code === 'ERR_SQLITE_ERROR' ? sqliteCode(error) : fileSystemCode(error);
  if (code === null) return null;
  return new StoreError(code, `Cannot use the database "${path}": ${error.message}`, {
    cause: error,
  });
}

/**
 * SQLite's error for a statement that does not fit the schema, such as a missing column, but also for a value that an
 * SQL function refuses: only the schema shows which.
 */
export function mayBeOfSchema(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'))
    return false;
  const primary = primaryCode(error);
  return primary === SQLITE_ERROR || (primary === null && sqliteCode(error) === null);
}

const SQLITE_ERROR = 1;
/** Errors of a value or a row, not of the database: too big, constraint, mismatch, range. */
const OF_THE_VALUE: readonly number[] = [18, 19, 20, 25];

function sqliteCode(error: Error): StoreError['code'] | null {
  const primary = primaryCode(error);
  const trouble = troubles.find(({ errcode, text }) =>
    primary === null ? text === error.message : errcode === primary,
  );
  if (trouble !== undefined) return trouble.code;
  const isOfValue = primary === null || primary === SQLITE_ERROR || OF_THE_VALUE.includes(primary);
  return isOfValue ? null : 'io';
}

/** The low byte is the primary code; the others refine it. */
function primaryCode(error: Error): number | null {
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode % 256 : null;
}

function fileSystemCode(error: Error & { readonly code: unknown }): StoreError['code'] | null {
  if (!('syscall' in error)) return null;
  return FILE_SYSTEM_FULL.some((code) => code === error.code) ? 'full' : 'io';
}

/** The part of both drivers' API that behaves the same in both. */
export interface Statement {
  run(...values: readonly Value[]): { readonly changes: number | bigint };
  get(...values: readonly Value[]): unknown;
  all(...values: readonly Value[]): readonly unknown[];
}

export interface Driver {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export type OpenDriver = (path: string) => Driver;

/**
 * Loads SQLite: the built-in driver if this Node has it, otherwise the package with the same API. The package is second
 * because its SQLite version is fixed.
 *
 * @throws FailedError if there is neither: the package is optional
 */
export async function loadDriver(): Promise<OpenDriver> {
  const builtIn: unknown = process.getBuiltinModule('node:sqlite');
  const { DatabaseSync } = isSqlite(builtIn) ? builtIn : await loadPackage();
  return (path) => new DatabaseSync(path);
}

async function loadPackage() {
  try {
    return await import('@photostructure/sqlite');
  } catch (cause) {
    throw new FailedError(
      `Cannot load SQLite: Node ${process.versions.node} has none, and the package "@photostructure/sqlite" cannot be loaded; use Node 22.13 or newer, or install hookbell with its optional packages`,
      { cause },
    );
  }
}

function isSqlite(module: unknown): module is { DatabaseSync: new (path: string) => Driver } {
  return (
    typeof module === 'object' &&
    module !== null &&
    'DatabaseSync' in module &&
    typeof module.DatabaseSync === 'function'
  );
}
