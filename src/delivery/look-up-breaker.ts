import { futureTime } from '../platform/retry.ts';
import type { Log } from '../platform/log.ts';
import type { ServiceAnswer } from '../core/looked-up.ts';

const FAILURES_TO_PAUSE = 3;
const PAUSE_MS = 60_000;
/** Pause after a service refuses to answer, for example because the organization lacks the sessions feature. */
const REFUSED_MS = 3_600_000;
const LONGEST_MS = 3_600_000;

export interface LookUpState {
  /** `paused`: nothing is asked until `until`, Unix ms, because of `reason`. */
  readonly state: 'ok' | 'paused';
  readonly until: number | null;
  /** The last error; null while requests succeed. */
  readonly reason: string | null;
}

/**
 * Circuit breaker that stops look-ups while the service does not answer.
 *
 * - unknown: at first, after a failure and after a pause, one request at a time passes, and its answer decides
 * - well: everything passes; three failures in a row, a refusal or a requested wait pause it
 * - paused: nothing passes for a minute, an hour, or as long as the service requested
 */
export function createLookUpBreaker(now: () => number, log: Log) {
  let failures = 0;
  let until = 0;
  let isWell = false;
  let pauses = 0;
  let reason: string | null = null;

  const isPaused = (): boolean => futureTime(until, LONGEST_MS, now()) > now();

  function pause(ms: number): void {
    until = now() + Math.min(LONGEST_MS, ms);
    pauses += 1;
    log.warn({ reason, until }, 'Session look-ups are paused');
  }

  return {
    mayAsk: () => !isPaused(),
    /** The last request succeeded, so several may run in parallel. */
    isWell: () => isWell,
    /** Three consecutive failures: until a request succeeds, other notifications go without. */
    isTrying: () => failures >= FAILURES_TO_PAUSE,
    /** Number of pauses so far, which a request remembers from its start. */
    pauses: () => pauses,
    reset(): void {
      isWell = true;
      failures = 0;
      until = 0;
      reason = null;
    },
    /** @param begunWith `pauses()` when the request started */
    learn(answer: ServiceAnswer<unknown>, begunWith: number): void {
      // A request in flight when a pause began, such as a late timeout, neither ends the pause nor changes its reason.
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
      const pauseMs = Math.max(wantedMs, failures >= FAILURES_TO_PAUSE ? PAUSE_MS : 0);
      if (pauseMs > 0) pause(pauseMs);
    },
    state: (): LookUpState =>
      isPaused() ? { state: 'paused', until, reason } : { state: 'ok', until: null, reason },
  };
}
