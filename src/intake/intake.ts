import { setImmediate as nextTurn } from 'node:timers/promises';

import { isAlive } from '../platform/process-table.ts';
import { StoreError } from '../core/store-aging.ts';
import type { HookRecord } from '../core/hook-event.ts';
import type { Log } from '../platform/log.ts';
import type { Accepted, Decide, Store } from '../core/store.ts';
import type { Clock } from '../platform/time.ts';
import { createClearing } from './listing.ts';
import { moveToQuarantine, quarantineId, receive, type SetAside } from './receive.ts';
import { createSpool, LARGE_BYTES } from './spool.ts';
import { type Trouble, watchTrouble } from './trouble.ts';
import { type DirectoryWatch, watchDirectory } from './directory-watcher.ts';

export interface IntakeOptions {
  /** Directory of the envelopes. */
  readonly spool: string;
  /** Directory for what cannot become an event, on the same file system. */
  readonly quarantine: string;
  readonly store: Pick<Store, 'accept' | 'addQuarantined'>;
  readonly decide: Decide;
  /** What is done to every event before anything else, such as taking out secrets. */
  readonly prepare?: (record: HookRecord) => HookRecord;
  /** Looks at what the decisions need besides, and answers the records with what was found; it must not reject. */
  readonly look?: (records: readonly HookRecord[]) => Promise<readonly HookRecord[]>;
  readonly now: Clock;
  readonly log: Log;
  /** Something new was committed: deliveries may be due. */
  readonly onCommitted: () => void;
  /** Called once when a trouble begins or changes, and with null when it is over. */
  readonly onTrouble: (trouble: Trouble | null) => void;
  /** Time that neither jumps nor counts a suspension, ms. */
  readonly monotonic?: () => number;
  readonly random?: () => number;
  readonly isAlive?: (pid: number) => boolean;
  /** How often the spool is listed even when nothing seems to happen, ms. */
  readonly everyMs?: number;
}

export interface Intake {
  start(): void;
  /** Resolves when all that was ready at the time of the call is settled, or could not be. */
  drain(): Promise<void>;
  /** Takes in nothing more; resolves when the running commit is over. */
  stop(): Promise<void>;
}

const LISTING_EVERY_MS = 1_000;
/** A request needs about so many turns of the event loop until it is answered: accept, read, look up, write. */
const TURNS_OF_A_REQUEST = 8;
/** One transaction takes at most so many events … */
const MAX_RECORDS = 256;
/** … and of so many bytes: an envelope that would make it more is left to the next one, and a large one is committed at once. */
const MAX_BYTES = LARGE_BYTES;

/** While there is a backlog each turn ends in a commit, and whoever asks for the status would wait for several. */
async function giveWay(): Promise<void> {
  for (let turn = 0; turn < TURNS_OF_A_REQUEST; turn += 1) await nextTurn();
}

/**
 * Turns envelopes into committed events: spool → dialect → store. An envelope is removed only after its event is on
 * disk; what cannot become an event goes to the quarantine with its reason; while the store cannot write, everything
 * stays where it is.
 */
export function createIntake(options: IntakeOptions): Intake {
  const { store, decide, now, log, onCommitted, onTrouble } = options;
  const { monotonic = () => performance.now(), random = Math.random, prepare } = options;
  const spool = createSpool({
    directory: options.spool,
    monotonic,
    isAlive: options.isAlive ?? isAlive,
    uid: process.geteuid?.() ?? null,
  });
  const clearing = createClearing(log);
  const trouble = watchTrouble({ monotonic, random, log, onTrouble });
  const stopping = new AbortController();
  let watching: DirectoryWatch | null = null;

  const look = coalesce(async () => {
    if (stopping.signal.aborted || trouble.isPaused()) return;
    try {
      await takeIn();
      trouble.worked();
    } catch (error) {
      trouble.failed(error);
    }
  });

  async function takeIn(): Promise<void> {
    const entries = await spool.list();
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
      if (stopping.signal.aborted) return;
      if (clearing.isPending(entry.name)) continue;
      if (index % MAX_RECORDS === MAX_RECORDS - 1) await nextTurn();
      // What is read stays in memory until its commit, so that of large ones there is one at a time.
      if (group.length > 0 && bytes + entry.size > MAX_BYTES) await commitGroup();
      const received = receive(spool, entry, { receivedAt: now(), prepare });
      if (received.type === 'failed') failure ??= received.error;
      if (received.type === 'set-aside') await setAside(received.file, received.error);
      if (received.type !== 'record') continue;
      group.push(received.record);
      // What it holds in memory: a large one the whole buffer, which the next large one overwrites, so that it is committed at once.
      bytes += received.record.payload.buffer.byteLength;
      if (group.length >= MAX_RECORDS || bytes >= MAX_BYTES) await commitGroup();
    }
    if (group.length > 0) await commitGroup();
    if (failure !== null) throw failure;
  }

  async function commit(received: readonly HookRecord[]): Promise<void> {
    const startedAt = monotonic();
    const records = (await options.look?.(received)) ?? received;
    let verdicts: readonly Accepted[];
    try {
      verdicts = await store.accept(records, decide);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      await isolate(records, error);
      return;
    }
    for (const { event } of records) clearing.clear(event.id, () => spool.remove(event.id));
    const ms = Math.round(monotonic() - startedAt);
    log.debug({ events: records.length, ms }, 'Committed events');
    if (verdicts.includes('committed')) onCommitted();
  }

  /** The store is well, so one of these events is poison: halve until it is alone, and commit all others. */
  async function isolate(records: readonly HookRecord[], error: unknown): Promise<void> {
    const [first] = records;
    if (first !== undefined && records.length === 1) {
      const { id: name } = first.event;
      const detail = 'The event cannot be committed: the log says why';
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
      await store.addQuarantined({ id, at: now(), reason, detail, bytes });
    } catch (error) {
      if (error instanceof StoreError) throw error;
      log.error({ err: error, envelope: id }, 'Cannot record an envelope in quarantine');
    }
    clearing.clear(name, () => moveToQuarantine(options.spool, options.quarantine, file));
  }

  function wake(): void {
    if (!trouble.isPaused()) void look();
  }

  return {
    start() {
      const everyMs = options.everyMs ?? LISTING_EVERY_MS;
      watching ??= watchDirectory(options.spool, wake, { everyMs, log });
    },
    drain() {
      trouble.retryNow();
      return look();
    },
    async stop() {
      stopping.abort();
      watching?.stop();
      await look();
    },
  };
}

/**
 * Makes a function that runs `work` at most once at a time. Calls of the same moment share a run, and calls during a
 * run share one more after it, so that each promise resolves after a run that began later than its call.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let again = false;

  async function run(): Promise<void> {
    // By the next turn everything that happened in this moment has called.
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
