import { statfs } from 'node:fs/promises';

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Store } from '../core/store.ts';
import type { FileLog } from './log.ts';
import type { SessionWatch } from './session-watch.ts';
import type { Warnings } from './warnings.ts';

const EVERY_MS = 60_000;
const LOW_BYTES = 64 * 1024 * 1024;
const LOW_INODE_SHARE = 0.01;

export interface MaintenanceOptions {
  readonly store: Store;
  readonly history: () => { readonly keepMs: number; readonly maxBytes: number };
  readonly stateDirectory: string;
  readonly sessionWatch: SessionWatch;
  readonly log: Log & Pick<FileLog, 'rotateIfLarge'>;
  readonly warnings: Warnings;
  readonly now: Clock;
}

export interface Maintenance {
  /** One round, now. */
  run(): Promise<void>;
  start(): void;
  stop(): void;
}

/** What a daemon does once a minute: forgets old history, rotates its log, looks at the disk's room and for dead sessions. */
export function createMaintenance(options: MaintenanceOptions): Maintenance {
  let timer: NodeJS.Timeout | undefined;

  async function run(): Promise<void> {
    const { store, history, log, now, sessionWatch, warnings, stateDirectory } = options;
    try {
      log.rotateIfLarge();
      await warnOfFullDisk(stateDirectory, warnings);
      await sessionWatch.run();
      const { keepMs, maxBytes } = history();
      const removed = await store.prune({ before: now() - keepMs, maxBytes });
      if (removed > 0) log.info({ removed }, 'Forgot old events');
    } catch (error) {
      log.error({ err: error }, 'Cannot do the maintenance');
    }
  }

  return {
    run,
    start() {
      timer = setInterval(() => void run(), EVERY_MS);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}

/** A spool without room takes no event, and the hook must stay silent about it: so this has to be said before. */
async function warnOfFullDisk(directory: string, warnings: Warnings): Promise<void> {
  const { bavail, bsize, ffree, files } = await statfs(directory);
  const freeBytes = bavail * bsize;
  // Some file systems have no fixed number of inodes and say 0.
  const noInodes = files > 0 && ffree / files < LOW_INODE_SHARE;
  if (freeBytes >= LOW_BYTES && !noInodes) {
    warnings.clear('disk');
    return;
  }
  const left = noInodes ? `${ffree} files` : `${Math.floor(freeBytes / 1024 / 1024)} MB`;
  warnings.raise(
    'disk',
    `The disk that holds "${directory}" has room for only ${left} more: events will be lost when it is full`,
  );
}
