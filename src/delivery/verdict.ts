import { backoffMs } from '../platform/retry.ts';
import type { ChannelState } from '../core/delivery.ts';
import { durationText } from '../text/duration.ts';
import { purposeOf } from '../core/hand-made.ts';
import type { Failed, Outcome, Retry } from '../core/outcome.ts';
import type { ClaimedDelivery, EndedClaim } from '../core/outbox.ts';
import { requestedWait, tidyReason } from './channel-health.ts';

/** A channel that hides its messages reports when it does so no longer; it may fail to, ms. */
const LOOK_AGAIN_MS = 600_000;

/** The new state of a delivery after an attempt, without the record of the attempt. */
export type AttemptVerdict = Omit<EndedClaim, 'deliveryId' | 'fence' | 'attempt'>;

interface Circumstances {
  readonly claimed: ClaimedDelivery;
  readonly before: ChannelState;
  readonly after: ChannelState;
  readonly maxAttempts: number;
  readonly maxAgeMs: number;
  readonly now: number;
  readonly random: () => number;
}

/**
 * Decides the outcome of a delivery: sent, retried, or a dead letter.
 *
 * Only a failure caused by the delivery itself counts against `maxAttempts`: one while the channel worked, that is,
 * right after another delivery was sent. Neither a requested pause nor a failure in a series counts, not even the one
 * that opens the circuit: otherwise an outage would kill the first deliveries it hits. Those are given up by age.
 */
export function verdictOn(outcome: Outcome, circumstances: Circumstances): AttemptVerdict {
  switch (outcome.type) {
    case 'delivered':
      return {
        state: 'sent',
        reason: outcome.note === undefined ? null : tidyReason(outcome.note),
        ...(outcome.ref !== undefined && { ref: outcome.ref }),
      };
    case 'failed':
      return outcome.channelBroken === true
        ? again(outcome, circumstances)
        : { state: 'dead', reason: tidyReason(outcome.reason) };
    case 'retry':
      return outcome.hidden === undefined || isTriedOnce(circumstances.claimed)
        ? { ...again(outcome, circumstances), ...keptOf(outcome) }
        : {
            state: 'pending',
            hidden: outcome.hidden,
            dueAt: circumstances.now + LOOK_AGAIN_MS,
            reason: tidyReason(outcome.reason),
          };
  }
}

function isTriedOnce({ event }: ClaimedDelivery): boolean {
  return event.kind === 'test' || purposeOf(event.sessionId) === 'trial';
}

function again(outcome: Retry | Failed, circumstances: Circumstances): AttemptVerdict {
  const { claimed, before, maxAttempts, maxAgeMs } = circumstances;
  if (isTriedOnce(claimed)) {
    const what = claimed.event.kind === 'test' ? 'a test' : 'a trial';
    const reason = `${tidyReason(outcome.reason)} (${what} is attempted once)`;
    return { state: 'cancelled', reason };
  }
  const number = claimed.delivery.attempts + 1;
  const counts =
    outcome.type === 'retry' && requestedWait(outcome) === null && hasJustWorked(before);
  if (counts && claimed.delivery.failures + 1 >= maxAttempts) {
    return { ...givenUp(`after ${number} attempts`, outcome.reason), counts };
  }
  if (!counts && claimed.delivery.waitedMs >= maxAgeMs) {
    return givenUp(`after ${durationText(maxAgeMs)}`, outcome.reason);
  }
  return {
    state: 'retrying',
    counts,
    dueAt: dueAgainAt(outcome, number, circumstances),
    reason: tidyReason(outcome.reason),
  };
}

/** True if another delivery was sent since the last failure: then the channel is not the cause. */
function hasJustWorked({ circuit, failures, lastOutcome }: ChannelState): boolean {
  return circuit === 'closed' && failures === 0 && lastOutcome === 'delivered';
}

function dueAgainAt(
  outcome: Retry | Failed,
  number: number,
  { claimed, after, now, random }: Circumstances,
): number {
  // If the channel as a whole has to wait, the delivery keeps its place at the head of the queue.
  const isHeldByChannel = outcome.type === 'failed' || requestedWait(outcome) !== null;
  if (isHeldByChannel) return claimed.delivery.dueAt;
  // Not before the circuit lets a probe through: newer deliveries are due earlier, so that a delivery that causes the
  // failure is not the probe each time.
  return Math.max(now + backoffMs(number, random()), after.openUntil ?? 0);
}

/** An attempt interrupted by the end of the daemon does not count: the delivery keeps its place. */
export function verdictOnInterrupted(
  outcome: Retry,
  { delivery }: ClaimedDelivery,
): AttemptVerdict {
  return {
    state: 'retrying',
    dueAt: delivery.dueAt,
    reason: tidyReason(outcome.reason),
    ...keptOf(outcome),
  };
}

function keptOf({
  carry,
  possibleDuplicate,
}: Retry): Pick<AttemptVerdict, 'carry' | 'possibleDuplicate'> {
  return {
    ...(carry !== undefined && { carry }),
    ...(possibleDuplicate !== undefined && { possibleDuplicate }),
  };
}

function givenUp(when: string, reason: string): AttemptVerdict {
  return { state: 'dead', reason: tidyReason(`Gave up ${when}: ${reason}`) };
}
