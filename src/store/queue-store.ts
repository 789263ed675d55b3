import type { Counts } from '../core/store-aging.ts';
import type { ChannelState, Delivery } from '../core/delivery.ts';
import type { DeliveryQueue, Outbox } from '../core/outbox.ts';
import { AWAKE_MS, ELAPSED_MS } from './clock.ts';
import { type Connection, mapEach, type Query } from './query.ts';
import type { Database } from './database.ts';
import { readDelivery, SELECT_DELIVERIES, UNSENT, cancelWhere } from './deliveries.ts';
import { field, nullable, read, stored, upsertInto } from './row.ts';

const storedState = stored<ChannelState>({
  channel: field.text,
  notBefore: field.integer,
  circuit: field.word(['closed', 'open', 'half-open']),
  openUntil: nullable(field.integer),
  failures: field.integer,
  lastOutcome: nullable(field.word(['delivered', 'retry', 'failed'])),
  lastReason: nullable(field.text),
  lastAt: nullable(field.integer),
  missingMs: field.integer,
});

const upsertChannelState = upsertInto('channel_states', storedState.columns, 'channel');

export function* saveChannelState(connection: Connection, state: ChannelState): Query<void> {
  yield* connection.run(upsertChannelState, ...storedState.valuesOf(state));
}

export function* listChannelStates(connection: Connection): Query<readonly ChannelState[]> {
  const rows = yield* connection.all('SELECT * FROM channel_states ORDER BY channel');
  return rows.map(storedState.read);
}

export function deliveryQueueOn({ reads, writes }: Database): DeliveryQueue {
  return {
    list: reads(listDeliveries),
    retry: writes(retryDeliveries),
    drop: writes(dropDeliveries),
  };
}

/** In order of due time. */
function* listDeliveries(
  connection: Connection,
  { states, limit }: Parameters<DeliveryQueue['list']>[0],
): Query<readonly Delivery[]> {
  // One search per state, because the index is in order of time only within a state.
  const sql = `${SELECT_DELIVERIES} WHERE state = ? ORDER BY due_at, seq LIMIT ?`;
  const rows = yield* mapEach([...new Set(states)], (state) => connection.all(sql, state, limit));
  return rows
    .flat()
    .map(readDelivery)
    .toSorted((a, b) => a.dueAt - b.dueAt)
    .slice(0, limit);
}

/** For each channel with deliveries in the outbox: when the first of them can be claimed. */
export function* dueTimes(connection: Connection): Query<ReadonlyMap<string, number>> {
  // Jumps from channel to channel without walking through a backlog.
  const rows = yield* connection.all(`
    WITH RECURSIVE busy (channel) AS (
      SELECT min(channel) FROM deliveries WHERE is_next = 1
      UNION ALL
      SELECT (SELECT min(channel) FROM deliveries WHERE is_next = 1 AND channel > busy.channel)
      FROM busy WHERE busy.channel IS NOT NULL
    )
    SELECT channel, (
      SELECT min(ready_at) FROM deliveries WHERE is_next = 1 AND channel = busy.channel
    ) AS ready_at FROM busy WHERE channel IS NOT NULL`);
  return new Map(rows.map((row) => [read.text(row, 'channel'), read.integer(row, 'ready_at')]));
}

/** Takes them by a function that only the server has. */
export function* takeTokens(
  connection: Connection,
  { channel, burst, refillMs, wanted }: Parameters<NonNullable<Outbox['takeTokens']>>[0],
): Query<{ readonly granted: number; readonly waitMs: number }> {
  const sql = 'SELECT granted, wait_ms FROM take_tokens(?, ?, ?, ?)';
  const row = yield* connection.get(sql, channel, burst, refillMs, wanted);
  return row === null
    ? { granted: 0, waitMs: 0 }
    : { granted: read.integer(row, 'granted'), waitMs: read.integer(row, 'wait_ms') };
}

/** Turns unclaimed deliveries that have waited too long for a channel into dead letters; returns how many. */
export function giveUpDeliveries(
  connection: Connection,
  { channel, waitedMs, reason, limit }: Parameters<Outbox['giveUp']>[0],
): Query<number> {
  const sql = `UPDATE deliveries SET state = 'dead', reason = ?, dead_elapsed_ms = ${ELAPSED_MS} WHERE seq IN (
      SELECT seq FROM deliveries
      WHERE channel = ? AND ${UNSENT} AND held_for IS NULL AND claimed_until IS NULL
        AND ${AWAKE_MS} - released_awake_ms >= ?
      LIMIT ?)`;
  return connection.run(sql, reason, channel, waitedMs, limit);
}

/** Cancels unsent and dead deliveries; returns how many. */
function* dropDeliveries(
  connection: Connection,
  ids: readonly string[] | 'all',
  reason: string,
): Query<number> {
  const conditions =
    ids === 'all'
      ? [UNSENT, "state = 'dead'"].map((condition) => ({ condition, values: [] }))
      : [...new Set(ids)].map((id) => ({
          condition: `id = ? AND (${UNSENT} OR state = 'dead')`,
          values: [id],
        }));
  let dropped = 0;
  for (const which of conditions) {
    // Deliveries combined into it are cancelled with it.
    const sql = `UPDATE deliveries SET told_by = NULL, reason = ? WHERE told_by IN (SELECT id FROM deliveries WHERE ${which.condition})`;
    yield* connection.run(sql, reason, ...which.values);
    dropped += yield* cancelWhere(connection, reason, which);
  }
  return dropped;
}

/** Makes dead or cancelled deliveries due, with their attempts reset; returns how many. */
function* retryDeliveries(
  connection: Connection,
  ids: readonly string[] | 'all-dead',
  now: number,
): Query<number> {
  const revive = `UPDATE deliveries SET state = 'pending', due_at = ?1, released_at = ?1, released_awake_ms = ${AWAKE_MS}, told_by = NULL, attempts = 0, failures = 0, dead_elapsed_ms = NULL, reason = NULL`;
  if (ids === 'all-dead') return yield* connection.run(`${revive} WHERE state = 'dead'`, now);
  const one = `${revive} WHERE id = ?2 AND state IN ('dead', 'cancelled')`;
  let revived = 0;
  for (const id of ids) revived += yield* connection.run(one, now, id);
  return revived;
}

/** Makes deliveries that wait for a retry on this channel due now, except claimed ones; returns how many. */
export function retryNow(connection: Connection, channel: string, now: number): Query<number> {
  const sql = `UPDATE deliveries SET due_at = ?1 WHERE channel = ?2 AND (state = 'retrying' OR (state = 'pending' AND held_for = 'hidden')) AND due_at > ?1 AND claimed_until IS NULL`;
  return connection.run(sql, now, channel);
}

export function* readCounts(connection: Connection): Query<Counts> {
  const counted = new Map(
    (yield* connection.all('SELECT thing, state, count FROM counters')).map((row) => [
      `${read.text(row, 'thing')} ${read.text(row, 'state')}`,
      read.integer(row, 'count'),
    ]),
  );
  const count = (thing: string, state: string): number => counted.get(`${thing} ${state}`) ?? 0;
  return {
    events: count('event', ''),
    deliveries: {
      pending: count('delivery', 'pending'),
      retrying: count('delivery', 'retrying'),
      sent: count('delivery', 'sent'),
      dead: count('delivery', 'dead'),
      cancelled: count('delivery', 'cancelled'),
    },
    sessions: {
      working: count('session', 'working'),
      waiting: count('session', 'waiting'),
      paused: count('session', 'paused'),
      done: count('session', 'done'),
      failed: count('session', 'failed'),
      ended: count('session', 'ended'),
    },
  };
}
