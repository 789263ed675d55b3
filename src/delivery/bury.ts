import type { ClaimedDelivery, Store } from '../core/store.ts';
import type { RecordAttempt } from './recorder.ts';
import { claimOf } from './recorder.ts';

/** Dead letters made in one go. */
const BATCH = 50;
const LEASE_MS = 60_000;

export interface BurialDependencies {
  readonly store: Pick<Store, 'claim'>;
  readonly record: RecordAttempt;
  readonly now: () => number;
}

/** Makes a dead letter of a delivery without asking its channel. */
export async function bury(
  claimed: ClaimedDelivery,
  reason: string,
  { record, now }: Pick<BurialDependencies, 'record' | 'now'>,
): Promise<void> {
  const attempt = { startedAt: now(), durationMs: 0, outcome: 'failed', reason } as const;
  await record(claimOf(claimed), { state: 'dead', reason, attempt });
}

/**
 * Makes dead letters of the deliveries of a channel that have been due for `dueForMs`; answers how many, at most as many
 * as go in one go.
 */
export async function buryDue(
  channel: string,
  { dueForMs, reason }: { readonly dueForMs: number; readonly reason: string },
  dependencies: BurialDependencies,
): Promise<number> {
  const claims = await dependencies.store.claim({
    channel,
    now: dependencies.now() - dueForMs,
    leaseMs: dueForMs + LEASE_MS,
    limit: BATCH,
  });
  for (const claimed of claims) await bury(claimed, reason, dependencies);
  return claims.length;
}
