import { StoreError } from '../core/store-error.ts';
import { makePrivate } from './database-file.ts';
import type { Driver, OpenDriver } from './driver.ts';
import { migrate, refuseNewer } from './migrate.ts';
import { migrations } from './migrations/migrations.ts';
import { readSchema, schemaAfter, schemaFault } from './schema.ts';
import { leaveStorage, readPragma, setAccess, setStorage } from './pragmas.ts';

export interface OpenDatabaseOptions {
  /** Looks through all pages first, which takes some seconds per GB. */
  readonly check?: boolean;
  /** Called with the names of indexes and triggers that were missing or foreign, and are repaired. */
  readonly onRepaired?: (names: readonly string[]) => void;
}

/**
 * Opens a database file, or makes a new one, with its pragmas set and its schema checked and up to date.
 *
 * @throws StoreError, or an error of the driver or the file system, having closed the file again
 */
export function openDatabase(
  path: string,
  open: OpenDriver,
  { check = false, onRepaired }: OpenDatabaseOptions = {},
): Driver {
  makePrivate(path);
  const driver = open(path);
  try {
    setAccess(driver);
    refuseNewer(driver, migrations);
    setStorage(driver);
    if (check) checkPages(driver);
    // What a crash or a failed fsync left in the log is valid but perhaps only in the kernel's memory. An event found
    // there counts as known, so it must be on disk before anybody relies on that.
    driver.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const repaired = migrate(driver, migrations, open);
    if (repaired.length > 0) onRepaired?.(repaired);
    return driver;
  } catch (error) {
    driver.close();
    throw error;
  }
}

/**
 * Closes a database so that it is one file, and may be opened again by this process.
 *
 * The package's driver finalises no statements, and as long as those live, SQLite keeps file and lock of a closed
 * connection. So the lock is given back before.
 */
export function closeDatabase(
  driver: Driver,
  { isInPlace }: { readonly isInPlace: boolean },
): void {
  // A file that has lost its name is in nobody's way, and cannot be written any more.
  if (isInPlace) leaveStorage(driver);
  driver.close();
}

/** What is wrong with the tables of an open database, or null. */
export function currentSchemaFault(driver: Driver, open: OpenDriver): string | null {
  const expected = schemaAfter(migrations.length, { migrations, open });
  return schemaFault(readSchema(driver), expected);
}

function checkPages(driver: Driver): void {
  const answer = readPragma(driver, 'quick_check(1)');
  if (answer !== 'ok') throw new StoreError('damaged', `Cannot use the database: ${answer}`);
}
