import type { Withdrawal } from '../core/outbox.ts';
import { type Connection, mapEach, type Query } from './query.ts';
import { readDelivery, SELECT_DELIVERIES } from './deliveries.ts';
import { eventById } from './events.ts';
import { read, type Row } from './row.ts';
import { sessionByKey } from './session-store.ts';

/** Notifications to withdraw: sent and with the channel's reference, or given up although they may have arrived. */
const TO_WITHDRAW =
  "withdraw_reason IS NOT NULL AND (state = 'sent' AND ref IS NOT NULL OR state IN ('cancelled', 'dead') AND possible_duplicate = 1)";

/** Marks the notifications of an alert for withdrawal, but no message that covers other events: those may be open. */
export function* noteWithdrawal(
  connection: Connection,
  { alertId, cause, reason }: Pick<Withdrawal, 'cause' | 'reason'> & { readonly alertId: string },
): Query<void> {
  const sql = `UPDATE deliveries SET withdraw_reason = ?, withdraw_cause = ? WHERE alert_id = ?
      AND (state IN ('pending', 'retrying', 'sent') OR state IN ('cancelled', 'dead') AND possible_duplicate = 1)
      AND NOT EXISTS (SELECT 1 FROM deliveries AS joined WHERE joined.told_by = deliveries.id)`;
  yield* connection.run(sql, reason, cause, alertId);
}

/** In the order in which they were accepted. */
export function* withdrawalsOf(
  connection: Connection,
  channel: string,
  limit: number,
): Query<readonly Withdrawal[]> {
  const sql = `${SELECT_DELIVERIES} WHERE ${TO_WITHDRAW} AND channel = ? ORDER BY seq LIMIT ?`;
  const rows = yield* connection.all(sql, channel, limit);
  return yield* mapEach(rows, function* readWithdrawal(row) {
    const delivery = readDelivery(row);
    const event = yield* eventById(connection, delivery.eventId);
    return {
      delivery,
      ref: delivery.state === 'sent' ? read.textOrNull(row, 'ref') : null,
      event,
      session: yield* sessionByKey(connection, event.sessionKey),
      cause: read.oneOf(row, 'withdraw_cause', ['acknowledged', 'over']),
      reason: read.text(row, 'withdraw_reason'),
      succeeded: yield* hasSuccessor(
        connection,
        event.sessionKey,
        row,
        read.textOrNull(row, 'ref'),
      ),
    };
  });
}

/** Removes the marks, except of those that were marked for something else meanwhile. */
export function* finishWithdrawals(
  connection: Connection,
  done: readonly Withdrawal[],
): Query<void> {
  for (const { delivery, cause, reason } of done) {
    const sql =
      'UPDATE deliveries SET withdraw_reason = NULL, withdraw_cause = NULL WHERE id = ? AND withdraw_reason = ? AND withdraw_cause = ?';
    yield* connection.run(sql, delivery.id, reason, cause);
  }
}

/**
 * Whether a newer message of the session was or will be sent to the channel and the recipient of a delivery.
 *
 * @param ref only one that was sent under this reference, or has none yet; null: any
 */
export function* hasSuccessor(
  connection: Connection,
  sessionKey: string,
  row: Row,
  ref: string | null = null,
): Query<boolean> {
  const releasedAt = read.integerOrNull(row, 'released_at') ?? read.integer(row, 'created_at');
  const sql = `SELECT 1 FROM deliveries
    WHERE channel = ? AND released_at >= ? AND (released_at > ? OR seq > ?)
      AND state IN ('pending', 'retrying', 'sent') AND session_key = ?
      AND recipient IS NOT DISTINCT FROM ? AND coalesce(ref = ?, 1 = 1) LIMIT 1`;
  const seq = read.integer(row, 'seq');
  const place = [sessionKey, read.textOrNull(row, 'recipient')];
  const since = [read.text(row, 'channel'), releasedAt, releasedAt, seq];
  return (yield* connection.get(sql, ...since, ...place, ref)) !== null;
}
