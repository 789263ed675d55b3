import { lstat, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { isSavedDatabase, type Upkeep } from '../core/store-aging.ts';
import { errorCode } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Clock } from '../platform/time.ts';
import type { FileLog } from './daemon-log.ts';
import type { SessionReaper } from './session-reaper.ts';

const NOTE = '.reason';

/**
 * Removes quarantined files from before `before` (Unix ms), with their notes; returns how many. A missing directory
 * counts as empty.
 */
async function pruneQuarantine(directory: string, before: number): Promise<number> {
  let removed = 0;
  for (const id of await idsIn(directory)) {
    const place = join(directory, id);
    const since = await setAsideAt(place);
    if (since === null || since >= before) continue;
    await rm(place, { recursive: true, force: true });
    // The note is removed last: after a crash it leads to what is left.
    await rm(`${place}${NOTE}`, { force: true });
    removed += 1;
  }
  return removed;
}

async function idsIn(directory: string): Promise<ReadonlySet<string>> {
  try {
    const names = await readdir(directory);
    return new Set(names.map((name) => (name.endsWith(NOTE) ? name.slice(0, -NOTE.length) : name)));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Set();
    throw error;
  }
}

/**
 * The note is written when a file is quarantined; the file itself keeps its creation time. If a crash came before the
 * note, the move into the directory counts. Null: the file is gone meanwhile.
 */
async function setAsideAt(place: string): Promise<number | null> {
  const note = await lstat(`${place}${NOTE}`).catch(() => null);
  if (note !== null) return note.mtimeMs;
  const file = await lstat(place).catch(() => null);
  return file?.ctimeMs ?? null;
}

/** A copy of the database is a way back for this long; it holds events that are too old for the database itself. */
const KEEP_COPY_MS = 14 * 24 * 3_600_000;

/** Removes copies that migrations made of the database before `before` (Unix ms); returns how many. */
async function pruneCopies(database: string, before: number): Promise<number> {
  const directory = dirname(database);
  let removed = 0;
  for (const name of await readdir(directory)) {
    if (!isSavedDatabase(name, basename(database))) continue;
    const copy = join(directory, name);
    if ((await lstat(copy)).mtimeMs >= before) continue;
    await rm(copy, { force: true });
    removed += 1;
  }
  return removed;
}

/** Between two rounds, ms. */
const EVERY_MS = 60_000;
/** A beat may come a little early. */
const ALMOST = 0.95;
/** While events come in, the size of the history is checked at this interval, ms: a storm adds some MB meanwhile. */
const SIZE_EVERY_MS = 1_000;
/** Between two looks for old files, ms. */
const CLEAR_EVERY_MS = 3_600_000;
/** Rounds between two records of the elapsed time: each is a write. */
const COUNT_EVERY = 60;
/** After a clock jump, nothing is removed by age for this many rounds: an hour. */
const STEADY_AFTER = 60;
/** A step of the wall clock between two rounds that is longer than the first, or backwards by more than the second, is a jump, ms. */
const LONGEST_STEP_MS = 36 * 3_600_000;
const CORRECTION_MS = 600_000;

interface MaintenanceOptions {
  readonly upkeep: Pick<Upkeep, 'prune' | 'countElapsedTime'>;
  readonly history: () => { readonly keepMs: number; readonly maxBytes: number };
  /** Its directory. */
  readonly quarantine: string;
  readonly database: string;
  readonly sessionReaper: Pick<SessionReaper, 'run'>;
  readonly log: Log & Pick<FileLog, 'rotateIfLarge'>;
  readonly now: Clock;
  /** Whether this process ends sessions and removes events, or another one with the same store. */
  readonly isOwner: () => boolean;
}

export type Maintenance = ReturnType<typeof createMaintenance>;

/**
 * The daemon's maintenance, once a minute: deletes old history, rotates its log and checks for dead sessions; once an hour,
 * old quarantine and copies of the database. The size of the history is limited every second while it grows.
 */
export function createMaintenance(options: MaintenanceOptions) {
  let ranAt = performance.now();
  let sizeTimer: NodeJS.Timeout | undefined;
  let isPruning = false;
  const stopping = new AbortController();
  let rounds = 0;
  let lastAt: number | null = null;
  let unsteadyRounds = 0;
  /** When old files were last removed, Unix ms. */
  let clearedAt = 0;

  /** False if the year may be wrong: what it makes look old must not be removed. */
  async function hasSteadyClock(at: number): Promise<boolean> {
    const counts = rounds % COUNT_EVERY === 0 && options.isOwner();
    const jumpedMs = counts ? await options.upkeep.countElapsedTime(at) : 0;
    rounds += 1;
    const step = lastAt === null ? 0 : at - lastAt;
    lastAt = at;
    const isJump = jumpedMs !== 0 || step > LONGEST_STEP_MS || step < -CORRECTION_MS;
    if (isJump) options.log.warn({ jumpedMs: jumpedMs || step }, 'The clock jumped');
    unsteadyRounds = isJump ? STEADY_AFTER : Math.max(0, unsteadyRounds - 1);
    return unsteadyRounds === 0;
  }

  /** One at a time: the next run finds the result of this one. */
  async function prune(ages: Pick<Parameters<Upkeep['prune']>[0], 'keepMs' | 'before'>) {
    if (isPruning || !options.isOwner()) return;
    isPruning = true;
    try {
      const { maxBytes } = options.history();
      const { signal } = stopping;
      const removed = await options.upkeep.prune({ ...ages, maxBytes, signal });
      if (removed > 0) options.log.info({ removed }, 'Deleted old events');
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    } finally {
      isPruning = false;
    }
  }

  async function holdSize(): Promise<void> {
    try {
      await prune({ before: null });
    } catch (error) {
      options.log.error({ err: error }, 'Cannot limit the size of the history');
    } finally {
      sizeTimer = undefined;
    }
  }

  /** One round, now. */
  async function run(): Promise<void> {
    const { history, log, now, sessionReaper, quarantine, database } = options;
    try {
      log.rotateIfLarge();
      if (options.isOwner()) await sessionReaper.run();
      const at = now();
      const { keepMs } = history();
      const isSteady = await hasSteadyClock(at);
      if (!isSteady) return await prune({ before: null });
      const before = at - keepMs;
      await prune({ keepMs, before });
      if (Math.abs(at - clearedAt) < CLEAR_EVERY_MS) return;
      clearedAt = at;
      const discarded = await pruneQuarantine(quarantine, before);
      if (discarded > 0) log.info({ discarded }, 'Removed old files from the quarantine');
      const copies = await pruneCopies(database, at - KEEP_COPY_MS);
      if (copies > 0) log.info({ copies }, 'Removed an old copy of the database');
    } catch (error) {
      log.error({ err: error }, 'Maintenance failed');
    }
  }

  return {
    run,
    /** One round, if a minute has passed. */
    async beat() {
      const at = performance.now();
      if (at - ranAt < EVERY_MS * ALMOST) return;
      ranAt = at;
      await run();
    },
    /** Events were committed: the history may soon be too large. */
    grew() {
      if (sizeTimer !== undefined || stopping.signal.aborted) return;
      sizeTimer = setTimeout(() => void holdSize(), SIZE_EVERY_MS);
      sizeTimer.unref();
    },
    stop() {
      stopping.abort();
      clearTimeout(sizeTimer);
    },
  };
}
