/*
 * From a due row to a recorded outcome: one loop for each channel, with its limits, its circuit and its deadline. How a
 * service is called belongs to its channel; whether and when to notify was decided before, and never enters.
 */
import { setMaxListeners } from 'node:events';

import type { ChannelState } from '../core/delivery.ts';
import { type Log, silentLog } from '../platform/log.ts';
import type { Outbox } from '../core/outbox.ts';
import { ABANDON_MS } from './attempt.ts';
import { freshState, halfOpen, type OnCircuitChange } from './channel-health.ts';
import type { ChannelWorkerDependencies } from './jobs.ts';
import { type ChannelWorker, createChannelWorker } from './channel-worker.ts';
import { createRecorder } from './attempt-recorder.ts';
import type { ConfiguredChannel, Prepare, Render } from './deliver.ts';
import { createRounds } from '../platform/rounds.ts';
import { type StartTimer, systemTimer } from '../platform/time.ts';

const RECORD_MS = 500;
const DAY_MS = 86_400_000;
/** Interval of counting time, ms: each count costs a write. */
const COUNT_MS = 60_000;
/** More time between two rounds, which are at most 30 s apart, was sleep on a platform whose clock keeps running, ms. */
const LONGEST_COUNT_MS = 120_000;

export type { ConfiguredChannel, Prepare, Render } from './deliver.ts';

export interface WorkerOptions {
  readonly outbox: Outbox;
  readonly channels: ReadonlyMap<string, ConfiguredChannel>;
  readonly prepare?: Prepare;
  readonly render: Render;
  readonly now: () => number;
  /** Monotonic clock, ms, by which deliveries age. */
  readonly monotonic?: () => number;
  readonly random?: () => number;
  readonly startTimer?: StartTimer;
  readonly log?: Log;
  /** Called when a circuit opens, lets a probe through, or closes, to warn people through another channel. */
  readonly onChange?: OnCircuitChange;
  /** Called when the end of an attempt is recorded, or held deliveries are due because a channel works again. */
  readonly onAttemptEnded?: () => void;
  /** Called when deliveries wait for a channel missing from the configuration, and when that ends. */
  readonly onMissing?: (channel: string, isWaitedFor: boolean) => void;
  /** Maximum age of a delivery while its channel is broken, in awake time, ms. */
  readonly maxAgeMs?: number;
}

type SavedStates = ReadonlyMap<string, ChannelState>;

export type Worker = ReturnType<typeof createWorker>;

/** One loop waits for due deliveries; every channel has a separate worker, so that none waits for another. */
export function createWorker({
  outbox,
  channels: initialChannels,
  prepare = (claimed) => claimed,
  render,
  now,
  monotonic = () => performance.now(),
  random = Math.random,
  startTimer = systemTimer,
  log = silentLog,
  onChange = () => {},
  onAttemptEnded = () => {},
  onMissing = () => {},
  maxAgeMs = DAY_MS,
}: WorkerOptions) {
  const shutdown = new AbortController();
  const over = new AbortController();
  // One listener per attempt in flight.
  setMaxListeners(0, shutdown.signal, over.signal);
  const channelWorkers = new Map<string, ChannelWorker>();
  let saved: SavedStates | null = null;
  // At the start the clock may have changed while no daemon ran.
  let lookedAt = Number.POSITIVE_INFINITY;
  let channels = initialChannels;
  /** By the monotonic clock; null while nothing waits. */
  let countedAt: number | null = null;
  const missing = new Set<string>();
  const working = new Set<string>();
  let stopped: Promise<void> | null = null;

  const dependencies: ChannelWorkerDependencies = {
    outbox,
    record: createRecorder({ outbox, startTimer, random, log, over: over.signal }),
    prepare,
    render,
    now,
    random,
    startTimer,
    log,
    maxAgeMs,
    shutdown: shutdown.signal,
    wake: () => rounds.wake(),
    onChange,
    onAttemptEnded,
  };

  const rounds = createRounds({
    round: look,
    onTrouble: (err) => log.warn({ err }, 'Cannot look for due deliveries yet'),
    random,
    startTimer,
  });

  /** Runs the channel workers with due deliveries; returns the time until another one is ready, ms. */
  async function look(stopping: AbortSignal): Promise<number> {
    saved ??= await recover();
    await noticeClock();
    await hurryWorking(saved);
    const due = await outbox.dueTimes();
    await passTime([...due.keys()], saved);
    let next = Number.POSITIVE_INFINITY;
    for (const [name, at] of due) {
      if (stopping.aborted) break;
      const channelWorker = channelWorkerOf(name, saved);
      const readyAt = channelWorker.readyAt(at);
      if (readyAt <= now()) void channelWorker.work();
      else next = Math.min(next, readyAt);
    }
    // What waits for its channel ages with each round.
    return due.size === 0 ? Infinity : Math.min(COUNT_MS, next - now());
  }

  /** Ages waiting deliveries by the time since the last round, without the time the machine slept. */
  async function passTime(waiting: readonly string[], states: SavedStates): Promise<void> {
    noteMissing(new Set(waiting.filter((name) => channelWorkerOf(name, states).isMissing())));
    const at = monotonic();
    const ms = countedAt === null ? 0 : at - countedAt;
    if (waiting.length > 0 && countedAt !== null && ms < COUNT_MS) return;
    countedAt = waiting.length > 0 ? at : null;
    if (ms <= 0 || waiting.length === 0) return;
    const credit = Math.round(Math.min(ms, LONGEST_COUNT_MS));
    await outbox.addAwakeTime(credit);
    for (const name of waiting) channelWorkerOf(name, states).passTime(credit);
  }

  function noteMissing(found: ReadonlySet<string>): void {
    for (const name of [...missing].filter((one) => !found.has(one))) {
      missing.delete(name);
      onMissing(name, false);
    }
    for (const name of [...found].filter((one) => !missing.has(one))) {
      missing.add(name);
      onMissing(name, true);
    }
  }

  /** Without this, deliveries postponed by the former clock would wait for as long as it was wrong. */
  async function noticeClock(): Promise<void> {
    const at = now();
    if (at < lookedAt) {
      const count = await outbox.shiftForClock(at);
      if (count > 0) log.warn({ count }, 'The clock was set back: moved waiting deliveries');
    }
    lookedAt = at;
  }

  async function hurryWorking(states: SavedStates): Promise<void> {
    for (const name of working) {
      const count = await outbox.retryNow(name, now());
      if (count > 0) {
        log.info({ channel: name, count }, 'A channel works again: sending waiting deliveries');
        onAttemptEnded();
      }
      const channelWorker = channelWorkerOf(name, states);
      channelWorker.worksAgain();
      channelWorker.endPause();
      working.delete(name);
    }
  }

  async function recover(): Promise<SavedStates> {
    const count = await outbox.recoverClaims(now());
    if (count > 0) log.warn({ count }, 'Recovered deliveries in flight when the daemon ended');
    const states = new Map((await outbox.channelStates()).map((state) => [state.channel, state]));
    openChannelWorkers(states);
    return states;
  }

  function worksAgain(channel: string): void {
    working.add(channel);
    rounds.wake();
  }

  function openChannelWorkers(states: SavedStates): void {
    for (const name of channels.keys()) channelWorkerOf(name, states);
  }

  function channelWorkerOf(name: string, states: SavedStates): ChannelWorker {
    const existing = channelWorkers.get(name);
    if (existing !== undefined) return existing;
    const state = states.get(name) ?? freshState(name);
    const channelWorker = createChannelWorker(
      // A circuit open without an end gets a probe: the configuration may have been repaired while no daemon ran.
      state.openUntil === null ? halfOpen(state) : state,
      channels.get(name) ?? null,
      dependencies,
    );
    channelWorkers.set(name, channelWorker);
    return channelWorker;
  }

  async function stop(graceMs: number): Promise<void> {
    const lookedLast = rounds.stop();
    const freeMs = Math.max(0, graceMs - ABANDON_MS - RECORD_MS);
    const cancelAbort = startTimer(freeMs, () => shutdown.abort());
    const cancelOver = startTimer(graceMs, () => over.abort());
    await Promise.all([
      lookedLast,
      ...[...channelWorkers.values()].map((channelWorker) => channelWorker.close()),
    ]);
    cancelAbort();
    cancelOver();
  }

  return {
    start: () => rounds.start(),
    /** Stops claiming and resolves within `graceMs`: attempts in flight may finish until shortly before, then they are aborted. */
    stop({ graceMs }: { readonly graceMs: number }): Promise<void> {
      stopped ??= stop(graceMs);
      return stopped;
    },
    /** Call it after every commit that created deliveries. */
    wake(): void {
      for (const channelWorker of channelWorkers.values()) channelWorker.endPause();
      rounds.wake();
    },
    /** A broken channel reports that it can send: deliveries that wait for a retry are due now. */
    worksAgain,
    /** A test was delivered: earlier failures are over, and waiting deliveries are sent. */
    async delivered(channel: string): Promise<void> {
      await channelWorkers.get(channel)?.delivered();
      worksAgain(channel);
    },
    /** Open circuits let a probe through. Resolves when the former channels are no longer in use and can be closed. */
    async replaceChannels(next: WorkerOptions['channels']): Promise<void> {
      channels = next;
      if (saved !== null) openChannelWorkers(saved);
      await Promise.all(
        [...channelWorkers].map(([name, channelWorker]) =>
          channelWorker.replace(next.get(name) ?? null),
        ),
      );
    },
    state: () => [...channelWorkers.values()].map((channelWorker) => channelWorker.state()),
  };
}
