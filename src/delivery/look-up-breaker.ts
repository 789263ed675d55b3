import type { Log } from '../core/log.ts';
import type { ServiceAnswer } from '../core/looked-up.ts';
import { futureTime } from './future-time.ts';

const FAILURES_TO_PAUSE = 3;
const PAUSE_MS = 60_000;
/** A service that refuses to answer, as where the organization has no sessions feature, is left alone for so long. */
const REFUSED_MS = 3_600_000;
const LONGEST_MS = 3_600_000;

export interface LookUpState {
  /** `paused`: nothing is asked until `until`, Unix ms, because of `reason`. */
  readonly state: 'ok' | 'paused';
  readonly until: number | null;
  /** What went wrong last; null while all is well. */
  readonly reason: string | null;
}

/**
 * Keeps look-ups from a service that does not answer.
 *
 * - asking: everything passes; three failures in a row, a refusal or a wish of the service pause it
 * - paused: nothing passes for a minute, an hour, or as long as the service wished
 * - trying: after a pause because of failures one request at a time passes, and its answer decides
 */
export interface LookUpBreaker {
  mayAsk(): boolean;
  isTrying(): boolean;
  learn(answer: ServiceAnswer<unknown>): void;
  /** All is well again. */
  reset(): void;
  state(): LookUpState;
}

export function createLookUpBreaker({
  now,
  log,
}: {
  readonly now: () => number;
  readonly log: Log;
}): LookUpBreaker {
  let failures = 0;
  let until = 0;
  let reason: string | null = null;

  function isPaused(): boolean {
    return futureTime(until, LONGEST_MS, now()) > now();
  }

  function pause(ms: number): void {
    until = now() + Math.min(LONGEST_MS, ms);
    log.warn({ reason, until }, 'Sessions are not looked up for a while');
  }

  return {
    mayAsk: () => !isPaused(),
    isTrying: () => failures >= FAILURES_TO_PAUSE,
    reset() {
      failures = 0;
      until = 0;
      reason = null;
    },
    learn(answer) {
      if (answer.type === 'found' || answer.type === 'unknown') {
        failures = 0;
        // A request that was under way when the service refused another one does not end the pause.
        if (!isPaused()) reason = null;
        return;
      }
      reason = answer.reason;
      if (answer.type === 'refused') return pause(REFUSED_MS);
      failures += 1;
      const wishMs = answer.retryAfterMs ?? 0;
      const ownMs = failures >= FAILURES_TO_PAUSE ? PAUSE_MS : 0;
      if (Math.max(wishMs, ownMs) > 0) pause(Math.max(wishMs, ownMs));
    },
    state: () =>
      isPaused() ? { state: 'paused', until, reason } : { state: 'ok', until: null, reason },
  };
}
