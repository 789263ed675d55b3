import { serviceTrouble } from './service-trouble.ts';
import type { SourceParts } from './source.ts';

export type TurnsOptions = Pick<
  SourceParts,
  'name' | 'now' | 'random' | 'log' | 'onTrouble' | 'signal'
>;

/** When a source may ask, and what becomes of its trouble. */
export interface BackoffGate {
  /** True where nothing is under way, and the last wait is over. */
  mayTake(): boolean;
  /**
   * Does some work if it may. What the work throws is trouble: it is waited for longer and longer, a wait the service names
   * is never shortened, and what lasts is told of. Never rejects.
   *
   * @param work answers how long to wait after it, ms
   */
  take(work: () => Promise<number>): Promise<void>;
  /** When the wait is over, Unix ms. */
  nextAt(): number;
}

/** So many failures in a row, over such a time, are told of: less is over before anybody could do anything. */
const PATIENCE = 3;
const PATIENCE_MS = 600_000;

/** @param retry the wait after the first failure, which doubles with each one, and the longest of these waits */
export function createTurns(
  { name, now, random, log, onTrouble, signal }: TurnsOptions,
  retry: { readonly firstMs: number; readonly mostMs: number },
): BackoffGate {
  let isRunning = false;
  let waitFrom = 0;
  let waitUntil = 0;
  let failures = 0;
  let failingSince = 0;

  /** A little longer, so that many machines do not ask at one moment. */
  function wait(ms: number): void {
    waitFrom = now();
    waitUntil = waitFrom + ms * (1 + 0.1 * random());
  }

  // A clock that was set back must not stretch a wait.
  const isOver = (): boolean => now() >= waitUntil || now() < waitFrom;
  const mayTake = (): boolean => !isRunning && isOver();

  function fail(error: unknown): void {
    const { reason, retryAfterMs, isLasting } = serviceTrouble(error);
    if (failures === 0) failingSince = now();
    failures += 1;
    const patienceMs = Math.min(retry.mostMs, retry.firstMs * 2 ** (failures - 1));
    wait(Math.max(retryAfterMs ?? 0, patienceMs));
    log.warn({ source: name, err: error }, 'A source has trouble and tries again');
    const lasts = failures >= PATIENCE && now() - failingSince >= PATIENCE_MS;
    if (isLasting || lasts) onTrouble(reason);
  }

  return {
    mayTake,
    nextAt: () => (isOver() ? now() : waitUntil),
    async take(work) {
      if (!mayTake()) return;
      isRunning = true;
      try {
        wait(await work());
        failures = 0;
        onTrouble(null);
      } catch (error) {
        // What ends because the daemon does is no trouble.
        if (!signal.aborted) fail(error);
      } finally {
        isRunning = false;
      }
    },
  };
}
