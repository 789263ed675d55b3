import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Store } from '../core/store.ts';
import type { FileLog } from './log.ts';
import { pruneQuarantine } from './prune-quarantine.ts';
import type { SessionWatch } from './session-watch.ts';

const EVERY_MS = 60_000;

export interface MaintenanceOptions {
  readonly store: Pick<Store, 'prune'>;
  readonly history: () => { readonly keepMs: number; readonly maxBytes: number };
  /** Its directory. */
  readonly quarantine: string;
  readonly sessionWatch: Pick<SessionWatch, 'run'>;
  readonly log: Log & Pick<FileLog, 'rotateIfLarge'>;
  readonly now: Clock;
}

export interface Maintenance {
  /** One round, now. */
  run(): Promise<void>;
  start(): void;
  stop(): void;
}

/** What a daemon does once a minute: forgets old history and quarantine, rotates its log and looks for dead sessions. */
export function createMaintenance(options: MaintenanceOptions): Maintenance {
  let timer: NodeJS.Timeout | undefined;

  async function run(): Promise<void> {
    const { store, history, log, now, sessionWatch, quarantine } = options;
    try {
      log.rotateIfLarge();
      await sessionWatch.run();
      const { keepMs, maxBytes } = history();
      const before = now() - keepMs;
      const removed = await store.prune({ before, maxBytes });
      if (removed > 0) log.info({ removed }, 'Forgot old events');
      const discarded = await pruneQuarantine(quarantine, before);
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
