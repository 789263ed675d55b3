import type { Log } from '../core/log.ts';
import { silentLog } from '../core/log.ts';
import type { Store } from '../core/store.ts';
import { StoreError } from '../core/store.ts';
import { Connection } from './connection.ts';
import type { FileState } from './database-file.ts';
import { fileState, setAside } from './database-file.ts';
import { storeErrorOf } from './driver-error.ts';
import type { Driver, OpenDriver } from './driver.ts';
import { loadDriver } from './driver.ts';
import { GroupCommit } from './group-commit.ts';
import { openDatabase } from './open-database.ts';
import { sqliteStore } from './sqlite-store.ts';
import { noteSuspicion, readSuspicion } from './suspicion.ts';

/** A database closed well is looked through at start only up to this size: that takes less than 10 ms. */
const CHECKED_BYTES = 8 * 1024 * 1024;

export interface OpenStoreOptions {
  readonly path: string;
  readonly now: () => number;
  readonly log?: Log;
  /** How SQLite is reached; the best driver of this Node by default. */
  readonly openDriver?: OpenDriver;
}

/** A database that could not be used any more: where it lies now, and what was wrong. */
export interface Recovered {
  readonly aside: string;
  readonly reason: string;
}

/**
 * Opens the store, with a new database if there is none. A damaged one is set aside, never deleted, and the caller told.
 *
 * @throws StoreError `newer`, `full` or `io`; the database is as it was then
 */
export async function openStore({
  path,
  now,
  log = silentLog,
  openDriver,
}: OpenStoreOptions): Promise<{ readonly store: Store; readonly recovered: Recovered | null }> {
  const open = openDriver ?? (await loadDriver());
  const { driver, recovered } = openOrReplace(path, open, now);
  if (recovered !== null) log.error(recovered, 'Set a damaged database aside and made a new one');
  const connection = new Connection(path, driver, {
    reopen() {
      log.warn({ path }, 'Reopening the database after an I/O error');
      return openDatabase(path, open);
    },
    onDamage(error) {
      log.error({ path, reason: error.message }, 'The database is damaged');
      noteSuspicion(path, error.message);
    },
  });
  return { store: sqliteStore(connection, new GroupCommit(connection, path), now), recovered };
}

function openOrReplace(
  path: string,
  open: OpenDriver,
  now: () => number,
): { readonly driver: Driver; readonly recovered: Recovered | null } {
  try {
    return { driver: openExisting(path, open), recovered: null };
  } catch (error) {
    const storeError = storeErrorOf(error, path);
    if (storeError?.code !== 'damaged') throw storeError ?? error;
    const aside = setAside(path, now());
    return { driver: openDatabase(path, open), recovered: { aside, reason: storeError.message } };
  }
}

function openExisting(path: string, open: OpenDriver): Driver {
  const state = fileState(path);
  const problem = state.type === 'unusable' ? state.reason : readSuspicion(path);
  if (problem !== null) throw new StoreError('damaged', problem);
  return openDatabase(path, open, { check: isToBeChecked(state) });
}

/** After a crash always, because then the reason may have been the disk. */
function isToBeChecked(state: FileState): boolean {
  return state.type === 'file' && (!state.closedWell || state.bytes <= CHECKED_BYTES);
}
