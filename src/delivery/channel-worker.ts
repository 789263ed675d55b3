import { backoffMs, futureTime } from '../platform/retry.ts';
import { createSignal } from '../platform/lifecycle.ts';
import type { ChannelState } from '../core/delivery.ts';
import type { ClaimedDelivery } from '../core/outbox.ts';
import { ABANDON_MS } from './attempt.ts';
import { createChannelHealth, requestedWait } from './channel-health.ts';
import { createGivingUp } from './giving-up.ts';
import {
  bucketOf,
  type ChannelWorkerDependencies,
  createJobs,
  createLimitedClaims,
  type Job,
} from './jobs.ts';
import { claimOf, underRenewedClaim } from './attempt-recorder.ts';
import { attemptDelivery, type ConfiguredChannel, type Progress } from './deliver.ts';

/** How long outcomes of a channel with batches wait for each other, ms: each commit waits for the disk. */
const GATHER_MS = 20;
const LEASE_MARGIN_MS = 60_000;
/** After an empty claim although something seemed due. */
const EMPTY_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Deliveries that may be prepared in parallel, without taking a slot from those that are ready. */
const MOST_PREPARING = 20;
/** Messages of one session per claim on a channel with batches. */
const MOST_OF_SESSION = 64;

export type ChannelWorker = ReturnType<typeof createChannelWorker>;

/** @param configured null for a missing channel: its deliveries wait `MISSING_GRACE_MS`, then become dead letters */
export function createChannelWorker(
  initial: ChannelState,
  configured: ConfiguredChannel | null,
  dependencies: ChannelWorkerDependencies,
) {
  const { outbox, now, log, maxAgeMs } = dependencies;
  const name = initial.channel;
  const health = createChannelHealth(initial, dependencies);
  const jobs = createJobs();
  const delivering = {
    ...dependencies,
    health,
    record: underRenewedClaim(dependencies, () => working, jobs),
  };
  const giving = createGivingUp(health, dependencies);
  const limited = createLimitedClaims(outbox);
  let current = configured;
  let bucket = bucketOf(configured);
  let working: Promise<void> | null = null;
  let isClosed = false;
  let [pausedUntil, troubles] = [0, 0];
  const gathered: (() => void)[] = [];
  /** Failures reported to the circuit: of those in flight together, one. */
  let learned = 0;

  const takesBatches = (): boolean => current?.limits.batch !== undefined;

  function slots(): number {
    const { circuit, failures } = health.state();
    if (circuit !== 'closed' || (failures > 0 && takesBatches())) return 1;
    return current?.limits.concurrency ?? 0;
  }

  function freeSlots(): number {
    // A channel for people gets the next message once the last one is recorded, so that few are in flight at a crash.
    return slots() - jobs.count('sending') - (takesBatches() ? 0 : jobs.count('recording'));
  }

  function room(): number {
    const batch = current?.limits.batch;
    const free = batch === undefined ? freeSlots() : (slots() === 1 ? 1 : batch) - jobs.size;
    return Math.min(free, bucket.available(now()) - jobs.count('queued'));
  }

  /** When the channel can take another message, Unix ms; Infinity: when one in flight ends. */
  function sendableAt(): number {
    if (jobs.count('preparing') >= MOST_PREPARING || jobs.bytesLeft() <= 0)
      return Number.POSITIVE_INFINITY;
    const batch = current?.limits.batch;
    // At least half a batch, so that a commit is worth its wait for the disk.
    const isFull = batch === undefined || slots() === 1 ? freeSlots() <= 0 : jobs.size > batch / 2;
    if (isFull) return Number.POSITIVE_INFINITY;
    return Math.max(health.opensAt(), bucket.readyAt(now()));
  }

  async function workOnce(): Promise<void> {
    try {
      if (troubles > 0) await outbox.releaseLost(name, jobs.ids());
      const found = await takeDue();
      troubles = 0;
      pausedUntil = found === 0 ? now() + limited.pauseMs(EMPTY_PAUSE_MS) : 0;
    } catch (error) {
      troubles += 1;
      const pauseMs = backoffMs(troubles, dependencies.random(), { capMs: LONGEST_PAUSE_MS });
      pausedUntil = now() + pauseMs;
      log.warn({ channel: name, err: error }, 'Cannot claim deliveries yet');
    }
  }

  async function takeDue(): Promise<number> {
    const given = await giving.up(current === null);
    if (given > 0) return given;
    return current === null || health.isBroken() ? 0 : claimAndSend(current);
  }

  async function claimAndSend({ limits }: ConfiguredChannel): Promise<number> {
    health.probe();
    const claims = await limited.claim(limits, {
      channel: name,
      now: now(),
      leaseMs: limits.timeoutMs + ABANDON_MS + LEASE_MARGIN_MS,
      limit: room(),
      perSession: slots() > 1 && limits.batch !== undefined ? MOST_OF_SESSION : 1,
      maxBytes: jobs.bytesLeft(),
    });
    for (const claimed of claims) {
      const held = jobs.get(claimed.delivery.id);
      // Its lease expired while it was in hand: the same attempt continues under the new claim.
      if (held !== undefined && held.stage !== 'over') Object.assign(held.claim, claimOf(claimed));
      else jobs.add(claimed);
    }
    await beginQueued();
    return claims.length;
  }

  /** Starts the jobs whose turn it is. If none may start now, queued jobs are released. */
  async function beginQueued(): Promise<void> {
    const busy = new Set<string>();
    for (const job of jobs.all()) {
      const { sessionKey } = job.claimed.event;
      if (job.stage === 'queued' && !busy.has(sessionKey) && canBegin()) beginSoon(job);
      // Of a pipelined channel, the next message of a session may follow without waiting for the outcome.
      const isPipelined = job.stage === 'sending' && current?.limits.pipelined === true;
      if (job.stage !== 'recording' && !isPipelined) busy.add(sessionKey);
    }
    const isStopped = isClosed || current === null || health.opensAt() > now();
    if (isStopped || !takesBatches()) await releaseQueued();
  }

  async function releaseQueued(): Promise<void> {
    const queued = jobs.takeQueued();
    await Promise.all(queued.map(({ claim }) => outbox.release(claim.deliveryId, claim.fence)));
  }

  function inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => {
      // The next claim releases what was not released here.
      troubles += 1;
      log.warn({ channel: name, err: error }, 'Cannot release a delivery yet');
    });
  }

  function beginSoon(job: Job): void {
    const ready = dependencies.prepare(job.claimed);
    if (!(ready instanceof Promise)) return begin(job, ready);
    job.stage = 'preparing';
    job.done = beginWhenReady(job, ready);
  }

  /** Without a free slot it returns to the outbox, and is ready immediately the next time. */
  async function beginWhenReady(job: Job, ready: Promise<ClaimedDelivery>): Promise<void> {
    const claimed = await ready;
    job.stage = 'queued';
    if (canBegin()) begin(job, claimed);
    else inBackground(releaseQueued());
    inBackground(beginQueued());
    endPause();
    dependencies.wake();
  }

  /** False if the channel was stopped or became busy during the claim. */
  function canBegin(): boolean {
    if (isClosed || current === null || freeSlots() <= 0) return false;
    if (jobs.count('preparing') >= MOST_PREPARING) return false;
    return Math.max(health.opensAt(), bucket.readyAt(now())) <= now();
  }

  function begin(job: Job, claimed: ClaimedDelivery): void {
    if (current === null) return;
    const by = current;
    const learnedBefore = learned;
    let [hasFailed, isKnown] = [false, false];
    bucket.take(now());
    job.stage = 'sending';
    const sent = createSignal();
    job.sent = sent.next();

    const progress: Progress = {
      sent({ outcome }) {
        sent.emit();
        job.stage = 'recording';
        hasFailed = outcome.type !== 'delivered';
        isKnown = hasFailed && takesBatches() && learnedBefore !== learned;
        return {
          countsForHealth: by === current && !isKnown,
          isBehindRetry: jobs.isBehindRetry(claimed),
          batch: takesBatches() ? gather() : null,
        };
      },
      judged({ state }, { outcome }) {
        jobs.noteEnd(claimed, state);
        if (requestedWait(outcome) !== null) bucket.rest(now(), health.state().notBefore);
        if (!hasFailed) return inBackground(beginQueued());
        if (!isKnown) learned += 1;
        inBackground(releaseQueued());
      },
    };

    async function run(): Promise<void> {
      const attempt = { claimed, claim: job.claim };
      const { state } = await attemptDelivery(attempt, by, progress, delivering);
      const isTooOld = claimed.delivery.waitedMs >= maxAgeMs;
      if (state === 'dead' && isTooOld && health.state().circuit === 'open') giving.begin();
      jobs.delete(job);
      endPause();
      dependencies.wake();
      dependencies.onAttemptEnded();
    }
    job.done = run();
  }

  /** Outcomes of a batch are recorded together, the last first: the turn of a session advances once. */
  function gather(): Promise<void> {
    return new Promise((resolve) => {
      if (gathered.push(resolve) > 1) return;
      dependencies.startTimer(GATHER_MS, () => {
        for (const record of gathered.splice(0).toReversed()) record();
      });
    });
  }

  function endPause(): void {
    if (troubles === 0) pausedUntil = 0;
  }

  return {
    /** Something new may be due: the pause after an empty claim ends. */
    endPause,
    /** When it can process a delivery due at `due`, Unix ms; Infinity: not before it wakes the worker. */
    readyAt(due: number): number {
      if (working !== null || isClosed || jobs.hasStuck()) return Number.POSITIVE_INFINITY;
      // After a failed claim, what it may have claimed seems due only when the lease ends.
      const since = troubles > 0 || giving.isDue(current === null) ? 0 : due;
      const at = Math.max(since, futureTime(pausedUntil, LONGEST_PAUSE_MS, now()));
      if (giving.isDue(current === null)) return at;
      if (current === null || health.isBroken()) return Number.POSITIVE_INFINITY;
      return Math.max(at, sendableAt());
    },
    /** Claims due deliveries and starts to send them. Never rejects; waits only for the store. */
    work(): Promise<void> {
      working ??= workOnce().finally(() => {
        working = null;
        dependencies.wake();
      });
      return working;
    },
    /** Adds time during which a daemon ran and deliveries waited here, ms. */
    passTime: (ms: number) => giving.passTime(ms, current === null),
    /** The channel reports that it can send: an open circuit lets a probe through now. */
    worksAgain: () => health.probeUnlessBroken(),
    /** A message that it did not send itself was delivered: the channel works. */
    delivered(): Promise<void> {
      health.learn({ type: 'delivered' });
      return health.save();
    },
    isMissing: () => current === null,
    /** Switches to another channel, or to none; resolves when the former one is no longer in use. */
    async replace(next: ConfiguredChannel | null): Promise<void> {
      const former = [...jobs.all()].map(({ sent }) => sent);
      current = next;
      bucket = bucketOf(next);
      giving.reset();
      health.probe();
      if (next !== null) health.found();
      inBackground(releaseQueued());
      dependencies.wake();
      await health.save();
      await Promise.all(former);
    },
    state: () => ({ ...health.state(), inFlight: jobs.count('sending') + jobs.count('recording') }),
    /** Stops claiming; resolves when everything in flight is recorded. */
    async close(): Promise<void> {
      isClosed = true;
      await working;
      inBackground(releaseQueued());
      // Jobs in preparation start or are released before they are done.
      while (jobs.size > 0) await Promise.all([...jobs.all()].map(({ done }) => done));
    },
  };
}
