import type { ClaimedDelivery, Store } from '../core/store.ts';
import type { RecordAttempt } from './recorder.ts';
import { claimOf } from './recorder.ts';

/** Dead letters made in one go. */
const BATCH = 50;
const LEASE_MS = 60_000;

/**
 * Makes dead letters of due deliveries nobody will send.
 *
 * @param reasonFor why a delivery is given up, or null for one that goes on waiting
 * @returns how many deliveries were looked at
 */
export async function bury({
  store,
  record,
  channel,
  now,
  reasonFor,
}: {
  readonly store: Pick<Store, 'claim' | 'release'>;
  readonly record: RecordAttempt;
  readonly channel: string;
  readonly now: number;
  readonly reasonFor: (claimed: ClaimedDelivery) => string | null;
}): Promise<number> {
  const claims = await store.claim({ channel, now, leaseMs: LEASE_MS, limit: BATCH });
  for (const claimed of claims) {
    const { delivery, fence } = claimed;
    const reason = reasonFor(claimed);
    if (reason === null) {
      await store.release(delivery.id, fence);
      continue;
    }
    await record(claimOf(claimed), {
      state: 'dead',
      reason,
      attempt: { startedAt: now, durationMs: 0, outcome: 'failed', reason },
    });
  }
  return claims.length;
}
