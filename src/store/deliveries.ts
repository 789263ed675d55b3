import type { Attempt, Delivery, NewDelivery } from '../core/delivery.ts';
import { deliveryStates } from '../core/delivery.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Connection } from './connection.ts';
import type { Row } from './row.ts';
import { flag, integer, integerOrNull, oneOf, text, textOrNull } from './row.ts';

/** Deliveries that are still to be sent. Their indexes are used only by conditions that say it in these words. */
export const UNSENT = "state IN ('pending', 'retrying')";

const attemptOutcomes = [
  'delivered',
  'retry',
  'failed',
  'unknown',
] as const satisfies readonly Attempt['outcome'][];

export function addDelivery(
  connection: Connection,
  delivery: NewDelivery,
  { event, now }: { readonly event: HookEvent; readonly now: number },
): void {
  connection.run(
    "INSERT INTO deliveries (id, event_id, alert_id, session_key, step, channel, state, due_at, created_at) VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?)",
    delivery.id,
    event.id,
    delivery.alertId,
    event.sessionKey,
    delivery.step,
    delivery.channel,
    delivery.dueAt,
    now,
  );
}

export function deliveriesOf(connection: Connection, eventId: string): readonly Delivery[] {
  return connection
    .all('SELECT * FROM deliveries WHERE event_id = ? ORDER BY seq', eventId)
    .map(readDelivery);
}

export function addAttempt(connection: Connection, deliveryId: string, attempt: Attempt): void {
  connection.run(
    'INSERT INTO attempts (delivery_id, number, started_at, duration_ms, outcome, reason) VALUES (?, ?, ?, ?, ?, ?)',
    deliveryId,
    attempt.number,
    attempt.startedAt,
    attempt.durationMs,
    attempt.outcome,
    attempt.reason,
  );
}

export function attemptsOf(connection: Connection, deliveryId: string): readonly Attempt[] {
  return connection
    .all('SELECT * FROM attempts WHERE delivery_id = ? ORDER BY seq', deliveryId)
    .map((row) => ({
      number: integer(row, 'number'),
      startedAt: integer(row, 'started_at'),
      durationMs: integer(row, 'duration_ms'),
      outcome: oneOf(row, 'outcome', attemptOutcomes),
      reason: textOrNull(row, 'reason'),
    }));
}

export function readDelivery(row: Row): Delivery {
  return {
    id: text(row, 'id'),
    eventId: text(row, 'event_id'),
    alertId: textOrNull(row, 'alert_id'),
    step: integer(row, 'step'),
    channel: text(row, 'channel'),
    state: oneOf(row, 'state', deliveryStates),
    dueAt: integer(row, 'due_at'),
    attempts: integer(row, 'attempts'),
    reason: textOrNull(row, 'reason'),
    ref: textOrNull(row, 'ref'),
    carry: textOrNull(row, 'carry'),
    possibleDuplicate: flag(row, 'possible_duplicate'),
    createdAt: integer(row, 'created_at'),
    sentAt: integerOrNull(row, 'sent_at'),
  };
}
