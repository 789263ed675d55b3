import { setMaxListeners } from 'node:events';

import type { ChannelState } from '../core/delivery.ts';
import { type Log, silentLog } from '../platform/log.ts';
import type { Store } from '../core/store.ts';
import { ABANDON_MS } from './attempt.ts';
import { freshState, halfOpen, type OnCircuitChange } from './channel-health.ts';
import type { ChannelWorker, ChannelWorkerDependencies } from './jobs.ts';
import { createChannelWorker } from './lane.ts';
import { createRecorder } from './recorder.ts';
import { createRounds } from './timekeeper.ts';
import type { ConfiguredChannel, Prepare, Render } from './send.ts';
import { type StartTimer, systemTimer } from '../platform/time.ts';

/** What the last records may take when the worker stops. */
const RECORD_MS = 500;
const DAY_MS = 86_400_000;
/** Time is counted so seldom, because each time costs a write. */
const COUNT_MS = 60_000;
/** More between two looks, which are 30 s apart at most, was sleep on a platform whose clock runs on meanwhile. */
const LONGEST_COUNT_MS = 120_000;

export type { ConfiguredChannel, Prepare, Render } from './send.ts';

/** What the worker needs of the store. */
export type Outbox = Pick<
  Store,
  | 'claim'
  | 'settle'
  | 'release'
  | 'releaseLost'
  | 'recoverClaims'
  | 'followClock'
  | 'retryNow'
  | 'giveUp'
  | 'addAwakeTime'
  | 'dueTimes'
  | 'channelStates'
  | 'saveChannelState'
>;

export interface WorkerOptions {
  readonly store: Outbox;
  /** By the name under which deliveries know them. */
  readonly channels: ReadonlyMap<string, ConfiguredChannel>;
  /** Makes each delivery ready to be rendered; by default it is. */
  readonly prepare?: Prepare;
  readonly render: Render;
  readonly now: () => number;
  /** A clock that nobody sets, ms: by it deliveries age. */
  readonly monotonic?: () => number;
  /** In [0, 1). */
  readonly random?: () => number;
  readonly startTimer?: StartTimer;
  readonly log?: Log;
  /** Called when a circuit opens, lets a probe through, or closes: somebody should be told by another channel. */
  readonly onChange?: OnCircuitChange;
  /** Called when the end of an attempt is recorded. */
  readonly onSettled?: () => void;
  /** Called when something waits for a channel that the configuration does not have, and when that is over. */
  readonly onMissing?: (channel: string, isWaitedFor: boolean) => void;
  /** A delivery whose channel is out of order is given up after so long, awake. */
  readonly maxAgeMs?: number;
}

/**
 * Takes due deliveries from the outbox to their channels and writes down what came of it.
 *
 * One loop looks when something is due; every channel has a lane of its own, so that none waits for another.
 */
export interface Worker {
  start(): void;
  /**
   * Claims nothing any more, and is over within `graceMs`: what is in flight may end by itself until shortly before, then
   * it is aborted.
   */
  stop(options: { readonly graceMs: number }): Promise<void>;
  /** Something may be due: call it after every commit that made deliveries. */
  wake(): void;
  /** A channel that could not send says that it can: what waits for its next attempt is due now. */
  worksAgain(channel: string): void;
  /**
   * Sends by these channels from now on; circuits that were open let a probe through. Resolves when the former channels
   * are not in use any more and can be closed.
   */
  replaceChannels(channels: ReadonlyMap<string, ConfiguredChannel>): Promise<void>;
  state(): readonly (ChannelState & { readonly inFlight: number })[];
}

type SavedStates = ReadonlyMap<string, ChannelState>;

export function createWorker({
  store,
  channels: initialChannels,
  prepare = (claimed) => claimed,
  render,
  now,
  monotonic = () => performance.now(),
  random = Math.random,
  startTimer = systemTimer,
  log = silentLog,
  onChange = () => {},
  onSettled = () => {},
  onMissing = () => {},
  maxAgeMs = DAY_MS,
}: WorkerOptions): Worker {
  const shutdown = new AbortController();
  const over = new AbortController();
  // As many listeners as there are attempts in flight.
  setMaxListeners(0, shutdown.signal, over.signal);
  const lanes = new Map<string, ChannelWorker>();
  let saved: SavedStates | null = null;
  // At the start nobody knows what the clock did while no daemon ran.
  let lookedAt = Number.POSITIVE_INFINITY;
  let channels = initialChannels;
  /** By the monotonic clock; null while nothing waits. */
  let countedAt: number | null = null;
  const missing = new Set<string>();
  /** Channels that have said so since the last look. */
  const working = new Set<string>();
  let stopped: Promise<void> | null = null;

  const dependencies: ChannelWorkerDependencies = {
    store,
    record: createRecorder({ store, startTimer, random, log, over: over.signal }),
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
    onSettled,
  };

  const rounds = createRounds({
    round: look,
    trouble: 'Cannot look for due deliveries yet',
    random,
    startTimer,
    log,
  });

  /** Sets the lanes to work that have something due; answers how long no other has, ms. */
  async function look(stopping: AbortSignal): Promise<number> {
    saved ??= await recover();
    await noticeClock();
    await hurryWorking(saved);
    const due = await store.dueTimes();
    await passTime([...due.keys()], saved);
    let next = Number.POSITIVE_INFINITY;
    for (const [name, at] of due) {
      if (stopping.aborted) break;
      const lane = laneOf(name, saved);
      const readyAt = lane.readyAt(at);
      if (readyAt <= now()) void lane.work();
      else next = Math.min(next, readyAt);
    }
    return next - now();
  }

  /** Lets what waits grow older by the time since the last look, but not by that of a machine that slept. */
  async function passTime(waiting: readonly string[], states: SavedStates): Promise<void> {
    noteMissing(new Set(waiting.filter((name) => laneOf(name, states).isMissing())));
    const at = monotonic();
    const ms = countedAt === null ? 0 : at - countedAt;
    if (waiting.length > 0 && countedAt !== null && ms < COUNT_MS) return;
    countedAt = waiting.length > 0 ? at : null;
    if (ms <= 0 || waiting.length === 0) return;
    const credit = Math.min(ms, LONGEST_COUNT_MS);
    await store.addAwakeTime(credit);
    for (const name of waiting) laneOf(name, states).passTime(credit);
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

  /** Whatever was put off until a time by the former clock would wait for as long as that was wrong. */
  async function noticeClock(): Promise<void> {
    const at = now();
    if (at < lookedAt) {
      const count = await store.followClock(at);
      if (count > 0) log.warn({ count }, 'The clock was set back: moved what waits');
    }
    lookedAt = at;
  }

  async function hurryWorking(states: SavedStates): Promise<void> {
    for (const name of working) {
      const count = await store.retryNow(name, now());
      if (count > 0) log.info({ channel: name, count }, 'A channel works again: sending now');
      const lane = laneOf(name, states);
      lane.worksAgain();
      lane.stir();
      working.delete(name);
    }
  }

  async function recover(): Promise<SavedStates> {
    const count = await store.recoverClaims(now());
    if (count > 0) log.warn({ count }, 'Deliveries were in flight when the daemon ended');
    const states = new Map((await store.channelStates()).map((state) => [state.channel, state]));
    openLanes(states);
    return states;
  }

  function openLanes(states: SavedStates): void {
    for (const name of channels.keys()) laneOf(name, states);
  }

  function laneOf(name: string, states: SavedStates): ChannelWorker {
    const existing = lanes.get(name);
    if (existing !== undefined) return existing;
    const state = states.get(name) ?? freshState(name);
    const lane = createChannelWorker(
      // A circuit that is open for ever gets a probe: the configuration may have been mended while no daemon ran.
      state.openUntil === null ? halfOpen(state) : state,
      channels.get(name) ?? null,
      dependencies,
    );
    lanes.set(name, lane);
    return lane;
  }

  async function stop(graceMs: number): Promise<void> {
    const lookedLast = rounds.stop();
    const freeMs = Math.max(0, graceMs - ABANDON_MS - RECORD_MS);
    const cancelAbort = startTimer(freeMs, () => shutdown.abort());
    const cancelOver = startTimer(graceMs, () => over.abort());
    await Promise.all([lookedLast, ...[...lanes.values()].map((lane) => lane.close())]);
    cancelAbort();
    cancelOver();
  }

  return {
    start: () => rounds.start(),
    stop({ graceMs }) {
      stopped ??= stop(graceMs);
      return stopped;
    },
    wake() {
      for (const lane of lanes.values()) lane.stir();
      rounds.wake();
    },
    worksAgain(channel) {
      working.add(channel);
      rounds.wake();
    },
    async replaceChannels(next) {
      channels = next;
      if (saved !== null) openLanes(saved);
      await Promise.all([...lanes].map(([name, lane]) => lane.replace(next.get(name) ?? null)));
    },
    state: () => [...lanes.values()].map((lane) => lane.state()),
  };
}
