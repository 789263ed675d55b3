import type { DeliveryState } from '../core/delivery.ts';
import type { ClaimedDelivery, Outbox } from '../core/outbox.ts';
import type { OnCircuitChange } from './channel-health.ts';
import { type Claim, claimOf } from './attempt-recorder.ts';
import type { ConfiguredChannel, DeliverDependencies, Prepare } from './deliver.ts';
import { createTokenBucket } from '../platform/retry.ts';
import type { ChannelLimits } from '../core/channel.ts';

/** No more deliveries are claimed while the messages in hand take this much memory, bytes. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * A delivery in hand, from its claim until its outcome is recorded.
 *
 * - `queued`: claimed ahead of its turn; released unsent if anything goes wrong before it.
 * - `preparing`: its session is looked up.
 * - `sending`: the channel has it.
 * - `recording`: the channel has returned an outcome.
 * - `over`: the outcome is recorded, or another process has the delivery.
 */
export interface Job {
  readonly claimed: ClaimedDelivery;
  readonly claim: Claim;
  readonly bytes: number;
  stage: 'queued' | 'preparing' | 'sending' | 'recording' | 'over';
  /** Settles when the channel has returned an outcome; settled before it is called. */
  sent: Promise<void>;
  done: Promise<void>;
}

/** The jobs of one channel, in the order of their claims, which is that of their sessions. */
export function createJobs() {
  const jobs = new Map<string, Job>();
  /** Sessions with messages in flight behind one that is retried. */
  const retried = new Set<string>();

  function isSending(sessionKey: string): boolean {
    for (const { stage, claimed } of jobs.values()) {
      if (stage === 'sending' && claimed.event.sessionKey === sessionKey) return true;
    }
    return false;
  }

  return {
    get size() {
      return jobs.size;
    },
    all: () => jobs.values(),
    ids: () => [...jobs.keys()],
    get: (id: string) => jobs.get(id),
    add(claimed: ClaimedDelivery): void {
      jobs.set(claimed.delivery.id, {
        claimed,
        claim: claimOf(claimed),
        bytes: sizeOf(claimed),
        stage: 'queued',
        sent: Promise.resolve(),
        done: Promise.resolve(),
      });
    },
    /** The attempt of this claim is over: a later claim of its delivery is a separate job. */
    over(claim: Claim): void {
      const job = jobs.get(claim.deliveryId);
      if (job?.claim === claim) job.stage = 'over';
    },
    delete(job: Job): void {
      const id = job.claim.deliveryId;
      if (jobs.get(id) === job) jobs.delete(id);
    },
    count(stage: Job['stage']): number {
      let sum = 0;
      for (const job of jobs.values()) if (job.stage === stage) sum += 1;
      return sum;
    },
    bytesLeft(): number {
      let left = MOST_BYTES;
      for (const { bytes } of jobs.values()) left -= bytes;
      return left;
    },
    /** True while an attempt is unrecorded: once its lease is over, the next claim would hand it out again. */
    hasStuck: () => [...jobs.values()].some(({ claim }) => claim.isStuck),
    /** Removes and returns the jobs claimed ahead of their turn. */
    takeQueued(): readonly Job[] {
      const queued = [...jobs.values()].filter(({ stage }) => stage === 'queued');
      for (const { claim } of queued) jobs.delete(claim.deliveryId);
      return queued;
    },
    /** True if an earlier message of its session, in flight together with it, is retried. */
    isBehindRetry: ({ event }: ClaimedDelivery) => retried.has(event.sessionKey),
    noteEnd({ event: { sessionKey } }: ClaimedDelivery, state: DeliveryState): void {
      if (!isSending(sessionKey)) retried.delete(sessionKey);
      else if (state === 'retrying') retried.add(sessionKey);
    },
  };
}

/** Approximate memory of a message, bytes. */
function sizeOf({ event, also }: ClaimedDelivery): number {
  return [event, ...also].reduce((sum, { message }) => sum + 2 * (message?.length ?? 0), 1_000);
}

export interface ChannelWorkerDependencies extends Omit<DeliverDependencies, 'health'> {
  readonly outbox: Pick<
    Outbox,
    'claim' | 'takeTokens' | 'release' | 'releaseLost' | 'giveUp' | 'saveChannelState'
  >;
  readonly prepare: Prepare;
  readonly wake: () => void;
  readonly onChange: OnCircuitChange;
  readonly onAttemptEnded: () => void;
}

/** Claims of a channel, within limits that it shares with other processes. */
export function createLimitedClaims(outbox: Pick<Outbox, 'claim' | 'takeTokens'>) {
  let waitMs: number | null = null;
  return {
    /** No more than the channel may send now. */
    async claim(
      { burst, refillMs }: Pick<ChannelLimits, 'burst' | 'refillMs'>,
      query: Parameters<Outbox['claim']>[0],
    ): Promise<readonly ClaimedDelivery[]> {
      const { takeTokens } = outbox;
      if (takeTokens === undefined || query.limit <= 0) return outbox.claim(query);
      const rate = { channel: query.channel, burst, refillMs };
      const taken = await takeTokens({ ...rate, wanted: query.limit });
      waitMs = taken.granted === 0 ? taken.waitMs : null;
      if (taken.granted === 0) return [];
      const claims = await outbox.claim({ ...query, limit: taken.granted });
      const unused = taken.granted - claims.length;
      if (unused > 0 && refillMs > 0) await takeTokens({ ...rate, wanted: -unused });
      return claims;
    },
    /** The pause after a claim that found nothing, ms: `otherwise`, or less if the channel may send again earlier. */
    pauseMs: (otherwise: number) => Math.min(otherwise, waitMs ?? otherwise),
  };
}

/** The rate limit of a channel; of one that is missing, any. */
export function bucketOf(configured: ConfiguredChannel | null) {
  return createTokenBucket(configured?.limits ?? { burst: 1, refillMs: 0 });
}
