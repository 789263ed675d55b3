import type { ChannelState } from '../core/delivery.ts';
import type { Outcome } from '../core/outcome.ts';
import { clampRetryAfter, MAX_RETRY_AFTER_MS } from '../core/retry-after.ts';
import { futureTime } from './future-time.ts';
import { tidyReason } from './reason.ts';

/** So many failed attempts in a row open the circuit. */
const FAILURES_TO_OPEN = 5;
const FIRST_OPEN_MS = 30_000;
const LONGEST_OPEN_MS = 900_000;

/** A channel that has not sent anything yet. */
export function freshState(channel: string): ChannelState {
  return {
    channel,
    notBefore: 0,
    circuit: 'closed',
    openUntil: null,
    failures: 0,
    lastOutcome: null,
    lastReason: null,
    lastAt: null,
    missingMs: 0,
  };
}

/** What an attempt says about the channel as a whole. */
export function stateAfter(before: ChannelState, outcome: Outcome, now: number): ChannelState {
  const told = { ...before, lastOutcome: outcome.type, lastReason: reasonOf(outcome), lastAt: now };
  if (outcome.type === 'delivered') {
    return { ...told, circuit: 'closed', openUntil: null, failures: 0 };
  }
  if (outcome.type === 'failed' && outcome.channelBroken === true) {
    return { ...told, circuit: 'open', openUntil: null, failures: before.failures + 1 };
  }
  const waitMs = requestedWait(outcome);
  const notBefore = waitMs === null ? before.notBefore : Math.max(before.notBefore, now + waitMs);
  // Attempts that were under way when the channel was stopped say nothing new: they do not stop it for longer.
  const isStopped = before.circuit === 'open' || (waitMs !== null && now < before.notBefore);
  if (isStopped) return { ...told, notBefore };
  return withFailure({ ...told, notBefore }, now);
}

function withFailure(state: ChannelState, now: number): ChannelState {
  const failures = state.failures + 1;
  if (state.circuit === 'closed' && failures < FAILURES_TO_OPEN) return { ...state, failures };
  const doublings = Math.max(0, failures - FAILURES_TO_OPEN);
  const openMs = Math.min(LONGEST_OPEN_MS, FIRST_OPEN_MS * 2 ** Math.min(doublings, 10));
  return { ...state, failures, circuit: 'open', openUntil: now + openMs };
}

/** The wait the far side asked for, in sane bounds, ms; null where it did not ask. */
export function requestedWait(outcome: Outcome): number | null {
  if (outcome.type !== 'retry' || outcome.afterMs === undefined) return null;
  return Number.isNaN(outcome.afterMs) ? null : clampRetryAfter(outcome.afterMs);
}

/** The next delivery is a probe, whose outcome closes the circuit or opens it again. */
export function halfOpen(state: ChannelState): ChannelState {
  return state.circuit === 'open' ? { ...state, circuit: 'half-open', openUntil: null } : state;
}

/** When the channel as a whole may send again, Unix ms; Infinity while the circuit is open for ever. */
export function opensAt(state: ChannelState, now: number): number {
  const resumesAt = futureTime(state.notBefore, MAX_RETRY_AFTER_MS, now);
  if (state.circuit !== 'open') return resumesAt;
  if (state.openUntil === null) return Number.POSITIVE_INFINITY;
  return Math.max(resumesAt, futureTime(state.openUntil, LONGEST_OPEN_MS, now));
}

function reasonOf(outcome: Outcome): string | null {
  if (outcome.type !== 'delivered') return tidyReason(outcome.reason);
  return outcome.note === undefined ? null : tidyReason(outcome.note);
}
