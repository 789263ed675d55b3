import type { ChannelState, DeliveryState } from '../core/delivery.ts';
import type { Log } from '../platform/log.ts';
import type { ClaimedDelivery, Store } from '../core/store.ts';
import type { AttemptEnd } from './attempt.ts';
import type { OnCircuitChange } from './channel-health.ts';
import { type Claim, claimOf, type RecordAttempt } from './recorder.ts';
import type { ConfiguredChannel, Prepare, Render } from './send.ts';
import type { StartTimer } from '../platform/time.ts';

/** Nothing more is claimed while the messages in hand take so much memory. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * A delivery in hand, from its claim until its outcome is recorded.
 *
 * - `queued`: claimed ahead of its turn; given back unsent when anything goes wrong before it.
 * - `preparing`: its session is looked up.
 * - `sending`: the channel has it.
 * - `recording`: the channel has answered.
 */
export interface Job {
  readonly claimed: ClaimedDelivery;
  readonly claim: Claim;
  readonly bytes: number;
  stage: 'queued' | 'preparing' | 'sending' | 'recording';
  sending: Promise<AttemptEnd> | null;
  done: Promise<void>;
}

/** What one lane has in hand. */
export interface Jobs {
  readonly size: number;
  /** In the order of their claims, which is that of their sessions. */
  all(): Iterable<Job>;
  ids(): readonly string[];
  get(deliveryId: string): Job | undefined;
  add(claimed: ClaimedDelivery): void;
  delete(deliveryId: string): void;
  count(stage: Job['stage']): number;
  /** How much memory further messages may take. */
  bytesLeft(): number;
  /** To the store an unrecorded attempt looks abandoned once its lease is over: the next claim would hand it out again. */
  hasStuck(): boolean;
  /** Those claimed ahead of their turn, which are not in hand any more then. */
  takeQueued(): readonly Job[];
  /** True where an earlier message of its session, that was in flight with it, is tried again. */
  isBehindRetry(claimed: ClaimedDelivery): boolean;
  noteEnd(claimed: ClaimedDelivery, state: DeliveryState): void;
}

export function createJobs(): Jobs {
  const jobs = new Map<string, Job>();
  /** Sessions with messages in flight behind one that is tried again. */
  const retried = new Set<string>();

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
        sending: null,
        done: Promise.resolve(),
      });
    },
    delete: (id) => void jobs.delete(id),
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
      const isSending = [...jobs.values()].some(
        ({ stage, claimed }) => stage === 'sending' && claimed.event.sessionKey === sessionKey,
      );
      if (!isSending) retried.delete(sessionKey);
      else if (state === 'retrying') retried.add(sessionKey);
    },
  };
}

/** Roughly what a message takes in memory, bytes. */
function sizeOf({ event, also }: ClaimedDelivery): number {
  return [event, ...also].reduce((sum, { message }) => sum + 2 * (message?.length ?? 0), 1_000);
}

export interface ChannelWorkerDependencies {
  readonly store: Pick<Store, 'claim' | 'release' | 'releaseLost' | 'giveUp' | 'saveChannelState'>;
  readonly record: RecordAttempt;
  readonly prepare: Prepare;
  readonly render: Render;
  readonly now: () => number;
  readonly random: () => number;
  readonly startTimer: StartTimer;
  readonly log: Log;
  /** What could not be sent for so long, while a daemon ran, becomes a dead letter. */
  readonly maxAgeMs: number;
  /** Fires when sends in flight have to stop. */
  readonly shutdown: AbortSignal;
  /** Called when the lane may have become ready. */
  readonly wake: () => void;
  readonly onChange: OnCircuitChange;
  /** Called when the end of an attempt is recorded. */
  readonly onSettled: () => void;
}

/** The way of one channel's deliveries from the outbox to the channel; lanes know nothing of each other. */
export interface ChannelWorker {
  /** When the lane can work on what is due at `due`, Unix ms; Infinity: not before it wakes the worker. */
  readyAt(due: number): number;
  /** Claims what is due and begins to send it. Never rejects; takes only as long as the store needs. */
  work(): Promise<void>;
  /** Something new may be due: the pause after an empty claim ends. */
  stir(): void;
  /** So much time passed while a daemon ran and something waited here, ms. */
  passTime(ms: number): void;
  /** The channel says that it works after all: an open circuit lets a probe through now. */
  worksAgain(): void;
  /** True while the configuration does not have the channel. */
  isMissing(): boolean;
  /** Sends by another channel, or by none, from now on; resolves when the former one is not in use any more. */
  replace(next: ConfiguredChannel | null): Promise<void>;
  state(): ChannelState & { readonly inFlight: number };
  /** Claims nothing any more; resolves when everything in flight is recorded. */
  close(): Promise<void>;
}
