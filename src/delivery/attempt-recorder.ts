import { backoffMs } from '../platform/retry.ts';
import type { Attempt } from '../core/delivery.ts';
import type { Log } from '../platform/log.ts';
import type { ClaimedDelivery, Outbox, EndedClaim } from '../core/outbox.ts';
import { type StartTimer, pause } from '../platform/time.ts';

const LONGEST_WAIT_MS = 30_000;

/** The fence changes when the lease expires and the store hands the same delivery out again. */
export interface Claim {
  readonly deliveryId: string;
  fence: number;
  number: number;
  /** True after the store rejected the record: its channel worker claims nothing until it is stored. */
  isStuck: boolean;
}

export function claimOf({ delivery, fence }: ClaimedDelivery): Claim {
  return { deliveryId: delivery.id, fence, number: delivery.attempts + 1, isStuck: false };
}

type Ended = Omit<EndedClaim, 'deliveryId' | 'fence' | 'attempt'> & {
  readonly attempt: Omit<Attempt, 'number'>;
};

/** Records how an attempt ended; false: nothing, because another claim has replaced this one. Never rejects. */
export type RecordAttempt = (claim: Claim, ended: Ended) => Promise<boolean>;

/** A sent message must not be sent again because the disk was full. @param over aborts when the daemon cannot wait any longer */
export function createRecorder({
  outbox,
  startTimer,
  random,
  log,
  over,
}: {
  readonly outbox: Pick<Outbox, 'recordAttempt'>;
  readonly startTimer: StartTimer;
  readonly random: () => number;
  readonly log: Log;
  readonly over: AbortSignal;
}): RecordAttempt {
  return async (claim, ended) => {
    const { deliveryId } = claim;
    const fields = { deliveryId, state: ended.state };
    for (let tries = 1; ; tries += 1) {
      const { fence, number } = claim;
      try {
        const attempt = { ...ended.attempt, number };
        if (await outbox.recordAttempt({ ...ended, deliveryId, fence, attempt })) return true;
        if (fence === claim.fence) return false;
      } catch (error) {
        claim.isStuck = true;
        if (over.aborted) {
          log.error({ ...fields, err: error }, 'Lost the record of a delivery');
          return true;
        }
        log.warn({ ...fields, tries, err: error }, 'Cannot record a delivery yet');
        await pause(backoffMs(tries, random(), { capMs: LONGEST_WAIT_MS }), startTimer, over);
      }
    }
  };
}

/**
 * Records an attempt, if its claim was replaced meanwhile under the new one. `jobs` learns it in the turn of the event loop in
 * which the record ends, so that no later claim is taken for one of this attempt.
 *
 * @param claiming the claim in progress, which may be the new one; null: there is none
 */
export function underRenewedClaim(
  { record, log }: { readonly record: RecordAttempt; readonly log: Log },
  claiming: () => Promise<void> | null,
  jobs: { over(claim: Claim): void },
): RecordAttempt {
  return async (claim, ended) => {
    const { fence, deliveryId } = claim;
    let isRecorded = await record(claim, ended);
    if (!isRecorded) {
      await claiming();
      if (claim.fence !== fence) isRecorded = await record(claim, ended);
    }
    const { state } = ended;
    if (!isRecorded) log.warn({ deliveryId, state }, 'The claim of a delivery was lost');
    jobs.over(claim);
    return isRecorded;
  };
}
