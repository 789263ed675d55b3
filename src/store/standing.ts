import type { Store } from '../core/store.ts';
import type { Connection } from './connection.ts';
import { readDelivery, SELECT_DELIVERIES } from './deliveries.ts';
import { text } from './row.ts';
import { wholeDelivery } from './whole-delivery.ts';
import { hasSuccessor } from './withdrawals.ts';

/** What a channel shows of live alerts: it was sent, and its channel knows it by a reference. */
export function standingDeliveries(
  connection: Connection,
  channel: string,
  limit: number,
): Awaited<ReturnType<Store['standing']>> {
  const rows = connection.all(
    `${SELECT_DELIVERIES} WHERE alert_id IN (SELECT id FROM alerts WHERE state IN ('open', 'acknowledged'))
      AND channel = ? AND state = 'sent' AND ref IS NOT NULL AND withdraw_reason IS NULL ORDER BY seq DESC`,
    channel,
  );
  return rows
    .filter((row) => !hasSuccessor(connection, text(row, 'session_key'), row))
    .slice(0, limit)
    .map((row) => ({
      ...wholeDelivery(connection, readDelivery(row)),
      ref: text(row, 'ref'),
    }))
    .toReversed();
}
