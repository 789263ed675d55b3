import { setTimeout as delay } from 'node:timers/promises';

import { sessionStates } from '../core/session.ts';
import type { Upkeep } from '../core/store-aging.ts';
import { LIVE } from './alerts.ts';
import { selfCheck } from './self-check.ts';
import { countElapsedTime, ELAPSED_MS, forgetMarks, lastEventOlderThan } from './clock.ts';
import type { Connection, Query } from './query.ts';
import type { Database } from './database.ts';
import { UNSENT } from './deliveries.ts';
import { readCounts } from './queue-store.ts';
import { asFlag, type Row, readInteger } from './row.ts';
import { pruneWaits } from './wait-store.ts';

type Limits = Parameters<Upkeep['prune']>[0];

/** Maximum rows of a table per transaction … */
const SLICE_ROWS = 50;
/** … and time after which it starts no further row, ms: a commit may have to wait for it. */
const SLICE_MS = 5;
/** Earlier than any time. */
const BEFORE_ANYTHING = Number.MIN_SAFE_INTEGER;

/** The room that a database takes. */
export interface Space {
  readonly size: (connection: Connection) => Query<{
    /** What the limit is about. */
    readonly bytes: number;
    /** The part of it with rows. */
    readonly usedBytes: number;
    /** Whether `shrink` is worth it below the limit too. */
    readonly hasSpare: boolean;
  }>;
  /** Gives back some of the unused room; returns how much, 0 if none, in any unit. */
  readonly shrink: (connection: Connection) => Query<number>;
  /** Called after changes. */
  readonly flush: () => void;
}

export function upkeepOn(database: Database, space: Space): Upkeep {
  const { reads, writes } = database;
  return {
    countElapsedTime: writes(countElapsedTime),
    prune: (limits) => prune(database, space, limits),
    selfCheck: reads(selfCheck),
    counts: reads(readCounts),
  };
}

/**
 * Removes events older than `keepMs`, and the oldest ones until the database is at most `maxBytes`, with all their
 * dependent rows; then the file is truncated to that size. Returns how many events were removed. It works in
 * transactions of a few milliseconds and rests after each for as long as it took, so that commits get their turn, until
 * the limits hold, nothing more may be removed, or `signal` is aborted.
 */
async function prune({ reads, writes }: Database, space: Space, limits: Limits): Promise<number> {
  const isWorth = reads(hasWork);
  const nextSlice = writes(pruneSlice);
  let total = 0;
  let isChanged = false;
  while (limits.signal?.aborted !== true) {
    if (!(await isWorth(space, limits))) break;
    const startedAt = performance.now();
    const { removed, isOver } = await nextSlice(space, limits);
    total += removed;
    if (isOver) break;
    isChanged = true;
    await delay(performance.now() - startedAt);
  }
  if (isChanged) space.flush();
  return total;
}

/** Whether a transaction is worth its wait for the disk. */
function* hasWork(
  connection: Connection,
  space: Space,
  { keepMs, before, maxBytes }: Limits,
): Query<boolean> {
  const { bytes, hasSpare } = yield* space.size(connection);
  if (bytes > maxBytes || hasSpare) return true;
  const lastOld = keepMs === undefined ? 0 : yield* lastEventOlderThan(connection, keepMs);
  return yield* isAnythingOld(connection, lastOld, before ?? BEFORE_ANYTHING);
}

function* isAnythingOld(connection: Connection, lastOld: number, before: number): Query<boolean> {
  const row = yield* connection.get(
    `SELECT EXISTS (SELECT 1 FROM events WHERE seq <= ?)
      OR EXISTS (SELECT 1 FROM quarantine WHERE at < ?)
      OR EXISTS (SELECT 1 FROM mutes WHERE until < ?)
      OR EXISTS (SELECT 1 FROM waits WHERE until < ?)
      OR EXISTS (SELECT 1 FROM sessions WHERE state IN (${sessionStates.map(() => '?').join(', ')}) AND last_event_at < ?)
      AS old`,
    lastOld,
    before,
    before,
    before,
    ...sessionStates,
    before,
  );
  return row !== null && readInteger(row, 'old') === 1;
}

interface Slice {
  /** Events. */
  readonly removed: number;
  /** True if another slice would change nothing. */
  readonly isOver: boolean;
}

function* pruneSlice(
  connection: Connection,
  space: Space,
  { keepMs, before: wallLimit, maxBytes }: Limits,
): Query<Slice> {
  const before = wallLimit ?? BEFORE_ANYTHING;
  const lastOld = keepMs === undefined ? 0 : yield* lastEventOlderThan(connection, keepMs);
  if (keepMs !== undefined) yield* forgetMarks(connection, keepMs);
  const until = performance.now() + SLICE_MS;
  let removed = 0;
  for (const row of yield* oldestFinished(connection, keepMs ?? 0)) {
    const isOld = readInteger(row, 'seq') <= lastOld;
    const isKept = !isOld || asFlag.read(row, 'died_lately');
    if (isKept && (yield* space.size(connection)).usedBytes <= maxBytes) {
      if (!isOld) break;
      continue;
    }
    yield* connection.run('DELETE FROM events WHERE seq = ?', readInteger(row, 'seq'));
    removed += 1;
    if (performance.now() > until) break;
  }
  let others = yield* pruneSessions(connection, before);
  others += yield* connection.run(
    'DELETE FROM quarantine WHERE id IN (SELECT id FROM quarantine WHERE at < ? ORDER BY at LIMIT ?)',
    before,
    SLICE_ROWS,
  );
  others += yield* connection.run('DELETE FROM mutes WHERE until < ?', before);
  others += yield* pruneWaits(connection, before, SLICE_ROWS);
  let vacuumed = 0;
  // At least once, however long the rest took: otherwise no work would seem left.
  do {
    const { bytes, hasSpare } = yield* space.size(connection);
    if (bytes <= maxBytes && !hasSpare) break;
    const freed = yield* space.shrink(connection);
    if (freed === 0) break;
    vacuumed += freed;
  } while (performance.now() < until);
  return { removed, isOver: removed + others + vacuumed === 0 };
}

/** Finished: all its deliveries have ended, it has no live alert, and its relay is done if it has one. */
function oldestFinished(connection: Connection, keepMs: number): Query<readonly Row[]> {
  return connection.all(
    `SELECT seq,
      EXISTS (
        SELECT 1 FROM deliveries WHERE event_id = events.id AND state = 'dead'
          AND dead_elapsed_ms >= ${ELAPSED_MS} - ?
      ) AS died_lately
    FROM events
    WHERE seq > 0
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id AND ${UNSENT})
      AND NOT EXISTS (SELECT 1 FROM alerts WHERE event_id = events.id AND ${LIVE})
      AND NOT EXISTS (SELECT 1 FROM relay_outbox WHERE event_seq = events.seq)
    ORDER BY seq LIMIT ?`,
    keepMs,
    SLICE_ROWS,
  );
}

/** Not only ended ones: some agents never report the end of a session. */
function* pruneSessions(connection: Connection, before: number): Query<number> {
  let removed = 0;
  for (const state of sessionStates) {
    removed += yield* connection.run(
      `DELETE FROM sessions WHERE key IN (
        SELECT key FROM sessions
        WHERE state = ? AND last_event_at < ?
          AND NOT EXISTS (SELECT 1 FROM events WHERE id = sessions.last_event_id)
          AND NOT EXISTS (SELECT 1 FROM alerts WHERE session_key = sessions.key AND ${LIVE})
        ORDER BY last_event_at LIMIT ?)`,
      state,
      before,
      SLICE_ROWS,
    );
  }
  return removed;
}
