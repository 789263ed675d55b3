import { backoffMs } from '../core/backoff.ts';
import type { Log } from '../core/log.ts';
import type { Settlement, Store } from '../core/store.ts';
import type { StartTimer } from './timer.ts';
import { pause } from './timer.ts';

const LONGEST_WAIT_MS = 30_000;

/** A claim whose fence moves on when its lease runs out and the store hands the same delivery out again. */
export interface Claim {
  readonly deliveryId: string;
  fence: number;
}

/** Writes down how an attempt ended; answers whether that is in the store. */
export type RecordAttempt = (
  claim: Claim,
  settlement: Omit<Settlement, 'deliveryId' | 'fence'>,
) => Promise<boolean>;

/**
 * Keeps at it until the store takes the record: what was sent must not be sent again because the disk was full.
 *
 * @param over fires when the daemon cannot wait any longer
 */
export function createRecorder({
  store,
  startTimer,
  random,
  log,
  over,
}: {
  readonly store: Pick<Store, 'settle'>;
  readonly startTimer: StartTimer;
  readonly random: () => number;
  readonly log: Log;
  readonly over: AbortSignal;
}): RecordAttempt {
  return async (claim, settlement) => {
    const { deliveryId } = claim;
    for (let tries = 1; ; tries += 1) {
      const { fence } = claim;
      try {
        if (await store.settle({ ...settlement, deliveryId, fence })) return true;
        if (fence === claim.fence) {
          log.warn({ deliveryId, state: settlement.state }, 'A delivery was taken back meanwhile');
          return false;
        }
      } catch (error) {
        if (over.aborted) {
          log.error(
            { deliveryId, state: settlement.state, err: error },
            'Lost the record of a delivery',
          );
          return false;
        }
        log.warn({ deliveryId, tries, err: error }, 'Cannot record a delivery yet');
        await pause(backoffMs(tries, random(), { capMs: LONGEST_WAIT_MS }), startTimer, over);
      }
    }
  };
}
