import { chmodSync, closeSync, existsSync, lstatSync, openSync, renameSync } from 'node:fs';

import { StoreError } from '../../core/store-aging.ts';
import type { Driver, OpenDriver } from './driver.ts';
import { migrate, refuseNewer } from './migrate.ts';
import { migrations as ownMigrations } from './migrations/migrations.ts';
import { leaveStorage, readPragma, setAccess, setStorage } from './pragmas.ts';
import { type SavedDatabase, saveBeforeMigration } from './save-before-migration.ts';
import { readSchema, schemaAfter, schemaFault } from './schema.ts';

/** Files of a database besides the main one: https://www.sqlite.org/tempfiles.html */
const COMPANIONS = ['-wal', '-shm', '-journal'];

/** One page of the smallest size. */
const SMALLEST_BYTES = 512;

/** The state of a database path before it is opened. */
export type FileState =
  | { readonly type: 'none' }
  | { readonly type: 'file'; readonly bytes: number; readonly closedWell: boolean }
  | { readonly type: 'unusable'; readonly reason: string };

export function fileState(path: string): FileState {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    return existsSync(`${path}-wal`)
      ? { type: 'unusable', reason: 'The file is missing and only its write-ahead log is left' }
      : { type: 'none' };
  }
  if (!stat.isFile()) return { type: 'unusable', reason: 'Not a regular file' };
  // SQLite treats a file of 0 or 1 bytes as a new database. Ours is empty only between its creation and its first
  // transaction.
  if (stat.size < SMALLEST_BYTES) {
    return { type: 'unusable', reason: `The file has ${stat.size} bytes, too few for a database` };
  }
  const closedWell = !existsSync(`${path}-wal`) && !existsSync(`${path}-journal`);
  return { type: 'file', bytes: stat.size, closedWell };
}

/** Identifies the file at a path, to detect its replacement; null without a file. */
export function fileIdentity(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}

/** Creates the file if it is missing. Only its owner may read it; SQLite gives its companion files the same mode. */
function makePrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600));
  chmodSync(path, 0o600);
}

/** Renames a database with its companion files, so that it can be inspected later; returns its new path. */
export function setAside(path: string, now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const aside = freePath(`${path}.damaged-${time}`);
  // The main file is renamed first: without its log it would look intact, but be outdated.
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) renameSync(path, aside);
  for (const companion of COMPANIONS) {
    if (existsSync(path + companion)) renameSync(path + companion, aside + companion);
  }
  return aside;
}

function freePath(wanted: string): string {
  let path = wanted;
  for (let count = 2; isTaken(path); count += 1) path = `${wanted}-${count}`;
  return path;
}

function isTaken(path: string): boolean {
  return ['', ...COMPANIONS].some(
    (companion) => lstatSync(path + companion, { throwIfNoEntry: false }) !== undefined,
  );
}

export interface OpenDatabaseOptions {
  /** Checks all pages first, which takes some seconds per GB. */
  readonly check?: boolean;
  /** Called with the names of repaired indexes and triggers, which were missing or foreign. */
  readonly onRepaired?: (names: readonly string[]) => void;
  /** Called after a migration, with the copy that was made before it. */
  readonly onMigrated?: (saved: SavedDatabase) => void;
  /** Migrations of a later hookbell, for tests of upgrades; default: this program's. */
  readonly migrations?: readonly string[];
}

/**
 * Opens or creates a database file, sets its pragmas, and checks and migrates its schema.
 *
 * @throws StoreError, or an error of the driver or the file system, after closing the file
 */
export function openDatabase(
  path: string,
  open: OpenDriver,
  { check = false, onRepaired, onMigrated, migrations = ownMigrations }: OpenDatabaseOptions = {},
): Driver {
  makePrivate(path);
  const driver = open(path);
  try {
    setAccess(driver);
    refuseNewer(driver, migrations);
    setStorage(driver);
    if (check) checkPages(driver);
    // After a crash or a failed fsync the log is valid, but possibly only in the kernel's memory. An event in it counts
    // as known, so it must be on disk before anything relies on it.
    driver.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const saved = saveBeforeMigration(path, driver, migrations.length);
    const repaired = migrate(driver, migrations, open);
    if (saved !== null) {
      // The version in the file itself, where an older program that is installed over this one reads it.
      driver.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      onMigrated?.(saved);
    }
    if (repaired.length > 0) onRepaired?.(repaired);
    return driver;
  } catch (error) {
    driver.close();
    throw error;
  }
}

/** Opens an empty database in memory, which is gone when it is closed. */
export function openInMemory(open: OpenDriver): Driver {
  const driver = open(':memory:');
  driver.exec('PRAGMA foreign_keys = ON');
  migrate(driver, ownMigrations, open);
  return driver;
}

/**
 * Closes a database so that it is one file, which this process may open again.
 *
 * The package's driver does not finalise statements, and while they exist, SQLite keeps the file and the lock of a
 * closed connection. So the lock is released before.
 */
export function closeDatabase(
  driver: Driver,
  { isInPlace }: { readonly isInPlace: boolean },
): void {
  // A deleted file is harmless, and can no longer be written.
  if (isInPlace) leaveStorage(driver);
  driver.close();
}

/** The fault in the tables of an open database, or null. */
export function currentSchemaFault(driver: Driver, open: OpenDriver): string | null {
  const expected = schemaAfter(ownMigrations.length, { migrations: ownMigrations, open });
  return schemaFault(readSchema(driver), expected);
}

function checkPages(driver: Driver): void {
  const answer = readPragma(driver, 'quick_check(1)');
  if (answer !== 'ok') throw new StoreError('damaged', `Cannot use the database: ${answer}`);
}
