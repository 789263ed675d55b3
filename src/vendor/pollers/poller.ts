import {
  AuthError,
  CircuitOpenError,
  ForbiddenError,
  InsecureAddressError,
  MissingAddressError,
  MissingKeyError,
  RateLimitError,
  ServerError,
} from '../client/index.ts';
import { nextInterval, type PollInterval } from '../../core/vendor-policy.ts';
import type { SourceJob, SourceParts } from './source.ts';

/** A key that was refused, or is missing, is tried again after so long: it may have been replaced where it is kept. */
const REFUSED_MS = 6 * 3_600_000;
/** Pause after a 429 that names none. */
const RATE_LIMITED_MS = 900_000;

interface ServiceTrouble {
  /** A sentence for people. */
  readonly reason: string;
  /** How long nobody is to be asked; null: as the asker thinks fit. */
  readonly retryAfterMs: number | null;
  /** True where it will not pass by itself. */
  readonly isLasting: boolean;
}

/** What a source does about an error of the client. */
function serviceTrouble(error: unknown): ServiceTrouble {
  const reason = error instanceof Error ? error.message : 'It failed without a reason';
  if (error instanceof RateLimitError) {
    return { reason, retryAfterMs: error.retryAfterMs ?? RATE_LIMITED_MS, isLasting: false };
  }
  if (error instanceof ServerError || error instanceof CircuitOpenError) {
    return { reason, retryAfterMs: error.retryAfterMs, isLasting: false };
  }
  const isRefused =
    error instanceof AuthError ||
    error instanceof ForbiddenError ||
    error instanceof MissingKeyError ||
    error instanceof MissingAddressError ||
    error instanceof InsecureAddressError;
  return { reason, retryAfterMs: isRefused ? REFUSED_MS : null, isLasting: isRefused };
}

export type TurnsOptions = Pick<
  SourceParts,
  'name' | 'now' | 'random' | 'log' | 'onTrouble' | 'signal'
>;

/** When a source may ask, and what becomes of its trouble. */
interface BackoffGate {
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

/**
 * One look at the service, in the background lane. What goes wrong with it is thrown as the client throws it.
 *
 * - `moving`: something changed, or will soon: the next look comes after the shortest interval
 * - `still`: nothing did: the intervals grow
 */
export type Look = () => Promise<'moving' | 'still'>;

export interface PollerOptions extends TurnsOptions {
  readonly pace: PollInterval;
  readonly look: Look;
}

/** Trouble is waited for at most so long, or as long as the slowest interval. */
const LONGEST_RETRY_MS = 900_000;

/**
 * Looks at the service again and again: often while something goes on, seldom while nothing does. After trouble it looks
 * later and later, and never earlier than the service asks it to.
 */
export function createPoller({ pace, look, ...options }: PollerOptions): SourceJob {
  const { everyMs, atMostMs } = pace;
  const turns = createTurns(options, {
    firstMs: everyMs,
    mostMs: Math.max(atMostMs, LONGEST_RETRY_MS),
  });
  let intervalMs = everyMs;
  return {
    nextAt: () => turns.nextAt(),
    run: () =>
      turns.take(async () => {
        intervalMs = nextInterval(pace, intervalMs, await look());
        return intervalMs;
      }),
  };
}
