import type { Answered, Cancellation } from '../core/alert.ts';
import { HELD, UNSENT } from './deliveries.ts';
import type { Connection, Query } from './query.ts';
import type { Value } from './row.ts';

/**
 * Cancels the unsent deliveries of an alert. Excepted channels get those in the outbox and those that wait only to know
 * whether the session still runs, but no later step.
 */
export function* cancelAlertDeliveries(
  connection: Connection,
  { alertId, fromStep, exceptChannels, reason }: Cancellation,
): Query<void> {
  yield* cancelWhere(connection, reason, {
    condition: `alert_id = ? AND ${UNSENT} AND step >= ? AND (held_for <> 'running' OR channel NOT IN (SELECT value FROM json_each(?)))`,
    values: [alertId, fromStep, JSON.stringify(exceptChannels)],
  });
}

/** Cancels deliveries of answered requests. */
export function* cancelHeldForAnswer(
  connection: Connection,
  { alertId, sessionKey, at, reason }: Answered,
): Query<void> {
  yield* cancelWhere(connection, reason, {
    condition: `${HELD} AND held_for = 'settle' AND session_key = ? AND alert_id = coalesce(?, alert_id) AND ? >= (SELECT events.at FROM events WHERE events.id = deliveries.event_id)`,
    values: [sessionKey, alertId, at],
  });
}

/**
 * Returns how many. An attempt in flight cannot be cancelled and may arrive, so a claimed delivery keeps its state and
 * only gets no further attempt.
 */
export function* cancelWhere(
  connection: Connection,
  reason: string,
  { condition, values }: { readonly condition: string; readonly values: readonly Value[] },
): Query<number> {
  const sql = `UPDATE deliveries SET state = 'cancelled', held_for = NULL, reason = ? WHERE ${condition} AND claimed_until IS NULL`;
  const idle = yield* connection.run(sql, reason, ...values);
  const updateDeliveries = `UPDATE deliveries SET cancel_reason = ? WHERE ${condition} AND claimed_until IS NOT NULL AND cancel_reason IS NULL`;
  const underWay = yield* connection.run(updateDeliveries, reason, ...values);
  return idle + underWay;
}
