const FAILURES_TO_OPEN = 5;
const OPEN_MS = 60_000;

/**
 * Keeps background work from hammering a service that is down.
 *
 * - closed: everything passes; five failures in a row open it
 * - open: nothing passes for a minute
 * - half open: after that, calls pass; the first success closes it, a failure opens it again
 */
export interface Breaker {
  /** ms until a call may pass; 0 when it may now. */
  readonly waitMs: () => number;
  readonly succeeded: () => void;
  readonly failed: () => void;
}

export function createBreaker(now: () => number): Breaker {
  let failures = 0;
  let openUntil = 0;
  return {
    waitMs: () => Math.max(0, openUntil - now()),
    succeeded: () => {
      failures = 0;
      openUntil = 0;
    },
    failed: () => {
      failures += 1;
      if (failures >= FAILURES_TO_OPEN) openUntil = now() + OPEN_MS;
    },
  };
}
