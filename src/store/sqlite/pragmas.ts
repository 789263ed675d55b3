import { StoreError } from '../../core/store-aging.ts';
import type { Driver } from './driver.ts';

/** The log is moved into the file at this size, pages. */
export const CHECKPOINT_PAGES = 200;
/** The log is cut back to this size after a checkpoint. */
const LOG_BYTES = 4 * 1024 * 1024;

/** Name, value to set, expected value when read back. */
type Pragma = readonly [name: string, value: string, readBack: string];

const access: readonly Pragma[] = [
  ['busy_timeout', '2000', '2000'],
  // Excludes other programs: a reader could keep the log from ever being truncated, and up to SQLite 3.51.2 two
  // connections can lose pages of it (https://www.sqlite.org/wal.html#walresetbug). Set it before the first read.
  ['locking_mode', 'EXCLUSIVE', 'exclusive'],
  ['foreign_keys', 'ON', '1'],
  // Savepoints write a journal there: a full temporary directory must not stop commits.
  ['temp_store', 'MEMORY', '2'],
  // KiB. Each event touches a page of every index.
  ['cache_size', '-16384', '-16384'],
];

const storage: readonly Pragma[] = [
  ['journal_mode', 'WAL', 'wal'],
  // NORMAL is faster, but loses commits on a power failure.
  ['synchronous', 'FULL', '2'],
  ['wal_autocheckpoint', String(CHECKPOINT_PAGES), String(CHECKPOINT_PAGES)],
  ['journal_size_limit', String(LOG_BYTES), String(LOG_BYTES)],
];

/** Sets how the file is shared. Does not change it, because it may turn out not to be ours. */
export function setAccess(driver: Driver): void {
  setPragmas(driver, access);
}

export function setStorage(driver: Driver): void {
  setAutoVacuum(driver);
  setPragmas(driver, storage);
}

/**
 * Lets the file shrink in small steps. Has to be set before the file has a table. A file rebuilt by other tools
 * (`.dump`, `.recover`) lacks it and is rewritten once, which takes some seconds per GB; without enough room it stays
 * unchanged: its free pages are reused, and it does not shrink.
 */
function setAutoVacuum(driver: Driver): void {
  driver.prepare('PRAGMA auto_vacuum = INCREMENTAL').get();
  if (readPragma(driver, 'auto_vacuum') === INCREMENTAL) return;
  try {
    // Not in memory: VACUUM writes a copy of the whole database.
    driver.exec('PRAGMA temp_store = FILE; PRAGMA journal_mode = DELETE; VACUUM');
  } catch (error) {
    if (!(error instanceof Error && /disk is full/.test(error.message))) throw error;
  } finally {
    driver.exec('PRAGMA temp_store = MEMORY');
  }
}

const INCREMENTAL = '2';

/** Moves the log into the file, removes it and releases the lock. */
export function leaveStorage(driver: Driver): void {
  setPragmas(driver, [
    // While the log is in use the lock cannot be changed.
    ['journal_mode', 'DELETE', 'delete'],
    ['locking_mode', 'NORMAL', 'normal'],
  ]);
  // The lock is released at the end of the next read.
  driver.prepare('SELECT 1 FROM sqlite_schema').all();
}

/** @throws StoreError `io` if one does not take effect, as on a file system without support */
function setPragmas(driver: Driver, pragmas: readonly Pragma[]): void {
  for (const [name, value, expected] of pragmas) {
    driver.prepare(`PRAGMA ${name} = ${value}`).get();
    const actual = readPragma(driver, name);
    if (actual !== expected) {
      throw new StoreError(
        'io',
        `Cannot open the database: ${name} is "${actual}", expected "${expected}"`,
      );
    }
  }
}

/** The first column of the first row, as text. */
export function readPragma(driver: Driver, name: string): string {
  const row = driver.prepare(`PRAGMA ${name}`).get();
  return typeof row === 'object' && row !== null ? String(Object.values(row)[0]) : '';
}
