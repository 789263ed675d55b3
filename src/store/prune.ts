import { setTimeout as delay } from 'node:timers/promises';

import { sessionStates } from '../core/session.ts';
import type { Upkeep } from '../core/store-aging.ts';
import { LIVE } from './alerts.ts';
import { audit } from './audit-store.ts';
import { countElapsedTime, ELAPSED_MS, forgetMarks, lastEventOlderThan } from './clock.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { UNSENT } from './deliveries.ts';
import { readCounts } from './queue-store.ts';
import type { Row } from './row.ts';
import { readFlag, readInteger } from './row.ts';
import { pruneWaits } from './waits.ts';

type Limits = Parameters<Upkeep['prune']>[0];

/** Maximum rows of a table per transaction … */
const SLICE_ROWS = 50;
/** … and time after which it starts no further row, ms: a commit may have to wait for it. */
const SLICE_MS = 5;
/** Pages returned to the file system per step; about 0.2 ms. */
const VACUUMED_PAGES = 16;
/** Below both of these, free pages are kept for the next events. */
const SPARE_PAGES = 256;
const SPARE_SHARE = 0.1;
/** By no clock. */
const BEFORE_ANYTHING = Number.MIN_SAFE_INTEGER;

export function upkeepOn(database: Database): Upkeep {
  const { reads, writes } = database;
  return {
    countElapsedTime: writes(countElapsedTime),
    prune: (limits) => prune(database, limits),
    audit: reads(audit),
    counts: reads(readCounts),
  };
}

/**
 * Removes events older than `keepMs`, and the oldest ones until the database is at most `maxBytes`, with all their
 * dependent rows; then the file is truncated to that size. Returns how many events were removed. It works in
 * transactions of a few milliseconds and rests after each for as long as it took, so that commits get their turn, until
 * the limits hold, nothing more may be removed, or `signal` is aborted.
 */
async function prune({ connection, writes }: Database, limits: Limits): Promise<number> {
  const nextSlice = writes(pruneSlice);
  let total = 0;
  let isChanged = false;
  while (limits.signal?.aborted !== true) {
    if (!connection.guarded(() => hasWork(connection, limits))) break;
    const startedAt = performance.now();
    const { removed, isOver } = await nextSlice(limits);
    total += removed;
    if (isOver) break;
    isChanged = true;
    await delay(performance.now() - startedAt);
  }
  // The file is truncated when the log is moved into it, which may be much later.
  if (isChanged) connection.guarded(() => connection.cutLog());
  return total;
}

/** Whether a transaction is worth its wait for the disk. */
function hasWork(connection: Connection, { keepMs, before, maxBytes }: Limits): boolean {
  const { fileBytes } = sizeOf(connection);
  if (fileBytes > maxBytes || hasSpare(connection)) return true;
  const lastOld = keepMs === undefined ? 0 : lastEventOlderThan(connection, keepMs);
  return isAnythingOld(connection, lastOld, before ?? BEFORE_ANYTHING);
}

function isAnythingOld(connection: Connection, lastOld: number, before: number): boolean {
  const row = connection.get(
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

function pruneSlice(
  connection: Connection,
  { keepMs, before: wallLimit, maxBytes }: Limits,
): Slice {
  const before = wallLimit ?? BEFORE_ANYTHING;
  const lastOld = keepMs === undefined ? 0 : lastEventOlderThan(connection, keepMs);
  if (keepMs !== undefined) forgetMarks(connection, keepMs);
  const until = performance.now() + SLICE_MS;
  let removed = 0;
  for (const row of oldestFinished(connection, keepMs ?? 0)) {
    const isOld = readInteger(row, 'seq') <= lastOld;
    const isKept = !isOld || readFlag(row, 'died_lately');
    if (isKept && sizeOf(connection).usedBytes <= maxBytes) {
      if (!isOld) break;
      continue;
    }
    connection.run('DELETE FROM events WHERE seq = ?', readInteger(row, 'seq'));
    removed += 1;
    if (performance.now() > until) break;
  }
  let others = pruneSessions(connection, before);
  others += connection.run(
    'DELETE FROM quarantine WHERE id IN (SELECT id FROM quarantine WHERE at < ? ORDER BY at LIMIT ?)',
    before,
    SLICE_ROWS,
  );
  others += connection.run('DELETE FROM mutes WHERE until < ?', before);
  others += pruneWaits(connection, before, SLICE_ROWS);
  let vacuumed = 0;
  // At least once, however long the rest took: otherwise no work would seem left.
  do {
    if (sizeOf(connection).fileBytes <= maxBytes && !hasSpare(connection)) break;
    const freed = vacuum(connection);
    if (freed === 0) break;
    vacuumed += freed;
  } while (performance.now() < until);
  return { removed, isOver: removed + others + vacuumed === 0 };
}

/** Finished: all its deliveries have ended, it has no live alert, and its relay is done if it has one. */
function oldestFinished(connection: Connection, keepMs: number): readonly Row[] {
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
function pruneSessions(connection: Connection, before: number): number {
  let removed = 0;
  for (const state of sessionStates) {
    removed += connection.run(
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

/** Returns free pages to the file system; the result is their number. */
function vacuum(connection: Connection): number {
  const before = pragma(connection, 'page_count');
  connection.all(`PRAGMA incremental_vacuum(${VACUUMED_PAGES})`);
  return before - pragma(connection, 'page_count');
}

/** Whether more pages are free than the next events will need, in a file that can shrink. */
function hasSpare(connection: Connection): boolean {
  const free = pragma(connection, 'freelist_count');
  if (free <= SPARE_PAGES || free <= SPARE_SHARE * pragma(connection, 'page_count')) return false;
  return pragma(connection, 'auto_vacuum') !== 0;
}

function sizeOf(connection: Connection): {
  readonly fileBytes: number;
  readonly usedBytes: number;
} {
  const pageBytes = pragma(connection, 'page_size');
  const pages = pragma(connection, 'page_count');
  const free = pragma(connection, 'freelist_count');
  return { fileBytes: pages * pageBytes, usedBytes: (pages - free) * pageBytes };
}

function pragma(connection: Connection, name: string): number {
  const row = connection.get(`PRAGMA ${name}`);
  return row === null ? 0 : readInteger(row, name);
}
