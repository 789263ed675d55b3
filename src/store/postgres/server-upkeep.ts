import { setTimeout as delay } from 'node:timers/promises';

import type { Upkeep } from '../../core/store-aging.ts';
import { LIVE } from '../alerts.ts';
import { selfCheck } from '../self-check.ts';
import { countElapsedTime, ELAPSED_MS, forgetMarks, lastEventOlderThan } from '../clock.ts';
import type { Database, Work } from '../database.ts';
import { UNSENT } from '../deliveries.ts';
import type { Connection, Query } from '../query.ts';
import { readCounts } from '../queue-store.ts';
import { read, type Value } from '../row.ts';
import { STATES } from '../upkeep.ts';
import { pruneWaits } from '../wait-store.ts';

type Limits = Parameters<Upkeep['prune']>[0];

/** Rows of a table per transaction: it takes some 50 ms, for which a write that locks the whole store may have to wait. */
const BATCH_ROWS = 500;

/**
 * On a server many rows are removed by each statement, and others write meanwhile: what they have locked stays until the
 * next time.
 */
export function serverUpkeepOn(database: Database): Upkeep {
  return {
    countElapsedTime: database.writes(countElapsedTime),
    prune: (limits) => prune(database, limits),
    selfCheck: database.reads(selfCheck),
    counts: database.reads(readCounts),
  };
}

/** Nothing is removed because of its size, unless nothing at all is to be kept: an administrator sees to the room. */
async function prune(
  { writesBeside }: Database,
  { keepMs, before, maxBytes, signal }: Limits,
): Promise<number> {
  const isAborted = (): boolean => signal?.aborted === true;
  const nextEvents = writesBeside(removeEvents);
  let removed = 0;
  let after = maxBytes === 0 || keepMs !== undefined ? 0 : null;
  while (after !== null && !isAborted()) {
    const startedAt = performance.now();
    const batch: Batch = await nextEvents(after, maxBytes === 0 ? null : (keepMs ?? null));
    removed += batch.removed;
    after = batch.last;
    await delay(performance.now() - startedAt);
  }
  if (keepMs !== undefined) await writesBeside(forgetMarks)(keepMs);
  if (before === null) return removed;
  const removals: Work<[before: number], number>[] = [
    removeSessions,
    removeQuarantined,
    (connection, limit) => connection.run('DELETE FROM mutes WHERE until < ?', limit),
    (connection, limit) => pruneWaits(connection, limit, BATCH_ROWS),
  ];
  for (const remove of removals) {
    const next = writesBeside(remove);
    while (!isAborted() && (await next(before)) >= BATCH_ROWS);
  }
  return removed;
}

interface Batch {
  readonly removed: number;
  /** The last event that was looked at; null: there are no more. */
  readonly last: number | null;
}

/**
 * Removes the next finished events older than `keepMs`; null: of any age. Their rows are locked first, so that nothing is added to them,
 * then what decides whether they are finished. Only a later statement sees what was committed before a lock, so it checks
 * them again.
 */
function* removeEvents(connection: Connection, after: number, keepMs: number | null): Query<Batch> {
  const newest =
    keepMs === null ? Number.MAX_SAFE_INTEGER : yield* lastEventOlderThan(connection, keepMs);
  const selectEvents = `SELECT max(seq) AS last, count(*) AS count FROM (
      SELECT seq FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${BATCH_ROWS}
    ) AS next`;
  const window = yield* connection.get(selectEvents, after, newest);
  const last = window === null ? null : read.integerOrNull(window, 'last');
  if (window === null || last === null) return { removed: 0, last: null };
  // Dead letters too: none died in the future.
  const keepDeadMs = keepMs ?? -Number.MAX_SAFE_INTEGER;
  const idsOf = function* (sql: string, ...values: readonly Value[]): Query<string> {
    return JSON.stringify(
      (yield* connection.all(sql, ...values)).map((row) => read.text(row, 'id')),
    );
  };
  const events = yield* idsOf(
    `SELECT id FROM events WHERE seq > ? AND seq <= ? AND ${FINISHED} FOR UPDATE SKIP LOCKED`,
    after,
    last,
    keepDeadMs,
  );
  const deliveries = yield* idsOf(
    `SELECT id FROM deliveries WHERE event_id IN ${LISTED} FOR UPDATE SKIP LOCKED`,
    events,
  );
  const alerts = yield* idsOf(
    `SELECT id FROM alerts WHERE event_id IN ${LISTED} FOR UPDATE SKIP LOCKED`,
    events,
  );
  const sure = yield* idsOf(
    `SELECT id FROM events WHERE id IN ${LISTED} AND ${FINISHED}
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id AND id NOT IN ${LISTED})
      AND NOT EXISTS (SELECT 1 FROM alerts WHERE event_id = events.id AND id NOT IN ${LISTED})`,
    events,
    keepDeadMs,
    deliveries,
    alerts,
  );
  const removed = yield* connection.run(`DELETE FROM events WHERE id IN ${LISTED}`, sure);
  return { removed, last: read.integer(window, 'count') < BATCH_ROWS ? null : last };
}

const LISTED = '(SELECT value FROM json_each(?))';

/** All its deliveries have ended, none of them as a dead letter lately, it has no live alert, and its relay is done if it has one. */
const FINISHED = `NOT EXISTS (
    SELECT 1 FROM deliveries WHERE event_id = events.id
      AND (${UNSENT} OR state = 'dead' AND dead_elapsed_ms >= ${ELAPSED_MS} - ?)
  )
  AND NOT EXISTS (SELECT 1 FROM alerts WHERE event_id = events.id AND ${LIVE})
  AND NOT EXISTS (SELECT 1 FROM relay_outbox WHERE event_seq = events.seq)`;

/** Locked first, since an event that comes in may bring one back to life. */
function* removeSessions(connection: Connection, before: number): Query<number> {
  const silent = `state IN (${STATES}) AND last_event_at < ?
    AND NOT EXISTS (SELECT 1 FROM events WHERE id = sessions.last_event_id)
    AND NOT EXISTS (SELECT 1 FROM alerts WHERE session_key = sessions.key AND ${LIVE})`;
  const found = yield* connection.all(
    `SELECT key FROM sessions WHERE ${silent} LIMIT ${BATCH_ROWS}`,
    before,
  );
  const keys = found.map((row) => read.text(row, 'key'));
  if (keys.length === 0) return 0;
  yield* connection.lockSessions(keys);
  const sql = `DELETE FROM sessions WHERE key IN ${LISTED} AND ${silent}`;
  return yield* connection.run(sql, JSON.stringify(keys), before);
}

function removeQuarantined(connection: Connection, before: number): Query<number> {
  const old = `SELECT id FROM quarantine WHERE at < ? ORDER BY at LIMIT ${BATCH_ROWS}`;
  return connection.run(`DELETE FROM quarantine WHERE id IN (${old})`, before);
}
