import { StoreError } from '../core/store.ts';

/** Primary result codes of SQLite: https://www.sqlite.org/rescode.html */
const codes: ReadonlyMap<number, StoreError['code']> = new Map([
  [5, 'io'], // SQLITE_BUSY: another program has the file open
  [8, 'io'], // SQLITE_READONLY: the file system went read-only
  [10, 'io'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'io'], // SQLITE_CANTOPEN
  [26, 'damaged'], // SQLITE_NOTADB
]);

const FILE_SYSTEM_FULL = ['ENOSPC', 'EDQUOT'];

/**
 * The error as the port knows it, or null where it is none of the database's or the disk's troubles: then it is a bug,
 * or the caller's own.
 */
export function storeErrorOf(error: unknown, path: string): StoreError | null {
  if (error instanceof StoreError) return error;
  if (!(error instanceof Error)) return null;
  const code = 'errcode' in error ? sqliteCode(error.errcode) : fileSystemCode(error);
  if (code === null) return null;
  return new StoreError(code, `Cannot use the database "${path}": ${error.message}`, {
    cause: error,
  });
}

function sqliteCode(errcode: unknown): StoreError['code'] | null {
  // The low byte is the primary code, the others tell which kind of it.
  return typeof errcode === 'number' ? (codes.get(errcode % 256) ?? null) : null;
}

function fileSystemCode(error: Error): StoreError['code'] | null {
  if (!('syscall' in error) || !('code' in error)) return null;
  return FILE_SYSTEM_FULL.some((code) => code === error.code) ? 'full' : 'io';
}
