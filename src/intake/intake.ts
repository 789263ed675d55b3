/*
 * From the spool to hook events: an envelope is checked, decoded and committed, and only then removed. Its content is
 * believed by no one. What an event means to a person, and who is notified, never enters.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

import { processExists } from '../platform/process-table.ts';
import { type QuarantineStore, StoreError } from '../core/store-aging.ts';
import type { HookRecord } from '../core/hook-event.ts';
import type { Log } from '../platform/log.ts';
import type { Accepted, Decide, EventStore } from '../core/store.ts';
import type { Clock } from '../platform/time.ts';
import { createClearing } from './listing.ts';
import { moveToQuarantine, quarantineId, receive, type SetAside } from './receive.ts';
import { createSpool, LARGE_BYTES } from './spool.ts';
import { type IntakeTrouble, watchTrouble } from './trouble.ts';
import { type DirectoryWatch, watchDirectory } from '../platform/watch-files.ts';

export interface IntakeOptions {
  /** Directory of the envelopes. */
  readonly spool: string;
  /** Directory for what cannot become an event, on the same file system. */
  readonly quarantine: string;
  readonly store: {
    readonly events: Pick<EventStore, 'accept'>;
    readonly quarantine: Pick<QuarantineStore, 'add'>;
  };
  readonly decide: Decide;
  /** Applied first to every event, such as the removal of secrets. */
  readonly prepare?: (record: HookRecord) => HookRecord;
  /** Looks up what the decisions need, and returns the records with it; must not reject. */
  readonly look?: (records: readonly HookRecord[]) => Promise<readonly HookRecord[]>;
  readonly now: Clock;
  readonly log: Log;
  /** Called after a commit: deliveries may be due. */
  readonly onCommitted: () => void;
  /** Called after a commit with its events, also those that were known before. */
  readonly onRecords?: (records: readonly HookRecord[]) => void;
  /** Called once when an intake problem begins or changes, and with null when it is over. */
  readonly onTrouble: (trouble: IntakeTrouble | null) => void;
  /** Time that neither jumps nor counts a suspension, ms. */
  readonly monotonic?: () => number;
  readonly random?: () => number;
  readonly isAlive?: (pid: number) => boolean;
  /** Interval for listing a spool that has no watcher, or still holds something, ms. */
  readonly everyMs?: number;
}

export type Intake = ReturnType<typeof createIntake>;

const LISTING_EVERY_MS = 1_000;
/** An envelope that lay there for this long without an event of the watcher was missed, ms. */
const MISSED_MS = 2_000;
/** A request takes about this many turns of the event loop: accept, read, look up, write. */
const TURNS_OF_A_REQUEST = 8;
/** Most events in one transaction … */
const MAX_RECORDS = 256;
/** … and most bytes: an envelope above this goes to the next transaction, and a large one is committed immediately. */
const MAX_BYTES = LARGE_BYTES;

/** In a backlog each turn ends in a commit, and a status request would wait for several. */
async function giveWay(): Promise<void> {
  for (let turn = 0; turn < TURNS_OF_A_REQUEST; turn += 1) await nextTurn();
}

/**
 * Turns envelopes into committed events: spool → dialect → store. An envelope is removed only after its event is on
 * disk; invalid envelopes move to the quarantine with the reason; while the store cannot write, everything stays in place.
 */
export function createIntake(options: IntakeOptions) {
  const { store, decide, now, log, onCommitted, onTrouble } = options;
  const { monotonic = () => performance.now(), random = Math.random, prepare } = options;
  const spool = createSpool({
    directory: options.spool,
    monotonic,
    isAlive: options.isAlive ?? processExists,
    uid: process.geteuid?.() ?? null,
  });
  const clearing = createClearing(log);
  const trouble = watchTrouble({ monotonic, random, log, onTrouble });
  const stopping = new AbortController();
  const { everyMs = LISTING_EVERY_MS } = options;
  let watching: DirectoryWatch | null = null;
  /** Set while an envelope is left, such as one that its hook still writes: no event announces when it is time. */
  let again: NodeJS.Timeout | undefined;
  /** Whether an event of the watcher came since the last listing. */
  let wasNotified = true;
  /** What the last listing left in the spool. */
  let left: ReadonlySet<string> = new Set();

  const look = coalesce(async () => {
    if (stopping.signal.aborted) return;
    clearTimeout(again);
    again = undefined;
    let isLeft = true;
    try {
      if (!trouble.isPaused()) {
        isLeft = await takeIn();
        trouble.worked();
      }
    } catch (error) {
      trouble.failed(error);
    }
    if (isLeft && watching !== null && !stopping.signal.aborted)
      again ??= setTimeout(() => void look(), everyMs);
  });

  /** Returns whether something is left in the spool. */
  async function takeIn(): Promise<boolean> {
    const mayMiss = !wasNotified;
    wasNotified = false;
    const entries = await spool.list();
    const before = left;
    const kept = new Set(entries.map(({ name }) => name));
    left = kept;
    clearing.retry(entries);
    let failure: unknown = null;
    let group: HookRecord[] = [];
    let bytes = 0;
    const commitGroup = async (): Promise<void> => {
      await commit(group);
      group = [];
      bytes = 0;
      await giveWay();
    };
    for (const [index, entry] of entries.entries()) {
      if (stopping.signal.aborted) return true;
      if (clearing.isPending(entry.name)) continue;
      if (index % MAX_RECORDS === MAX_RECORDS - 1) await nextTurn();
      // Envelopes stay in memory until their commit, so only one large one is read at a time.
      if (group.length > 0 && bytes + entry.size > MAX_BYTES) await commitGroup();
      const received = receive(spool, entry, { receivedAt: now(), prepare });
      if (received.type === 'failed') failure ??= received.error;
      if (received.type === 'set-aside') kept.delete(entry.name);
      if (received.type === 'set-aside') await setAside(received.file, received.error);
      if (received.type !== 'record') continue;
      kept.delete(entry.name);
      if (mayMiss && !before.has(entry.name) && now() - entry.createdAt > MISSED_MS)
        miss(entry.name);
      group.push(received.record);
      // Memory in use: a large one uses the whole buffer, which the next large one overwrites, so it is committed immediately.
      bytes += received.record.payload.buffer.byteLength;
      if (group.length >= MAX_RECORDS || bytes >= MAX_BYTES) await commitGroup();
    }
    if (group.length > 0) await commitGroup();
    if (failure !== null) throw failure;
    return kept.size > 0 || entries.some(({ name }) => clearing.isPending(name));
  }

  /** The watcher did not report it, so it may not report the next ones: a file system changed from elsewhere. */
  function miss(envelope: string): void {
    log.info({ envelope }, 'The watcher of the spool missed an event: listing it every second');
    watching?.distrust();
  }

  async function commit(received: readonly HookRecord[]): Promise<void> {
    const startedAt = monotonic();
    const records = (await options.look?.(received)) ?? received;
    let verdicts: readonly Accepted[];
    try {
      verdicts = await store.events.accept(records, decide);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      await isolate(records, error);
      return;
    }
    for (const { event } of records) clearing.clear(event.id, () => spool.remove(event.id));
    const ms = Math.round(monotonic() - startedAt);
    log.debug({ events: records.length, ms }, 'Committed events');
    options.onRecords?.(records);
    if (verdicts.includes('committed')) onCommitted();
  }

  /** The store works, so one of these events is poison: bisect to isolate it, and commit all others. */
  async function isolate(records: readonly HookRecord[], error: unknown): Promise<void> {
    const [first] = records;
    if (first !== undefined && records.length === 1) {
      const { id: name } = first.event;
      const detail = 'The event cannot be committed: see the log';
      await setAside({ name, size: first.payload.length, reason: 'bad-envelope', detail }, error);
      return;
    }
    const middle = Math.ceil(records.length / 2);
    await commit(records.slice(0, middle));
    await commit(records.slice(middle));
  }

  /** @param cause the bug on our side, if it is one */
  async function setAside(file: SetAside, cause?: unknown): Promise<void> {
    const { name, size: bytes, reason, detail } = file;
    const id = quarantineId(name);
    log.warn({ envelope: id, reason, detail, bytes, err: cause }, 'Put an envelope in quarantine');
    try {
      await store.quarantine.add({ id, at: now(), reason, detail, bytes });
    } catch (error) {
      if (error instanceof StoreError) throw error;
      log.error({ err: error, envelope: id }, 'Cannot record an envelope in quarantine');
    }
    clearing.clear(name, () => moveToQuarantine(options.spool, options.quarantine, file));
  }

  function wake(): void {
    wasNotified = true;
    void look();
  }

  return {
    start() {
      watching ??= watchDirectory(options.spool, wake, { blindMs: everyMs, log });
    },
    /** Lists the spool: the watcher may have missed an event. */
    beat() {
      const before = wasNotified;
      watching?.look();
      wasNotified = before;
    },
    /** Resolves when everything that was ready at the time of the call is settled, or failed to settle. */
    drain() {
      trouble.retryNow();
      return look();
    },
    /** Takes in nothing more; resolves when the running commit is over. */
    async stop() {
      stopping.abort();
      clearTimeout(again);
      watching?.stop();
      await look();
    },
  };
}

/**
 * Returns a function that runs `work` without overlap. Calls in the same turn share a run, and calls during a run share
 * one more after it, so that each promise resolves after a run that began later than its call.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let again = false;

  async function run(): Promise<void> {
    // By the next turn all calls of this turn have arrived.
    await nextTurn();
    while (again) {
      again = false;
      await work();
    }
  }

  return () => {
    again = true;
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  };
}
