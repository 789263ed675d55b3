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
  setAside,
} from './sqlite/open-database.ts';
import { familiesOn } from './families.ts';
import { upkeepOn } from './upkeep.ts';
import type { SavedDatabase } from './sqlite/save-before-migration.ts';

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

/** An unusable database that was set aside: its new path, and the fault. */
export interface Recovered {
  readonly aside: string;
  readonly reason: string;
}

/**
 * Opens the store, with a new database if none exists. A damaged one is set aside and reported to the caller.
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
  const { driver, recovered } = openOrReplace();
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

  function openOrReplace(): { readonly driver: Driver; readonly recovered: Recovered | null } {
    try {
      if (state.type === 'unusable') throw new StoreError('damaged', state.reason);
      return { driver: openDatabase(path, open, { ...options, check }), recovered: null };
    } catch (error) {
      const trouble = storeErrorOf(error, path);
      if (trouble?.code !== 'damaged') throw trouble ?? error;
      const replaced = replace(trouble);
      return { driver: openDatabase(path, open, options), recovered: replaced };
    }
  }
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
  // The file is truncated when the log is moved into it, which may be much later.
  const flush = (): void => connection.guarded(() => connection.cutLog());
  const families = familiesOn(database, upkeepOn(database, flush));
  return { ...families, close: async () => database.close() };
}

/** Always after a crash, because the disk may have caused it. */
function isToBeChecked(state: FileState): boolean {
  return state.type === 'file' && !(state.closedWell && isLarge(state));
}

function isLarge(state: FileState): boolean {
  return state.type === 'file' && state.bytes > CHECKED_BYTES;
}
