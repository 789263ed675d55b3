import { StoreError } from '../core/store-error.ts';

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

/**
 * The error as the port knows it, or null where it is none of the database's or the disk's troubles: then it is a bug,
 * or the caller's own.
 */
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
 * SQLite's answer to a statement that does not fit the schema, such as a column that is missing, but also to a value that
 * an SQL function refuses: only a look at the schema can tell which.
 */
export function mayBeOfSchema(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'))
    return false;
  const primary = primaryCode(error);
  return primary === SQLITE_ERROR || (primary === null && sqliteCode(error) === null);
}

const SQLITE_ERROR = 1;
/** What is wrong with a value or a row, and not with the database: too big, constraint, mismatch, range. */
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

/** The low byte is the primary code, the others say which kind of it. */
function primaryCode(error: Error): number | null {
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode % 256 : null;
}

function fileSystemCode(error: Error & { readonly code: unknown }): StoreError['code'] | null {
  if (!('syscall' in error)) return null;
  return FILE_SYSTEM_FULL.some((code) => code === error.code) ? 'full' : 'io';
}
