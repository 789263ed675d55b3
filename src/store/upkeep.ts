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
import { field, read, type Row } from './row.ts';
import { pruneWaits } from './wait-store.ts';

type Limits = Parameters<Upkeep['prune']>[0];

/** Maximum rows of a table per transaction … */
const SLICE_ROWS = 50;
/** … and time after which it starts no further row, ms: a commit may have to wait for it. */
const SLICE_MS = 5;
const BEFORE_ANYTHING = Number.MIN_SAFE_INTEGER;

/** Pages returned to the file system per step; about 0.2 ms. */
const VACUUMED_PAGES = 16;
/** Below both of these, free pages are kept for the next events. */
const SPARE_PAGES = 256;
const SPARE_SHARE = 0.1;

function* sizeOf(connection: Connection) {
  const pageBytes = yield* pragma(connection, 'page_size');
  const pages = yield* pragma(connection, 'page_count');
  const free = yield* pragma(connection, 'freelist_count');
  // More pages are free than the next events will need, in a file that can shrink.
  const hasSpare =
    free > SPARE_PAGES &&
    free > SPARE_SHARE * pages &&
    (yield* pragma(connection, 'auto_vacuum')) !== 0;
  return { bytes: pages * pageBytes, usedBytes: (pages - free) * pageBytes, hasSpare };
}

function* vacuum(connection: Connection): Query<number> {
  const before = yield* pragma(connection, 'page_count');
  yield* connection.all(`PRAGMA incremental_vacuum(${VACUUMED_PAGES})`);
  return before - (yield* pragma(connection, 'page_count'));
}

function* pragma(connection: Connection, name: string): Query<number> {
  const row = yield* connection.get(`PRAGMA ${name}`);
  return row === null ? 0 : read.integer(row, name);
}

/** @param flush called after rows were removed */
export function upkeepOn({ reads, writes }: Database, flush: () => void): Upkeep {
  const isWorth = reads(hasWork);
  const nextSlice = writes(pruneSlice);
  return {
    countElapsedTime: writes(countElapsedTime),
    /** In transactions of a few milliseconds, with a rest after each for as long as it took. */
    async prune(limits) {
      let total = 0;
      let isChanged = false;
      while (limits.signal?.aborted !== true && (await isWorth(limits))) {
        const startedAt = performance.now();
        const { removed, isOver } = await nextSlice(limits);
        total += removed;
        if (isOver) break;
        isChanged = true;
        await delay(performance.now() - startedAt);
      }
      if (isChanged) flush();
      return total;
    },
    selfCheck: reads(selfCheck),
    counts: reads(readCounts),
  };
}

/** Whether a transaction is worth its wait for the disk. */
function* hasWork(connection: Connection, { keepMs, before, maxBytes }: Limits): Query<boolean> {
  const { bytes, hasSpare } = yield* sizeOf(connection);
  if (bytes > maxBytes || hasSpare) return true;
  const lastOld = keepMs === undefined ? 0 : yield* lastEventOlderThan(connection, keepMs);
  return yield* isAnythingOld(connection, lastOld, before ?? BEFORE_ANYTHING);
}

function* isAnythingOld(connection: Connection, lastOld: number, before: number): Query<boolean> {
  const sql = `SELECT EXISTS (SELECT 1 FROM events WHERE seq <= ?1)
      OR EXISTS (SELECT 1 FROM quarantine WHERE at < ?2)
      OR EXISTS (SELECT 1 FROM mutes WHERE until < ?2)
      OR EXISTS (SELECT 1 FROM waits WHERE until < ?2)
      OR EXISTS (SELECT 1 FROM sessions WHERE state IN (${STATES}) AND last_event_at < ?2)
      AS old`;
  const row = yield* connection.get(sql, lastOld, before);
  return row !== null && read.integer(row, 'old') === 1;
}

/** Each state is named for the index that begins with it. */
export const STATES = sessionStates.map((state) => `'${state}'`).join(', ');

function* pruneSlice(
  connection: Connection,
  { keepMs, before: wallLimit, maxBytes }: Limits,
): Query<{ readonly removed: number; readonly isOver: boolean }> {
  const before = wallLimit ?? BEFORE_ANYTHING;
  const lastOld = keepMs === undefined ? 0 : yield* lastEventOlderThan(connection, keepMs);
  if (keepMs !== undefined) yield* forgetMarks(connection, keepMs);
  const until = performance.now() + SLICE_MS;
  let removed = 0;
  for (const row of yield* oldestFinished(connection, keepMs ?? 0)) {
    const isOld = read.integer(row, 'seq') <= lastOld;
    const isKept = !isOld || field.flag.read(row, 'died_lately');
    if (isKept && (yield* sizeOf(connection)).usedBytes <= maxBytes) {
      if (!isOld) break;
      continue;
    }
    yield* connection.run('DELETE FROM events WHERE seq = ?', read.integer(row, 'seq'));
    removed += 1;
    if (performance.now() > until) break;
  }
  let others = yield* pruneSessions(connection, before);
  const old = 'SELECT id FROM quarantine WHERE at < ? ORDER BY at LIMIT ?';
  others += yield* connection.run(
    `DELETE FROM quarantine WHERE id IN (${old})`,
    before,
    SLICE_ROWS,
  );
  others += yield* connection.run('DELETE FROM mutes WHERE until < ?', before);
  others += yield* pruneWaits(connection, before, SLICE_ROWS);
  let vacuumed = 0;
  // At least once, however long the rest took: otherwise no work would seem left.
  do {
    const { bytes, hasSpare } = yield* sizeOf(connection);
    if (bytes <= maxBytes && !hasSpare) break;
    const freed = yield* vacuum(connection);
    if (freed === 0) break;
    vacuumed += freed;
  } while (performance.now() < until);
  return { removed, isOver: removed + others + vacuumed === 0 };
}

/** Finished: all its deliveries have ended, it has no live alert, and its relay is done if it has one. */
function oldestFinished(connection: Connection, keepMs: number): Query<readonly Row[]> {
  const sql = `SELECT seq,
      EXISTS (
        SELECT 1 FROM deliveries WHERE event_id = events.id AND state = 'dead'
          AND dead_elapsed_ms >= ${ELAPSED_MS} - ?
      ) AS died_lately
    FROM events
    WHERE seq > 0
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id AND ${UNSENT})
      AND NOT EXISTS (SELECT 1 FROM alerts WHERE event_id = events.id AND ${LIVE})
      AND NOT EXISTS (SELECT 1 FROM relay_outbox WHERE event_seq = events.seq)
    ORDER BY seq LIMIT ?`;
  return connection.all(sql, keepMs, SLICE_ROWS);
}

/** Not only ended ones: some agents never report the end of a session. */
function* pruneSessions(connection: Connection, before: number): Query<number> {
  const sql = `DELETE FROM sessions WHERE key IN (
      SELECT key FROM sessions
      WHERE state = ? AND last_event_at < ?
        AND NOT EXISTS (SELECT 1 FROM events WHERE id = sessions.last_event_id)
        AND NOT EXISTS (SELECT 1 FROM alerts WHERE session_key = sessions.key AND ${LIVE})
      ORDER BY last_event_at LIMIT ?)`;
  let removed = 0;
  for (const state of sessionStates)
    removed += yield* connection.run(sql, state, before, SLICE_ROWS);
  return removed;
}
