import { backoffMs } from '../core/backoff.ts';
import type { ChannelState } from '../core/delivery.ts';
import { durationText } from '../core/duration-text.ts';
import type { Log } from '../core/log.ts';
import type { ClaimedDelivery, Store } from '../core/store.ts';
import type { AttemptEnd } from './attempt.ts';
import { ABANDON_MS } from './attempt.ts';
import { bury, buryDue } from './bury.ts';
import type { OnCircuitChange } from './channel-health.ts';
import { createChannelHealth } from './channel-health.ts';
import { requestedWait } from './circuit.ts';
import { conclude } from './conclude.ts';
import { futureTime } from './future-time.ts';
import { tidyReason } from './reason.ts';
import type { Claim, RecordAttempt } from './recorder.ts';
import { claimOf } from './recorder.ts';
import type { ConfiguredChannel, Prepare, Render } from './send.ts';
import { send } from './send.ts';
import type { StartTimer } from './timer.ts';
import { createTokenBucket } from './token-bucket.ts';
import { ageOf } from './verdict.ts';

/** How much longer than an attempt a claim lasts: recording, a slow machine. */
const LEASE_MARGIN_MS = 60_000;
/** Pause after a claim that brought nothing although something seemed due. */
const EMPTY_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Deliveries that may be made ready at the same time: they take no turn from those that are. */
const MOST_PREPARING = 20;

export interface LaneDependencies {
  readonly store: Pick<Store, 'claim' | 'release' | 'releaseLost' | 'saveChannelState'>;
  readonly record: RecordAttempt;
  readonly prepare: Prepare;
  readonly render: Render;
  readonly now: () => number;
  readonly random: () => number;
  readonly startTimer: StartTimer;
  readonly log: Log;
  /** What could not be sent for so long becomes a dead letter. */
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
export interface Lane {
  /** When the lane can work on what is due at `due`, Unix ms; Infinity: not before it wakes the worker. */
  readyAt(due: number): number;
  /** Claims what is due and begins to send it. Never rejects; takes only as long as the store needs. */
  work(): Promise<void>;
  /** Something new may be due: the pause after an empty claim ends. */
  stir(): void;
  /** Sends by another channel, or by none, from now on; resolves when the former one is not in use any more. */
  replace(next: ConfiguredChannel | null): Promise<void>;
  state(): ChannelState & { readonly inFlight: number };
  /** Claims nothing any more; resolves when everything in flight is recorded. */
  close(): Promise<void>;
}

/** A delivery from its claim until its outcome is recorded. */
interface Job {
  readonly claim: Claim;
  readonly sending: Promise<AttemptEnd>;
  readonly done: Promise<void>;
}

/** @param configured null for a channel that does not exist any more: its deliveries become dead letters */
export function createLane(
  initial: ChannelState,
  configured: ConfiguredChannel | null,
  dependencies: LaneDependencies,
): Lane {
  const { store, now, maxAgeMs } = dependencies;
  const name = initial.channel;
  const health = createChannelHealth(initial, dependencies);
  const jobs = new Map<string, Job>();
  const preparing = new Map<string, Promise<void>>();
  let current = configured;
  let bucket = bucketOf(configured);
  let working: Promise<void> | null = null;
  let isClosed = false;
  let pausedUntil = 0;
  let troubles = 0;

  /** When the channel could take another message, Unix ms; Infinity: when one of those in flight is over. */
  function sendableAt(): number {
    if (jobs.size >= slots() || preparing.size >= MOST_PREPARING) return Number.POSITIVE_INFINITY;
    return Math.max(health.opensAt(), bucket.readyAt(now()));
  }

  /** To the store an unrecorded attempt looks abandoned once its lease is over: the next claim would hand it out again. */
  function hasStuckJob(): boolean {
    return [...jobs.values()].some(({ claim }) => claim.isStuck);
  }

  /** True while the circuit is open for ever: what waits is given up after a day. */
  function isBroken(): boolean {
    const { circuit, openUntil } = health.state();
    return circuit === 'open' && openUntil === null;
  }

  function slots(): number {
    return health.state().circuit === 'closed' ? (current?.limits.concurrency ?? 0) : 1;
  }

  async function workOnce(): Promise<void> {
    try {
      if (troubles > 0) await store.releaseLost(name, [...jobs.keys(), ...preparing.keys()]);
      const count = await claimDue();
      troubles = 0;
      pausedUntil = count === 0 ? now() + EMPTY_PAUSE_MS : 0;
    } catch (error) {
      troubles += 1;
      const pauseMs = backoffMs(troubles, dependencies.random(), { capMs: LONGEST_PAUSE_MS });
      pausedUntil = now() + pauseMs;
      dependencies.log.warn({ channel: name, err: error }, 'Cannot claim deliveries yet');
    }
  }

  /** Answers how many deliveries were claimed. */
  function claimDue(): Promise<number> {
    if (current === null) {
      const reason = `Channel "${name}" is not configured any more`;
      return buryDue(name, { dueForMs: 0, reason }, dependencies);
    }
    if (isBroken()) {
      return buryDue(name, { dueForMs: maxAgeMs, reason: tooOld() }, dependencies);
    }
    return claimAndSend(current);
  }

  async function claimAndSend({ limits }: ConfiguredChannel): Promise<number> {
    health.probe();
    const claims = await store.claim({
      channel: name,
      now: now(),
      leaseMs: limits.timeoutMs + ABANDON_MS + LEASE_MARGIN_MS,
      limit: Math.min(slots() - jobs.size, bucket.available(now())),
    });
    for (const claimed of claims) {
      const running = jobs.get(claimed.delivery.id);
      // Its lease ran out while it was being sent: the same attempt goes on under the new claim.
      if (running !== undefined) Object.assign(running.claim, claimOf(claimed));
      else if (isOverdue(claimed)) await bury(claimed, tooOld(), dependencies);
      else if (!canBegin()) await store.release(claimed.delivery.id, claimed.fence);
      else beginSoon(claimed);
    }
    return claims.length;
  }

  function beginSoon(claimed: ClaimedDelivery): void {
    const ready = dependencies.prepare(claimed);
    if (!(ready instanceof Promise)) return begin(ready);
    const { id } = claimed.delivery;
    preparing.set(id, beginWhenReady(id, ready));
  }

  /** What finds no free turn then waits for it in the outbox, and is ready at once the next time. */
  async function beginWhenReady(id: string, ready: Promise<ClaimedDelivery>): Promise<void> {
    const claimed = await ready;
    preparing.delete(id);
    try {
      if (canBegin()) begin(claimed);
      else await store.release(id, claimed.fence);
    } catch (error) {
      dependencies.log.warn({ channel: name, err: error }, 'Cannot release a delivery yet');
    }
    stir();
    dependencies.wake();
  }

  /** False when the channel was stopped, or became busy, while the claim was under way. */
  function canBegin(): boolean {
    return !isClosed && current !== null && sendableAt() <= now();
  }

  /** What waited too long for the circuit to close is given up without a try. */
  function isOverdue({ delivery }: ClaimedDelivery): boolean {
    return health.state().circuit !== 'closed' && ageOf(delivery, now()) >= maxAgeMs;
  }

  function tooOld(): string {
    const { lastReason } = health.state();
    return tidyReason(`Gave up after ${durationText(maxAgeMs)}: ${lastReason ?? 'no try'}`);
  }

  function begin(claimed: ClaimedDelivery): void {
    const by = current;
    if (by === null) return;
    const { maxAttempts } = by.limits;
    const startedAt = now();
    const held = claimOf(claimed);
    bucket.take(startedAt);
    const sending = send(claimed, by, dependencies);

    async function finish(): Promise<void> {
      const end = await sending;
      const isCurrent = by === current;
      await conclude(
        { claimed, claim: held, startedAt, end, maxAttempts, isCurrent },
        { ...dependencies, health },
      );
      if (requestedWait(end.outcome) !== null) bucket.rest(now(), health.state().notBefore);
      jobs.delete(held.deliveryId);
      stir();
      dependencies.wake();
      dependencies.onSettled();
    }
    jobs.set(held.deliveryId, { claim: held, sending, done: finish() });
  }

  function stir(): void {
    if (troubles === 0) pausedUntil = 0;
  }

  return {
    stir,
    readyAt(due) {
      if (working !== null || isClosed || hasStuckJob()) return Number.POSITIVE_INFINITY;
      // After a claim that was rejected, what it may have taken seems to be due when its lease is over.
      const since = troubles > 0 ? 0 : due;
      const at = Math.max(since, futureTime(pausedUntil, LONGEST_PAUSE_MS, now()));
      if (current === null) return at;
      return Math.max(at, isBroken() ? due + maxAgeMs : sendableAt());
    },
    work() {
      working ??= workOnce().finally(() => {
        working = null;
        dependencies.wake();
      });
      return working;
    },
    async replace(next) {
      const former = [...jobs.values()].map(({ sending }) => sending);
      current = next;
      bucket = bucketOf(next);
      health.probe();
      dependencies.wake();
      await health.save();
      await Promise.all(former);
    },
    state: () => ({ ...health.state(), inFlight: jobs.size }),
    async close() {
      isClosed = true;
      await working;
      await Promise.all(preparing.values());
      await Promise.all([...jobs.values()].map(({ done }) => done));
    },
  };
}

function bucketOf(configured: ConfiguredChannel | null): ReturnType<typeof createTokenBucket> {
  return createTokenBucket(configured?.limits ?? { burst: 1, refillMs: 0 });
}
