import type { Delivery, DeliveryState } from '../core/delivery.ts';
import type { Store } from '../core/store.ts';
import { cancelWhere } from './cancel.ts';
import { AWAKE_MS, ELAPSED_MS } from './clock.ts';
import type { Connection } from './connection.ts';
import { readDelivery, SELECT_DELIVERIES, UNSENT } from './deliveries.ts';

/** In the order in which they are due. */
export function listDeliveries(
  connection: Connection,
  states: readonly DeliveryState[],
  limit: number,
): readonly Delivery[] {
  // One search a state, because the index is in the order of time only within a state.
  return [...new Set(states)]
    .flatMap((state) =>
      connection
        .all(`${SELECT_DELIVERIES} WHERE state = ? ORDER BY due_at, seq LIMIT ?`, state, limit)
        .map(readDelivery),
    )
    .toSorted((a, b) => a.dueAt - b.dueAt)
    .slice(0, limit);
}

/** Makes dead letters of what has waited too long for a channel and is not claimed; returns how many. */
export function giveUpDeliveries(
  connection: Connection,
  { channel, waitedMs, reason, limit }: Parameters<Store['giveUp']>[0],
): number {
  return connection.run(
    `UPDATE deliveries SET state = 'dead', reason = ?, dead_elapsed_ms = ${ELAPSED_MS} WHERE seq IN (
      SELECT seq FROM deliveries
      WHERE channel = ? AND ${UNSENT} AND held_for IS NULL AND claimed_until IS NULL
        AND ${AWAKE_MS} - released_awake_ms >= ?
      LIMIT ?)`,
    reason,
    channel,
    waitedMs,
    limit,
  );
}

/** Cancels unsent and dead deliveries; answers how many. */
export function dropDeliveries(
  connection: Connection,
  ids: readonly string[] | 'all',
  reason: string,
): number {
  const conditions =
    ids === 'all'
      ? [UNSENT, "state = 'dead'"].map((condition) => ({ condition, values: [] }))
      : [...new Set(ids)].map((id) => ({
          condition: `id = ? AND (${UNSENT} OR state = 'dead')`,
          values: [id],
        }));
  let dropped = 0;
  for (const which of conditions) {
    // What was to be told together with it is dropped with it.
    connection.run(
      `UPDATE deliveries SET told_by = NULL, reason = ? WHERE told_by IN (SELECT id FROM deliveries WHERE ${which.condition})`,
      reason,
      ...which.values,
    );
    dropped += cancelWhere(connection, reason, which);
  }
  return dropped;
}

/** Makes dead or cancelled deliveries due, with all their attempts before them again; answers how many. */
export function retryDeliveries(
  connection: Connection,
  ids: readonly string[] | 'all-dead',
  now: number,
): number {
  const revive = `UPDATE deliveries SET state = 'pending', due_at = ?, released_at = ?, released_awake_ms = ${AWAKE_MS}, told_by = NULL, attempts = 0, failures = 0, dead_elapsed_ms = NULL, reason = NULL`;
  if (ids === 'all-dead') return connection.run(`${revive} WHERE state = 'dead'`, now, now);
  let revived = 0;
  for (const id of ids) {
    revived += connection.run(
      `${revive} WHERE id = ? AND state IN ('dead', 'cancelled')`,
      now,
      now,
      id,
    );
  }
  return revived;
}

/** Makes what waits for its next attempt by this channel due now, except what is claimed; answers how many. */
export function retryNow(connection: Connection, channel: string, now: number): number {
  return connection.run(
    `UPDATE deliveries SET due_at = ? WHERE channel = ? AND state = 'retrying' AND due_at > ? AND claimed_until IS NULL`,
    now,
    channel,
    now,
  );
}
