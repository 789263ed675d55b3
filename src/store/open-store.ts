/*
 * What has to survive a crash, on SQLite or PostgreSQL: one transaction for what belongs together. The only room with
 * SQL. Decisions are called with what is stored, and return what to store: their rules never enter.
 */
import { StoreError } from '../core/store-aging.ts';
import { type Log, silentLog } from '../platform/log.ts';
import type { Store } from '../core/store.ts';
import { checkInBackground, type CheckPages } from './sqlite/background-check.ts';
import { SqliteConnection } from './sqlite/connection.ts';
import { createDatabase } from './database.ts';
import { type Driver, loadDriver, type OpenDriver, storeErrorOf } from './sqlite/driver.ts';
import {
  currentSchemaFault,
  type FileState,
  fileState,
  openDatabase,
  openInMemory,
  type OpenDatabaseOptions,
  setAside,
} from './sqlite/open-database.ts';
import { familiesOn } from './families.ts';
import { upkeepOn, type Space } from './upkeep.ts';
import type { SavedDatabase } from './sqlite/save-before-migration.ts';
import type { Connection, Query } from './query.ts';
import { readInteger } from './row.ts';

/** Pages returned to the file system per step; about 0.2 ms. */
const VACUUMED_PAGES = 16;
/** Below both of these, free pages are kept for the next events. */
const SPARE_PAGES = 256;
const SPARE_SHARE = 0.1;

/** The room that a database takes in its file. */
function fileSpace(sqlite: SqliteConnection): Space {
  return {
    size: sizeOf,
    shrink: vacuum,
    // The file is truncated when the log is moved into it, which may be much later.
    flush: () => sqlite.guarded(() => sqlite.cutLog()),
  };
}

function* sizeOf(connection: Connection): ReturnType<Space['size']> {
  const pageBytes = yield* pragma(connection, 'page_size');
  const pages = yield* pragma(connection, 'page_count');
  const free = yield* pragma(connection, 'freelist_count');
  // More pages are free than the next events will need, in a file that can shrink.
  const hasSpare =
    free > SPARE_PAGES &&
    free > SPARE_SHARE * pages &&
    (yield* pragma(connection, 'auto_vacuum')) !== 0;
  return { bytes: pages * pageBytes, usedBytes: (pages - free) * pageBytes, hasSpare };
}

/** Returns free pages to the file system; the result is their number. */
function* vacuum(connection: Connection): Query<number> {
  const before = yield* pragma(connection, 'page_count');
  yield* connection.all(`PRAGMA incremental_vacuum(${VACUUMED_PAGES})`);
  return before - (yield* pragma(connection, 'page_count'));
}

function* pragma(connection: Connection, name: string): Query<number> {
  const row = yield* connection.get(`PRAGMA ${name}`);
  return row === null ? 0 : readInteger(row, name);
}

/** A cleanly closed database is checked at start only up to this size, which takes less than 10 ms. */
const CHECKED_BYTES = 8 * 1024 * 1024;

export interface OpenStoreOptions {
  readonly path: string;
  readonly now: () => number;
  readonly log?: Log;
  /** Called if the database turns out to be damaged while the store is in use. */
  readonly onReplaced?: (replaced: Recovered) => void;
  /** Called with the names of repaired indexes and triggers, which were missing or foreign. */
  readonly onRepaired?: (names: readonly string[]) => void;
  /**
   * Checks a large database after a crash, while the store is already in use; unset: the start waits for the check,
   * some seconds per GB.
   */
  readonly checkPages?: CheckPages;
  /** The SQLite driver; default: the best one of this Node. */
  readonly openDriver?: OpenDriver;
}

/** An unusable database: its new path, and the fault. */
export interface Recovered {
  readonly aside: string;
  readonly reason: string;
}

/**
 * Opens the store, with a new database if none exists. A damaged one is set aside, never deleted, and reported to the
 * caller.
 *
 * @throws StoreError `newer`, `full` or `io`; the database is left unchanged
 */
export async function openStore({
  path,
  now,
  log = silentLog,
  onReplaced,
  onRepaired,
  checkPages,
  openDriver,
}: OpenStoreOptions): Promise<{ readonly store: Store; readonly recovered: Recovered | null }> {
  const open = openDriver ?? (await loadDriver());
  const replace = (error: StoreError): Recovered => {
    const recovered = { aside: setAside(path, now()), reason: error.message };
    log.error({ path, ...recovered }, 'Set a damaged database aside');
    return recovered;
  };
  const options = {
    onRepaired(names: readonly string[]) {
      log.warn({ path, names }, 'Repaired indexes and triggers of the database');
      onRepaired?.(names);
    },
    onMigrated({ path: copy, reason, ...schemas }: SavedDatabase) {
      if (copy !== null) log.info({ copy, ...schemas }, 'Migrated the database');
      else log.warn({ reason, ...schemas }, 'Migrated the database without a copy of it');
    },
  };
  const state = fileState(path);
  const isLater = checkPages !== undefined && isLarge(state) && isToBeChecked(state);
  const check = !isLater && isToBeChecked(state);
  const { driver, recovered } = openOrReplace(path, { state, open, replace, options, check });
  const connection = new SqliteConnection(path, driver, {
    reopen() {
      log.warn({ path }, 'Reopening the database');
      return openDatabase(path, open, options);
    },
    schemaFault: (opened) => currentSchemaFault(opened, open),
    onDamage(error) {
      const replaced = replace(error);
      onReplaced?.(replaced);
    },
  });
  const store = storeOn(connection, now);
  if (!isLater || recovered !== null) return { store, recovered };
  const checking = checkInBackground(connection, { path, checkPages, log });
  const close = async (): Promise<void> => {
    checking.stop();
    await store.close();
  };
  return { store: { ...store, close }, recovered };
}

/** Opens an empty store in memory: for simulations, and gone when it is closed. */
export async function openMemoryStore(now: () => number): Promise<Store> {
  const open = await loadDriver();
  const driver = openInMemory(open);
  const connection = new SqliteConnection(':memory:', driver, {
    reopen: () => openInMemory(open),
    schemaFault: () => null,
    onDamage: () => {},
  });
  return storeOn(connection, now);
}

function storeOn(connection: SqliteConnection, now: () => number): Store {
  const database = createDatabase(connection, now);
  const families = familiesOn(database, upkeepOn(database, fileSpace(connection)));
  return { ...families, close: async () => database.close() };
}

interface Opening {
  readonly state: FileState;
  readonly check: boolean;
  readonly open: OpenDriver;
  readonly replace: (error: StoreError) => Recovered;
  readonly options: OpenDatabaseOptions;
}

function openOrReplace(
  path: string,
  { state, check, open, replace, options }: Opening,
): { readonly driver: Driver; readonly recovered: Recovered | null } {
  try {
    if (state.type === 'unusable') throw new StoreError('damaged', state.reason);
    return { driver: openDatabase(path, open, { ...options, check }), recovered: null };
  } catch (error) {
    const trouble = storeErrorOf(error, path);
    if (trouble?.code !== 'damaged') throw trouble ?? error;
    const recovered = replace(trouble);
    return { driver: openDatabase(path, open, options), recovered };
  }
}

/** Always after a crash, because the disk may have caused it. */
function isToBeChecked(state: FileState): boolean {
  return state.type === 'file' && !(state.closedWell && isLarge(state));
}

function isLarge(state: FileState): boolean {
  return state.type === 'file' && state.bytes > CHECKED_BYTES;
}
