import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Paths } from '../core/paths.ts';
import type { Store } from '../core/store.ts';
import type { AskRoom } from './disk-room.ts';
import { warnOfFullDisk } from './disk-room.ts';
import type { FileLog } from './log.ts';
import { pruneQuarantine } from './prune-quarantine.ts';
import type { SessionWatch } from './session-watch.ts';
import type { Warnings } from './warnings.ts';

const EVERY_MS = 60_000;

export interface MaintenanceOptions {
  readonly store: Pick<Store, 'prune'>;
  readonly history: () => { readonly keepMs: number; readonly maxBytes: number };
  readonly paths: Pick<Paths, 'state' | 'quarantine'>;
  readonly askRoom: AskRoom;
  readonly sessionWatch: Pick<SessionWatch, 'run'>;
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

/** What a daemon does once a minute: forgets old history and quarantine, rotates its log, looks at the disk's room and for dead sessions. */
export function createMaintenance(options: MaintenanceOptions): Maintenance {
  let timer: NodeJS.Timeout | undefined;

  async function run(): Promise<void> {
    const { store, history, log, now, sessionWatch, warnings, askRoom, paths } = options;
    try {
      log.rotateIfLarge();
      await warnOfFullDisk(paths.state, { warnings, askRoom });
      await sessionWatch.run();
      const { keepMs, maxBytes } = history();
      const before = now() - keepMs;
      const removed = await store.prune({ before, maxBytes });
      if (removed > 0) log.info({ removed }, 'Forgot old events');
      const discarded = await pruneQuarantine(paths.quarantine, before);
      if (discarded > 0) log.info({ discarded }, 'Removed old files from the quarantine');
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
