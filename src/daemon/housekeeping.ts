import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';

import { processExists } from '../platform/process-table.ts';
import type { Config } from '../config/config.ts';
import type { ReadSecret } from '../config/secrets.ts';
import type { HeartbeatView } from '../control/contract-views.ts';
import type { Environment } from '../core/launch-environment.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';
import type { Paths } from '../core/paths.ts';
import type { Store } from '../core/store.ts';
import type { Clock } from '../platform/time.ts';
import { writeTrouble } from '../setup/write-trial.ts';
import type { ConfigHolder } from '../config/config-holder.ts';
import { createDiskRoom, type DiskReserve } from './disk-room.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { FileLog } from './daemon-log.ts';
import { createMaintenance } from './maintenance.ts';
import { gonePanesHere } from '../attention/presence-sources.ts';
import { createSessionReaper } from './session-reaper.ts';
import type { Warnings } from '../delivery/warnings.ts';

export interface HousekeepingOptions {
  readonly store: Pick<Store, 'alerts' | 'sessions' | 'upkeep'>;
  readonly config: Pick<ConfigHolder, 'current'>;
  readonly paths: Pick<Paths, 'config' | 'state' | 'spool' | 'quarantine' | 'database'>;
  readonly env: Environment;
  readonly outbound: Outbound;
  readonly diskReserve: DiskReserve;
  readonly readSecret: ReadSecret;
  readonly warnings: Warnings;
  readonly now: Clock;
  /** Whether this process is the leader among those that share the store. */
  readonly isOwner: () => boolean;
  readonly log: FileLog;
  /** A full disk has room again. */
  readonly onRoom: () => void;
  readonly onSessionEnded: () => void;
}

export interface Housekeeping {
  /** Events were committed. */
  historyGrew(): void;
  /** The store found no room. */
  diskIsFull(): Promise<void>;
  /** Takes a new configuration. */
  reconfigure(config: Config): void;
  heartbeat(): HeartbeatView | null;
  /** Checks the disk and, once a minute, everything else; returns whether the disk needs another check soon. */
  beat(): Promise<boolean>;
  start(): void;
  stop(): Promise<void>;
}

/** The daemon's periodic tasks, which run whether or not events come. */
export function createHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { store, config, paths, env, now, log, warnings, diskReserve } = options;
  const diskRoom = createDiskRoom({
    directory: paths.state,
    diskReserve,
    warnings,
    log,
    onRoom: options.onRoom,
    askRoom: (directory) => statfs(directory),
    // A file in the spool would wake everyone who watches it.
    tryWriting: () =>
      writeTrouble(paths.state) ?? (isOnOneDisk(paths) ? null : writeTrouble(paths.spool)),
  });
  const sessionReaper = createSessionReaper({
    store,
    isAlive: processExists,
    gonePanes: gonePanesHere({ env, platform: process.platform, now }),
    programChannels: () => config.current().policy.programChannels,
    now,
    log,
    onEnded: options.onSessionEnded,
  });
  const maintenance = createMaintenance({
    upkeep: store.upkeep,
    history: () => config.current().history,
    quarantine: paths.quarantine,
    database: paths.database,
    sessionReaper,
    log,
    now,
    isOwner: options.isOwner,
  });
  const heartbeat = createHeartbeat({
    config: config.current(),
    readSecret: options.readSecret,
    outbound: options.outbound,
    now,
    log,
  });
  return {
    async beat() {
      await maintenance.beat();
      return diskRoom.look();
    },
    start() {
      heartbeat.start();
    },
    historyGrew() {
      maintenance.grew();
      sessionReaper.noteEvents();
    },
    diskIsFull: () => diskRoom.giveUp(),
    reconfigure: (next) => heartbeat.reconfigure(next),
    heartbeat: () => heartbeat.state(),
    async stop() {
      maintenance.stop();
      sessionReaper.stop();
      await Promise.all([diskRoom.stop(), heartbeat.stop()]);
    },
  };
}

function isOnOneDisk({ state, spool }: Pick<Paths, 'state' | 'spool'>): boolean {
  const [one, other] = [state, spool].map((path) => statSync(path, { throwIfNoEntry: false })?.dev);
  return one === other;
}
