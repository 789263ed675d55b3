import type { Paths } from '../core/paths.ts';
import { startDaemon } from './daemon.ts';

/** Sends in flight may take so long to end before they are aborted, ms. */
const GRACE_MS = 5_000;

/**
 * Runs the daemon until it is told to stop: SIGTERM and SIGINT end it in order, a second one at once; SIGHUP reads the
 * configuration again.
 *
 * @returns the exit code: 0 also when another daemon already serves this state directory
 */
export async function runDaemon(
  paths: Paths,
  { foreground, version }: { readonly foreground: boolean; readonly version: string },
): Promise<number> {
  const stopRequest = new AbortController();
  const requestStop = (): void => stopRequest.abort();
  const daemon = await startDaemon({ paths, env: process.env, version, foreground, requestStop });
  if (daemon === null) {
    if (foreground) process.stderr.write('hookbell: a daemon is already running\n');
    return foreground ? 1 : 0;
  }

  let signals = 0;
  const onSignal = (): void => {
    signals += 1;
    // The person asked twice: whatever still hangs is left to the recovery of the next start.
    if (signals > 1) process.exit(1);
    requestStop();
  };
  const onHangUp = (): void => void daemon.reload();
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal).on('SIGHUP', onHangUp);
  await requested(stopRequest.signal);
  await daemon.stop({ graceMs: GRACE_MS });
  process.off('SIGTERM', onSignal).off('SIGINT', onSignal).off('SIGHUP', onHangUp);
  return 0;
}

function requested(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
