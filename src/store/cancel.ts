import type { Answered, Cancellation } from '../core/alert.ts';
import type { Connection } from './connection.ts';
import { HELD, UNSENT } from './deliveries.ts';
import type { Value } from './driver.ts';

/** A condition on deliveries, with the values of its parameters. */
interface Which {
  readonly condition: string;
  readonly values: readonly Value[];
}

/** Cancels what an alert has not sent yet. The excepted channels get what is in the outbox, but no step that is not due. */
export function cancelAlertDeliveries(connection: Connection, cancellation: Cancellation): void {
  cancelWhere(connection, cancellation.reason, {
    condition: `alert_id = ? AND ${UNSENT} AND step >= ? AND (held_for IS NOT NULL OR channel NOT IN (SELECT value FROM json_each(?)))`,
    values: [
      cancellation.alertId,
      cancellation.fromStep,
      JSON.stringify(cancellation.exceptChannels),
    ],
  });
}

/** Cancels what settles of requests that were answered. */
export function cancelSettling(
  connection: Connection,
  { alertId, sessionKey, at, reason }: Answered,
): void {
  cancelWhere(connection, reason, {
    condition: `${HELD} AND held_for = 'settle' AND session_key = ? AND alert_id = coalesce(?, alert_id) AND ? >= (SELECT events.at FROM events WHERE events.id = deliveries.event_id)`,
    values: [sessionKey, alertId, at],
  });
}

/**
 * Answers how many. An attempt that is under way cannot be taken back and may well arrive, so a claimed delivery keeps
 * its state and only gets no further attempt.
 */
export function cancelWhere(
  connection: Connection,
  reason: string,
  { condition, values }: Which,
): number {
  const idle = connection.run(
    `UPDATE deliveries SET state = 'cancelled', held_for = NULL, reason = ? WHERE ${condition} AND claimed_until IS NULL`,
    reason,
    ...values,
  );
  const underWay = connection.run(
    `UPDATE deliveries SET cancel_reason = ? WHERE ${condition} AND claimed_until IS NOT NULL AND cancel_reason IS NULL`,
    reason,
    ...values,
  );
  return idle + underWay;
}
