import { clampRetryAfter, futureTime, MAX_RETRY_AFTER_MS } from '../platform/retry.ts';
import type { ChannelState } from '../core/delivery.ts';
import type { Log } from '../platform/log.ts';
import type { Outcome } from '../core/outcome.ts';
import { redactText } from '../text/redact.ts';
import { cutText, displayLine } from '../text/sanitize.ts';
import type { Outbox } from '../core/outbox.ts';

const MAX_LENGTH = 300;

/** A reason that may be stored, logged and shown: one line of at most 300 characters, with secrets redacted. */
export function tidyReason(text: string): string {
  return cutText(redactText(displayLine(text)), MAX_LENGTH);
}

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

function stateAfter(before: ChannelState, outcome: Outcome, now: number): ChannelState {
  const next = { ...before, lastOutcome: outcome.type, lastReason: reasonOf(outcome), lastAt: now };
  if (outcome.type === 'delivered') {
    return { ...next, circuit: 'closed', openUntil: null, failures: 0 };
  }
  if (outcome.type === 'failed' && outcome.channelBroken === true) {
    return { ...next, circuit: 'open', openUntil: null, failures: before.failures + 1 };
  }
  if (outcome.type === 'retry' && outcome.hidden !== undefined) return next;
  const waitMs = requestedWait(outcome);
  // After the clock was set back, an earlier wait may be further ahead than any is: it is over, and must not hide this one.
  const pausedUntil = futureTime(before.notBefore, MAX_RETRY_AFTER_MS, now);
  const notBefore = waitMs === null ? before.notBefore : Math.max(pausedUntil, now + waitMs);
  // Attempts already in flight when the channel was stopped do not stop it for longer.
  const isStopped = before.circuit === 'open' || (waitMs !== null && now < pausedUntil);
  if (isStopped) return { ...next, notBefore };
  return withFailure({ ...next, notBefore }, now);
}

function withFailure(state: ChannelState, now: number): ChannelState {
  const failures = state.failures + 1;
  if (state.circuit === 'closed' && failures < FAILURES_TO_OPEN) return { ...state, failures };
  const doublings = Math.max(0, failures - FAILURES_TO_OPEN);
  const openMs = Math.min(LONGEST_OPEN_MS, FIRST_OPEN_MS * 2 ** Math.min(doublings, 10));
  return { ...state, failures, circuit: 'open', openUntil: now + openMs };
}

/** The wait the remote side requested, within bounds, ms; null without a request. */
export function requestedWait(outcome: Outcome): number | null {
  if (outcome.type !== 'retry' || outcome.afterMs === undefined) return null;
  return Number.isNaN(outcome.afterMs) ? null : clampRetryAfter(outcome.afterMs);
}

/** The next delivery is a probe, whose outcome closes the circuit or opens it again. */
export function halfOpen(state: ChannelState): ChannelState {
  return state.circuit === 'open' ? { ...state, circuit: 'half-open', openUntil: null } : state;
}

/** When the channel as a whole may send again, Unix ms; Infinity while the circuit is open without an end. */
function opensAt(state: ChannelState, now: number): number {
  const resumesAt = futureTime(state.notBefore, MAX_RETRY_AFTER_MS, now);
  if (state.circuit !== 'open') return resumesAt;
  if (state.openUntil === null) return Number.POSITIVE_INFINITY;
  return Math.max(resumesAt, futureTime(state.openUntil, LONGEST_OPEN_MS, now));
}

function reasonOf(outcome: Outcome): string | null {
  if (outcome.type !== 'delivered') return tidyReason(outcome.reason);
  return outcome.note === undefined ? null : tidyReason(outcome.note);
}

/** Called when a circuit opens, lets a probe through, or closes. */
export type OnCircuitChange = (after: ChannelState, before: ChannelState) => void;

export type ChannelHealth = ReturnType<typeof createChannelHealth>;

/** A channel worker's view of its channel as a whole; every outcome is also stored, so that a restart changes nothing. */
export function createChannelHealth(
  initial: ChannelState,
  {
    outbox,
    now,
    log,
    onChange,
  }: {
    readonly outbox: Pick<Outbox, 'saveChannelState'>;
    readonly now: () => number;
    readonly log: Log;
    readonly onChange: OnCircuitChange;
  },
) {
  let state = initial;
  let saving: { readonly state: ChannelState; readonly done: Promise<void> } | null = null;

  async function saveNow(): Promise<void> {
    try {
      await outbox.saveChannelState(state);
    } catch (error) {
      saving = null;
      log.warn({ channel: state.channel, err: error }, 'Cannot save the state of a channel');
    }
  }

  function change(after: ChannelState): void {
    const before = state;
    state = after;
    if (before.circuit === after.circuit) return;
    const { channel, circuit, openUntil, lastReason } = after;
    log.info({ channel, circuit, openUntil, reason: lastReason }, 'Circuit changed');
    try {
      onChange(after, before);
    } catch (error) {
      log.error({ channel, err: error }, 'Cannot report a circuit change');
    }
  }

  const isBroken = (): boolean => state.circuit === 'open' && state.openUntil === null;

  return {
    state: () => state,
    /** True while the circuit is open without an end. */
    isBroken,
    opensAt: () => opensAt(state, now()),
    /** Applies an outcome; `save` stores the state. */
    learn: (outcome: Outcome) => change(stateAfter(state, outcome, now())),
    /** An open circuit lets one delivery through as a probe. */
    probe: () => change(halfOpen(state)),
    /** Probes, unless the configuration must be repaired first. */
    probeUnlessBroken(): void {
      if (!isBroken()) change(halfOpen(state));
    },
    /** Adds time during which the channel was missing from the configuration and deliveries waited for it, ms. */
    addMissing: (ms: number) => change({ ...state, missingMs: state.missingMs + ms }),
    found: () => change({ ...state, missingMs: 0 }),
    /** Never rejects: the state in memory holds anyway. */
    save(): Promise<void> {
      // The outcomes of a batch leave one state.
      if (saving?.state !== state) saving = { state, done: saveNow() };
      return saving.done;
    },
  };
}
