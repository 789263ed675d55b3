import { lstatSync } from 'node:fs';

import { type ControlRoutes, listenForControl } from '../control/control-server.ts';
import type { Paths } from '../core/paths.ts';
import { createLifecycle } from '../platform/lifecycle.ts';
import { ensurePrivateDirectory } from '../platform/private-directory.ts';
import { systemClock } from '../platform/time.ts';
import { ageText } from '../text/duration.ts';
import { type FileLog, openLog } from './daemon-log.ts';
import { lockFile, removePidFile, takeLock, writePidFile } from './lock.ts';

/**
 * What a daemon holds from its first moment to its last, over restarts within the process: the lock, `daemon.pid`, the log
 * and the control socket. So there is no daemon that `status` and `stop` do not know.
 */
export interface Station {
  readonly log: FileLog;
  /** Serves requests with the routes of a daemon that is ready; null: it is starting, or ending. */
  serve(routes: ControlRoutes | null): void;
  /** Says that a start is under way, and why the last one failed. */
  starting(trouble: string | null): void;
  /** Whether others still find it: its state directory may have been deleted or replaced. */
  isThere(): boolean;
  close(): Promise<void>;
}

const GRACE_MS = 1_000;

/**
 * Takes the lock of the state directory, and makes this process known.
 *
 * @returns null when another daemon serves this state directory
 * @throws ConfigError when its directories cannot be trusted
 */
export async function openStation(
  paths: Paths,
  { foreground, requestStop }: { readonly foreground: boolean; readonly requestStop: () => void },
): Promise<Station | null> {
  for (const directory of [paths.state, paths.spool, paths.quarantine, paths.runtime]) {
    await ensurePrivateDirectory(directory);
  }
  const lock = await takeLock(lockFile(paths));
  if (lock === null) return null;
  const isOwnLock = sameFile(lockFile(paths));
  const log = openLog({ path: paths.log, echo: foreground });
  const lifecycle = createLifecycle(log);
  lifecycle.onStop('log', () => log.close());
  lifecycle.onStop('lock', () => lock.release());
  let since = systemClock();
  let why: string | null = null;
  let isReady = false;
  const early: Partial<ControlRoutes> = {
    'POST /v1/stop': () => {
      requestStop();
      return Promise.resolve({ pid: process.pid });
    },
  };
  function whyNot(): string | null {
    if (isReady) return null;
    const trouble = why === null ? '' : `: ${why}`;
    return `it is starting or ending (pid ${process.pid}, for ${ageText(systemClock() - since)})${trouble}`;
  }
  try {
    // A hook that finds a process with this working directory needs to read no more to recognize the daemon.
    process.chdir(paths.state);
    writePidFile(paths.pidFile, 'starting');
    lifecycle.onStop('pid file', () => removePidFile(paths.pidFile));
    const control = await listenForControl({ ...paths, log, routes: early, whyNot });
    lifecycle.onStop('control', () => control.close());
    return {
      log,
      serve(routes) {
        isReady = routes !== null;
        since = systemClock();
        control.serve(routes ?? early);
      },
      starting(trouble) {
        why = trouble;
        writePidFile(paths.pidFile, 'starting');
      },
      isThere: isOwnLock,
      close: () => lifecycle.stop({ graceMs: GRACE_MS }),
    };
  } catch (error) {
    await lifecycle.stop({ graceMs: GRACE_MS });
    throw error;
  }
}

/** Returns whether a path still names the file that it names now. */
function sameFile(path: string): () => boolean {
  const inode = (): bigint | undefined =>
    lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  const before = inode();
  return () => inode() === before;
}
