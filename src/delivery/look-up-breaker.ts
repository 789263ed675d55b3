import type { Log } from '../platform/log.ts';
import type { ServiceAnswer } from '../core/looked-up.ts';
import { futureTime } from './channel-health.ts';

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
 * - unknown: at first, after a failure and after a pause one request at a time passes, and its answer decides
 * - well: everything passes; three failures in a row, a refusal or a wish of the service pause it
 * - paused: nothing passes for a minute, an hour, or as long as the service wished
 */
export interface LookUpBreaker {
  mayAsk(): boolean;
  /** The last answer was a good one, so that several requests may go out at once. */
  isWell(): boolean;
  /** Three failures in a row came before: until an answer comes, others do without. */
  isTrying(): boolean;
  /** Counts the pauses so far: a request takes the number along that it began with. */
  pauses(): number;
  /** @param begunWith `pauses()` when the request began */
  learn(answer: ServiceAnswer<unknown>, begunWith: number): void;
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
  let isWell = false;
  let pauses = 0;
  let reason: string | null = null;

  function isPaused(): boolean {
    return futureTime(until, LONGEST_MS, now()) > now();
  }

  function pause(ms: number): void {
    until = now() + Math.min(LONGEST_MS, ms);
    pauses += 1;
    log.warn({ reason, until }, 'Sessions are not looked up for a while');
  }

  return {
    mayAsk: () => !isPaused(),
    isWell: () => isWell,
    isTrying: () => failures >= FAILURES_TO_PAUSE,
    pauses: () => pauses,
    reset() {
      isWell = true;
      failures = 0;
      until = 0;
      reason = null;
    },
    learn(answer, begunWith) {
      // What was under way when a pause began neither ends it nor says why it is there, such as a late time-out.
      const isLate = isPaused() && begunWith !== pauses;
      if (answer.type === 'found' || answer.type === 'unknown') {
        if (isLate) return;
        failures = 0;
        isWell = true;
        if (!isPaused()) reason = null;
        return;
      }
      isWell = false;
      const wantedMs = answer.type === 'refused' ? REFUSED_MS : (answer.retryAfterMs ?? 0);
      if (isLate && now() + wantedMs <= until) return;
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
