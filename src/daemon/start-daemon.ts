import { systemClock } from '../core/clock.ts';
import type { DaemonOptions } from './daemon.ts';
import { startParts } from './daemon.ts';
import { ensurePrivateDirectory } from './directories.ts';
import { createLifecycle } from './lifecycle.ts';
import { lockFile, takeLock } from './lock.ts';
import { openLog } from './log.ts';

export interface Daemon {
  reload(): Promise<void>;
  /** Takes in nothing more, lets sends in flight end, and lets go of everything; within about `graceMs`. */
  stop(options: { readonly graceMs: number }): Promise<void>;
}

/**
 * Takes the lock of the state directory, and starts everything.
 *
 * @returns null when another daemon serves this state directory
 * @throws ConfigError when its directories cannot be trusted, StoreError when its database cannot be used
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon | null> {
  const { paths } = options;
  const now = systemClock;
  const startedAt = now();
  for (const directory of [paths.state, paths.spool, paths.quarantine, paths.runtime]) {
    await ensurePrivateDirectory(directory);
  }
  const lock = await takeLock(lockFile(paths));
  if (lock === null) return null;

  const log = openLog({ path: paths.log, echo: options.foreground });
  const lifecycle = createLifecycle(log);
  lifecycle.onStop('log', () => log.close());
  lifecycle.onStop('lock', () => lock.release());
  try {
    const { config } = await startParts(options, { startedAt, log, lifecycle });
    log.info({ version: options.version, ms: now() - startedAt }, 'Ready');
    return {
      reload: async () => void (await config.reload()),
      stop: (grace) => lifecycle.stop(grace),
    };
  } catch (error) {
    await lifecycle.stop({ graceMs: 1_000 });
    throw error;
  }
}
