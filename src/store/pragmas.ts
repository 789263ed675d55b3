import { StoreError } from '../core/store-aging.ts';
import type { Driver } from './driver.ts';

/** The log is moved into the file when it has so many pages. */
export const CHECKPOINT_PAGES = 200;
/** The log is cut back to this size after a checkpoint. */
const LOG_BYTES = 4 * 1024 * 1024;

/** Name, value as it is set, value as it must read back. */
type Pragma = readonly [name: string, value: string, readBack: string];

const access: readonly Pragma[] = [
  ['busy_timeout', '2000', '2000'],
  // No other program gets in: a reader could keep the log from ever being cut, and up to SQLite 3.51.2 two connections
  // can lose pages of it (https://www.sqlite.org/wal.html#walresetbug). To be set before the first read.
  ['locking_mode', 'EXCLUSIVE', 'exclusive'],
  ['foreign_keys', 'ON', '1'],
  // Savepoints keep a journal there: a full temporary directory must not stop commits.
  ['temp_store', 'MEMORY', '2'],
  // KiB. Each event touches a page of every index.
  ['cache_size', '-16384', '-16384'],
];

const storage: readonly Pragma[] = [
  ['journal_mode', 'WAL', 'wal'],
  // NORMAL is faster, and loses commits when the power goes.
  ['synchronous', 'FULL', '2'],
  ['wal_autocheckpoint', String(CHECKPOINT_PAGES), String(CHECKPOINT_PAGES)],
  ['journal_size_limit', String(LOG_BYTES), String(LOG_BYTES)],
];

/** How the file is shared. Changes nothing in it, so that it may turn out to be somebody else's. */
export function setAccess(driver: Driver): void {
  setPragmas(driver, access);
}

/** How the file is written. */
export function setStorage(driver: Driver): void {
  setAutoVacuum(driver);
  setPragmas(driver, storage);
}

/**
 * Lets the file shrink in small steps. Has to be set before the file has a table. One that was rebuilt by other tools
 * (`.dump`, `.recover`) does not have it and is written anew once, which takes some seconds per GB; where there is no room
 * for that it stays as it is: its free pages are used again, and it does not shrink.
 */
function setAutoVacuum(driver: Driver): void {
  driver.prepare('PRAGMA auto_vacuum = INCREMENTAL').get();
  if (readPragma(driver, 'auto_vacuum') === INCREMENTAL) return;
  try {
    // Not in memory: it writes a copy of the whole database.
    driver.exec('PRAGMA temp_store = FILE; PRAGMA journal_mode = DELETE; VACUUM');
  } catch (error) {
    if (!isFull(error)) throw error;
  } finally {
    driver.exec('PRAGMA temp_store = MEMORY');
  }
}

const INCREMENTAL = '2';

function isFull(error: unknown): boolean {
  return error instanceof Error && /disk is full/.test(error.message);
}

/** Moves the log into the file, removes it and gives the lock back. */
export function leaveStorage(driver: Driver): void {
  setPragmas(driver, [
    // While the log is in use the lock cannot be changed.
    ['journal_mode', 'DELETE', 'delete'],
    ['locking_mode', 'NORMAL', 'normal'],
  ]);
  // The lock goes with the end of the next read.
  driver.prepare('SELECT 1 FROM sqlite_schema').all();
}

/** @throws StoreError `io` when one does not hold, as on a file system that cannot do it */
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
