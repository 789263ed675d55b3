import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { HubStore } from '../core/hub/hub-store.ts';
import type { PollerMemory } from '../core/source-event.ts';
import { StoreError } from '../core/store-aging.ts';
import type { Log } from '../platform/log.ts';
import { programFile } from '../platform/program-files.ts';
import type { CheckPages } from '../store/sqlite/background-check.ts';
import { openStore, type OpenStoreOptions } from '../store/open-store.ts';
import type { DiskReserve } from './disk-room.ts';
import { systemClock } from '../platform/time.ts';
import { type ObservedStore, observeStore } from './metrics/observed-store.ts';
import { databaseWarning, repairWarning } from './warning-texts.ts';
import type { Warnings } from '../delivery/warnings.ts';

/**
 * Checks in another process. With 1 GB in large payloads it took 3.5 s from the disk, 1.5 s from the cache, under other load.
 */
const checkPagesElsewhere: CheckPages = async (file, signal) => {
  const script = programFile('checkPages');
  const { stdout } = await promisify(execFile)(process.execPath, [script, file], { signal });
  return stdout;
};

/** What seals the keys of a hub's machines, and what did before; null: nothing. */
export interface HubSecrets {
  readonly current: string | null;
  readonly previous: string | null;
}

interface OwnStore extends ObservedStore {
  readonly hubStore: HubStore | null;
  readonly now: () => number;
  /** Whether this process is the leader among those that share the store. */
  readonly isOwner: () => boolean;
  /** The state of pollers, shared by all processes; null: each process keeps it in files. */
  readonly pollerMemory: ((name: string) => PollerMemory) | null;
}

/**
 * Opens the daemon's store, with counters and its clock, and warns about a database that had to be replaced.
 *
 * @throws ConfigError for a wrong URL, StoreError as `openStore` does
 */
export async function openOwnStore({
  path,
  readPostgresUrl,
  hubSecrets,
  onWork,
  log,
  diskReserve,
  warnings,
}: {
  readonly path: string;
  /** Null: in a file. */
  readonly readPostgresUrl: (() => Promise<string>) | null;
  /** Null: this daemon is not a hub. */
  readonly hubSecrets: HubSecrets | null;
  /** Called when there may be something to send that another process stored. */
  readonly onWork: () => void;
  readonly log: Log;
  readonly diskReserve: DiskReserve;
  readonly warnings: Pick<Warnings, 'raise'>;
}): Promise<OwnStore> {
  if (readPostgresUrl !== null) {
    const opened = await openOnServer(readPostgresUrl, hubSecrets, { log, onWork });
    const { store, hub: hubStore, ...others } = opened;
    return { ...observeStore(store), hubStore, ...others };
  }
  const now = systemClock;
  const { store: opened, recovered } = await openStoreOnFullDisk(
    {
      path,
      now,
      log,
      checkPages: checkPagesElsewhere,
      onRepaired: (names) => warnings.raise('database', repairWarning(names)),
      onReplaced: (replaced) => warnings.raise('database', databaseWarning(replaced)),
    },
    diskReserve,
  );
  if (recovered !== null) warnings.raise('database', databaseWarning(recovered));
  return {
    ...observeStore(opened),
    hubStore: null,
    now,
    isOwner: () => true,
    pollerMemory: null,
  };
}

/** Opens the store in a database on a server; throws as `openServerStore`. */
export async function openOnServer(
  readUrl: () => Promise<string>,
  hubSecrets: HubSecrets | null,
  options: { readonly log: Log; readonly onWork?: () => void },
) {
  // Loaded only where it is used: it takes as long as a tenth of a start.
  const { openServerStore } = await import('../store/postgres/open-server-store.ts');
  return openServerStore({
    ...options,
    url: await readUrl(),
    readUrl,
    ...(hubSecrets !== null && {
      hubSecret: hubSecrets.current,
      previousSecret: hubSecrets.previous,
    }),
  });
}

/**
 * Opens the store, releasing the disk reserve if the disk is full.
 *
 * @throws StoreError as `openStore` does
 */
async function openStoreOnFullDisk(
  options: OpenStoreOptions,
  diskReserve: Pick<DiskReserve, 'release'>,
): ReturnType<typeof openStore> {
  try {
    return await openStore(options);
  } catch (error) {
    const isFull = error instanceof StoreError && error.code === 'full';
    if (!isFull || !(await diskReserve.release())) throw error;
    return openStore(options);
  }
}
