import type { ChannelState, DeliveryState } from '../core/delivery.ts';
import type { ClaimedDelivery, Outbox } from '../core/outbox.ts';
import type { OnCircuitChange } from './channel-health.ts';
import { type Claim, claimOf } from './attempt-recorder.ts';
import type { ConfiguredChannel, DeliverDependencies, Prepare } from './deliver.ts';

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

/** The jobs of one channel. */
export interface Jobs {
  readonly size: number;
  /** In the order of their claims, which is that of their sessions. */
  all(): Iterable<Job>;
  ids(): readonly string[];
  get(deliveryId: string): Job | undefined;
  add(claimed: ClaimedDelivery): void;
  /** The attempt of this claim is over: a later claim of its delivery is a separate job. */
  over(claim: Claim): void;
  delete(job: Job): void;
  count(stage: Job['stage']): number;
  /** How much memory further messages may take. */
  bytesLeft(): number;
  /** True while an attempt is unrecorded: once its lease is over, the next claim would hand it out again. */
  hasStuck(): boolean;
  /** Removes and returns the jobs claimed ahead of their turn. */
  takeQueued(): readonly Job[];
  /** True if an earlier message of its session, in flight together with it, is retried. */
  isBehindRetry(claimed: ClaimedDelivery): boolean;
  noteEnd(claimed: ClaimedDelivery, state: DeliveryState): void;
}

export function createJobs(): Jobs {
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
    get: (id) => jobs.get(id),
    add(claimed) {
      jobs.set(claimed.delivery.id, {
        claimed,
        claim: claimOf(claimed),
        bytes: sizeOf(claimed),
        stage: 'queued',
        sent: Promise.resolve(),
        done: Promise.resolve(),
      });
    },
    over(claim) {
      const job = jobs.get(claim.deliveryId);
      if (job?.claim === claim) job.stage = 'over';
    },
    delete(job) {
      const id = job.claim.deliveryId;
      if (jobs.get(id) === job) jobs.delete(id);
    },
    count(stage) {
      let sum = 0;
      for (const job of jobs.values()) if (job.stage === stage) sum += 1;
      return sum;
    },
    bytesLeft() {
      let left = MOST_BYTES;
      for (const { bytes } of jobs.values()) left -= bytes;
      return left;
    },
    hasStuck: () => [...jobs.values()].some(({ claim }) => claim.isStuck),
    takeQueued() {
      const queued = [...jobs.values()].filter(({ stage }) => stage === 'queued');
      for (const { claim } of queued) jobs.delete(claim.deliveryId);
      return queued;
    },
    isBehindRetry: ({ event }) => retried.has(event.sessionKey),
    noteEnd({ event: { sessionKey } }, state) {
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
  /** Called when the channel worker may have become ready. */
  readonly wake: () => void;
  readonly onChange: OnCircuitChange;
  /** Called when the end of an attempt is recorded. */
  readonly onAttemptEnded: () => void;
}

/** Sends the deliveries of one channel from the outbox; channel workers are independent of each other. */
export interface ChannelWorker {
  /** When it can process a delivery due at `due`, Unix ms; Infinity: not before it wakes the worker. */
  readyAt(due: number): number;
  /** Claims due deliveries and starts to send them. Never rejects; waits only for the store. */
  work(): Promise<void>;
  /** Something new may be due: the pause after an empty claim ends. */
  endPause(): void;
  /** Adds time during which a daemon ran and deliveries waited here, ms. */
  passTime(ms: number): void;
  /** The channel reports that it can send: an open circuit lets a probe through now. */
  worksAgain(): void;
  /** A message that it did not send itself was delivered: the channel works. */
  delivered(): Promise<void>;
  /** True while the configuration does not have the channel. */
  isMissing(): boolean;
  /** Switches to another channel, or to none; resolves when the former one is no longer in use. */
  replace(next: ConfiguredChannel | null): Promise<void>;
  state(): ChannelState & { readonly inFlight: number };
  /** Stops claiming; resolves when everything in flight is recorded. */
  close(): Promise<void>;
}
