import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { isSavedDatabase, savedDatabase } from '../../core/store-aging.ts';
import type { Driver } from './driver.ts';
import { readPragma } from './pragmas.ts';
import { isEmpty, schemaVersion } from './schema.ts';

/** A larger database is not copied: the daemon would start half a minute later. */
const LARGEST_BYTES = 1024 * 1024 * 1024;
/** Room that the copy must leave on the disk, bytes. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** What was done before a migration from one schema to another. */
export interface SavedDatabase {
  readonly from: number;
  readonly to: number;
  /** Path of the copy; null without one. */
  readonly path: string | null;
  /** Why there is no copy; null with one. */
  readonly reason: string | null;
}

/**
 * Copies a database that is about to be migrated, so that the older program can be installed again. Only the latest copy is
 * kept. Without room for it the migration goes on: the events of today count more than the way back.
 *
 * @param newest number of migrations of this program
 * @returns null if there is nothing to migrate
 */
export function saveBeforeMigration(
  path: string,
  driver: Driver,
  newest: number,
): SavedDatabase | null {
  const from = schemaVersion(driver);
  if (from === 0 || from >= newest || isEmpty(driver)) return null;
  const saved = { from, to: newest };
  const reason = whyTooLarge(path, driver);
  if (reason !== null) return { ...saved, path: null, reason };
  const copy = savedDatabase(path, from);
  const unfinished = `${copy}.new`;
  try {
    rmSync(unfinished, { force: true });
    // Empty, so that SQLite keeps its mode: only its owner may read it.
    closeSync(openSync(unfinished, 'wx', 0o600));
    // By SQLite: if this process opened and closed the file itself, that would drop SQLite's lock on it.
    driver.prepare('VACUUM INTO ?').run(unfinished);
    syncFile(unfinished);
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { force: true });
    return { ...saved, path: null, reason: error instanceof Error ? error.message : String(error) };
  }
  for (const other of savedDatabases(path)) if (other !== copy) rmSync(other, { force: true });
  return { ...saved, path: copy, reason: null };
}

function savedDatabases(path: string): readonly string[] {
  const directory = dirname(path);
  return readdirSync(directory)
    .filter((name) => isSavedDatabase(name, basename(path)))
    .map((name) => join(directory, name));
}

function whyTooLarge(path: string, driver: Driver): string | null {
  const bytes = Number(readPragma(driver, 'page_count')) * Number(readPragma(driver, 'page_size'));
  if (bytes > LARGEST_BYTES) {
    return `the database has ${bytes} bytes, and at most ${LARGEST_BYTES} are copied`;
  }
  const { bavail, bsize } = statfsSync(dirname(path));
  const room = bavail * bsize;
  // The migration itself may write each page again.
  const needed = 2 * bytes + SPARE_BYTES;
  return room < needed ? `the disk has ${room} bytes left, and ${needed} are needed` : null;
}

/** SQLite does not sync a copy. */
function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
