import { setFlagsFromString } from 'node:v8';

import type { Paths } from '../core/paths.ts';
import { pause, systemClock, systemTimer, within } from '../platform/time.ts';
import type { DaemonOrigin } from './announce.ts';
import { compose } from './compose.ts';
import { createLifecycle } from '../platform/lifecycle.ts';
import { openLog } from './daemon-log.ts';
import type { DaemonOptions } from './parts/base-parts.ts';
import { openStation, type Station } from './station.ts';

/** Sends in flight get this long to finish before they are aborted, ms. */
const GRACE_MS = 5_000;
/** A start that a stop interrupts gets this long; it has nothing in flight, ms. */
const STARTING_GRACE_MS = 1_500;

/**
 * Delays before each restart, ms: the program that deletes its files may still be running. After the last one the
 * daemon exits, because a start does not repair the cause. A daemon that served for a while begins at the first delay
 * again.
 */
const WAITS_MS = [0, 100, 500, 2_000, 5_000, 10_000, 30_000];
const SERVED_MS = 60_000;

export interface RunDaemonOptions extends DaemonOrigin {
  readonly foreground: boolean;
  readonly version: string;
}

/**
 * Runs the daemon until it is stopped: SIGTERM and SIGINT stop it gracefully, a second one immediately; SIGHUP reloads
 * the configuration. It restarts within this process, because no other process may be there to do it.
 *
 * @returns the exit code; null if another daemon already serves this state directory
 */
export async function runDaemon(paths: Paths, options: RunDaemonOptions): Promise<number | null> {
  const stopRequest = new AbortController();
  // Who asked for it by the control socket gets an answer first.
  const requestStop = (): void => void setImmediate(() => stopRequest.abort());
  let daemon: Awaited<ReturnType<typeof startDaemon>> | null = null;
  let station: Station | null = null;
  let signals = 0;
  const onSignal = (): void => {
    signals += 1;
    // The person signalled twice: hanging work is left to the recovery at the next start.
    if (signals > 1) process.exit(1);
    requestStop();
  };
  // Windows: the console was closed, and with it the process ends 10 s later.
  const onHangUp = process.platform === 'win32' ? onSignal : (): void => void daemon?.reload();
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal).on('SIGHUP', onHangUp);
  try {
    let restartedBecause: string | null = null;
    let isFirst = true;
    let waits = WAITS_MS.values();
    for (;;) {
      const startedAt = performance.now();
      const restart = new AbortController();
      let reason: string | null = null;
      let trouble: unknown = null;
      try {
        station ??= await openStation(paths, { ...options, requestStop });
        if (station === null) return null;
        const starting = startDaemon({
          log: station.log,
          paths,
          env: process.env,
          ...options,
          requestStop,
          requestRestart(why) {
            reason = why;
            restart.abort();
          },
          requestNewStart: () => restart.abort(),
          serve: (routes) => station?.serve(routes),
          restartedBecause,
        });
        await Promise.race([starting, firstOf(stopRequest.signal)]);
        if (stopRequest.signal.aborted) {
          const late = await within(starting, STARTING_GRACE_MS);
          await late?.stop({ graceMs: GRACE_MS });
          return 0;
        }
        daemon = await starting;
        // V8 would rather grow than clean up: a backlog of 50,000 events took 210 MB, of which 60 MB were garbage. The flag
        // only changes when the heap may grow, which V8 asks anew each time; a backlog takes as long as before. Not earlier:
        // the start would spend a tenth of its time on cleaning up. A hub with 300 events per second would spend half of
        // its time on it, so its heap may grow by half.
        if (daemon.isHub) setFlagsFromString('--opt');
        setFlagsFromString(daemon.isHub ? '--heap-growing-percent=50' : '--optimize-for-size');
        await firstOf(stopRequest.signal, restart.signal);
        await daemon.stop({ graceMs: GRACE_MS });
        if (stopRequest.signal.aborted) return 0;
        restartedBecause = reason;
        isFirst = false;
        // Without its files, this process is no longer known, and its lock keeps no other out.
        if (reason !== null) {
          await station.close();
          station = null;
        } else station.starting(null);
      } catch (error) {
        // At the first start a person reads the error; a later one may have met the same deletion again.
        if (isFirst) throw error;
        trouble = error;
        if (station?.isThere() === false) {
          await station.close();
          station = null;
        }
        logTrouble(error, station, { ...options, paths });
      }
      if (performance.now() - startedAt > SERVED_MS) waits = WAITS_MS.values();
      const { value: waitMs } = waits.next();
      if (waitMs === undefined) {
        if (trouble !== null) throw trouble;
        return 1;
      }
      await pause(waitMs, systemTimer, stopRequest.signal);
      if (stopRequest.signal.aborted) return 0;
    }
  } finally {
    // The signals stay ours until the process is gone: one that comes now does not make a failure of the end.
    daemon = null;
    await station?.close();
  }
}

/** Without a station, the log of the failed start is closed by now, and may have been deleted with its directory. */
function logTrouble(
  error: unknown,
  station: Station | null,
  { foreground, paths }: { readonly foreground: boolean; readonly paths: Paths },
): void {
  try {
    const log = station?.log ?? openLog({ path: paths.log, echo: foreground });
    log.error({ err: error }, 'Cannot restart yet');
    if (station === null) log.close();
    else station.starting(error instanceof Error ? error.message : String(error));
  } catch {
    // The next attempt makes the directory anew.
  }
}

/** Settles when one of the signals fires. */
function firstOf(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    }
  });
}

/**
 * Starts everything.
 *
 * @throws ConfigError, and StoreError when its database cannot be used
 */
async function startDaemon(options: Omit<DaemonOptions, 'startedAt' | 'lifecycle'>) {
  const { log, version } = options;
  const startedAt = systemClock();
  const lifecycle = createLifecycle(log);
  try {
    const config = await compose({ ...options, startedAt, lifecycle });
    log.info({ version, ms: systemClock() - startedAt }, 'Ready');
    return {
      isHub: config.current().hub !== null,
      reload: () => config.reload(),
      /** Stops taking in events, lets sends in flight finish, and releases everything; within about `graceMs`. */
      stop: (grace: { readonly graceMs: number }) => lifecycle.stop(grace),
    };
  } catch (error) {
    await lifecycle.stop({ graceMs: 1_000 });
    throw error;
  }
}
