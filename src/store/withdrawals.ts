import type { Withdrawal } from '../core/outbox.ts';
import type { Effects } from '../core/store.ts';
import type { Connection } from './connection.ts';
import { readDelivery, SELECT_DELIVERIES } from './deliveries.ts';
import { eventById } from './events.ts';
import type { Row } from './row.ts';
import { readInteger, readIntegerOrNull, readText } from './row.ts';
import { sessionByKey } from './session-store.ts';

/** Notifications to withdraw: sent, and with the channel's reference. */
const TO_WITHDRAW = "withdraw_reason IS NOT NULL AND state = 'sent' AND ref IS NOT NULL";

/**
 * Marks the notifications of an alert for withdrawal. A message combined with other events stays, because those may
 * still be open.
 */
export function noteWithdrawal(
  connection: Connection,
  { alertId, reason }: Effects['withdraw'][number],
): void {
  connection.run(
    "UPDATE deliveries SET withdraw_reason = ? WHERE alert_id = ? AND state IN ('pending', 'retrying', 'sent') AND NOT EXISTS (SELECT 1 FROM deliveries AS joined WHERE joined.told_by = deliveries.id)",
    reason,
    alertId,
  );
}

/** Returns each one once. */
export function takeWithdrawals(
  connection: Connection,
  channel: string,
  limit: number,
): readonly Withdrawal[] {
  return connection
    .all(
      `${SELECT_DELIVERIES} WHERE ${TO_WITHDRAW} AND channel = ? ORDER BY seq LIMIT ?`,
      channel,
      limit,
    )
    .map((row) => {
      const delivery = readDelivery(row);
      const event = eventById(connection, delivery.eventId);
      connection.run('UPDATE deliveries SET withdraw_reason = NULL WHERE id = ?', delivery.id);
      return {
        delivery,
        ref: readText(row, 'ref'),
        event,
        session: sessionByKey(connection, event.sessionKey),
        reason: readText(row, 'withdraw_reason'),
        succeeded: hasSuccessor(connection, event.sessionKey, row),
      };
    });
}

/** Whether a newer message of the session was or will be sent to the channel of a delivery. */
export function hasSuccessor(connection: Connection, sessionKey: string, row: Row): boolean {
  const releasedAt = readIntegerOrNull(row, 'released_at') ?? readInteger(row, 'created_at');
  const newer = connection.get(
    `SELECT 1 FROM deliveries
    WHERE channel = ? AND released_at >= ? AND (released_at > ? OR seq > ?)
      AND state IN ('pending', 'retrying', 'sent') AND session_key = ? LIMIT 1`,
    readText(row, 'channel'),
    releasedAt,
    releasedAt,
    readInteger(row, 'seq'),
    sessionKey,
  );
  return newer !== null;
}
