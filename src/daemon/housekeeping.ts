import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';

import { gonePanesHere } from '../attention/presence-sources.ts';
import type { Config } from '../config/config.ts';
import type { Paths } from '../core/paths.ts';
import { processExists } from '../platform/process-table.ts';
import { writeTrouble } from '../setup/write-trial.ts';
import { createDiskRoom } from './disk-room.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createMaintenance } from './maintenance.ts';
import type { Base } from './parts/base-parts.ts';
import { createSessionReaper } from './session-reaper.ts';

/** The daemon's periodic tasks, which run whether or not events come. */
export function createHousekeeping(base: Base) {
  const { store, config, paths, signals } = base;
  const diskRoom = createDiskRoom({
    ...base,
    directory: paths.state,
    onRoom: signals.hasRoom.emit,
    askRoom: (directory) => statfs(directory),
    // A file in the spool would wake everyone who watches it.
    tryWriting: () =>
      writeTrouble(paths.state) ?? (isOnOneDisk(paths) ? null : writeTrouble(paths.spool)),
  });
  const sessionReaper = createSessionReaper({
    ...base,
    isAlive: processExists,
    gonePanes: gonePanesHere(base),
    onEnded: signals.due.emit,
  });
  const maintenance = createMaintenance({
    ...base,
    upkeep: store.upkeep,
    history: () => config().history,
    quarantine: paths.quarantine,
    database: paths.database,
    sessionReaper,
  });
  const heartbeat = createHeartbeat({ ...base, config: config() });
  return {
    /** Checks the disk and, once a minute, everything else; returns whether the disk needs another check soon. */
    async beat() {
      await maintenance.beat();
      return diskRoom.look();
    },
    start: () => heartbeat.start(),
    /** Events were committed. */
    historyGrew() {
      maintenance.grew();
      sessionReaper.noteEvents();
    },
    /** The store found no room. */
    diskIsFull: () => diskRoom.giveUp(),
    reconfigure: (next: Config) => heartbeat.reconfigure(next),
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
