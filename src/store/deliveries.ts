import { z } from 'zod';

import {
  type Attempt,
  type Delivery,
  deliveryStates,
  type HoldReason,
  holdReasons,
  INBOX,
  type NewDelivery,
} from '../core/delivery.ts';
import { isTryout } from '../core/hand-made.ts';
import type { HookEvent } from '../core/hook-event.ts';
import { AWAKE_MS } from './clock.ts';
import type { Connection, Query } from './query.ts';
import {
  type Fields,
  asFlag,
  insertInto,
  asInteger,
  asJson,
  asWord,
  nullable,
  readIntegerOrNull,
  readText,
  type Row,
  stepCondition,
  stored,
  asText,
} from './row.ts';

/** Deliveries still to be sent. SQLite uses their indexes only for conditions with exactly this text. */
export const UNSENT = "state IN ('pending', 'retrying')";
/** Deliveries that are decided again when due. */
export const HELD = "state = 'pending' AND held_for IS NOT NULL";

/** Selects deliveries with everything `readDelivery` needs. */
export const SELECT_DELIVERIES = `SELECT *, (
  SELECT json_group_array(event_id) FROM (
    SELECT event_id FROM deliveries AS joined WHERE joined.told_by = deliveries.id ORDER BY joined.seq
  ) AS covered
) AS also_covers, max(0, ${AWAKE_MS} - released_awake_ms) AS waited_ms FROM deliveries`;

const attemptOutcomes = [
  'delivered',
  'retry',
  'failed',
  'unknown',
] as const satisfies readonly Attempt['outcome'][];

const attemptFields = stored<Attempt>({
  number: asInteger,
  startedAt: asInteger,
  durationMs: asInteger,
  outcome: asWord(attemptOutcomes),
  reason: nullable(asText),
});

const insertAttempt = insertInto('attempts', ['delivery_id', ...attemptFields.columns]);

const newFields: Fields<NewDelivery> = {
  id: asText,
  channel: asText,
  recipient: nullable(asText),
  alertId: nullable(asText),
  step: asInteger,
  repetition: asInteger,
  delayMs: asInteger,
  condition: stepCondition,
  dueAt: asInteger,
  heldFor: nullable(asWord(holdReasons)),
  quietly: asFlag,
};

const newDelivery = stored(newFields);

const storedDelivery = stored<Delivery>({
  ...newFields,
  eventId: asText,
  state: asWord(deliveryStates),
  stillRunning: asFlag,
  alsoCovers: asJson(z.array(z.string())),
  attempts: asInteger,
  failures: asInteger,
  waitedMs: asInteger,
  reason: nullable(asText),
  ref: nullable(asText),
  carry: nullable(asText),
  possibleDuplicate: asFlag,
  createdAt: asInteger,
  sentAt: nullable(asInteger),
});

/** @param row of `SELECT_DELIVERIES` */
export const readDelivery: (row: Row) => Delivery = storedDelivery.read;

/**
 * Puts a delivery into the outbox. An inbox delivery that is not held counts as sent immediately: its row is the
 * message, and half of all deliveries are of this kind.
 */
export function* addDelivery(
  connection: Connection,
  delivery: NewDelivery,
  { event, now }: { readonly event: HookEvent; readonly now: number },
): Query<void> {
  const isSent = delivery.channel === INBOX && delivery.heldFor === null;
  yield* connection.run(
    `INSERT INTO deliveries (${newDelivery.columns.join(', ')}, event_id, session_key, state, released_at, created_at, attempts, sent_at, released_awake_ms)
    VALUES (${newDelivery.columns.map(() => '?').join(', ')}, ?, ?, ?, ?, ?, ?, ?, ${AWAKE_MS})`,
    ...newDelivery.valuesOf(delivery),
    event.id,
    event.sessionKey,
    isSent ? 'sent' : 'pending',
    // Without it a message does not count as traffic, so a test makes no burst of the event that follows.
    delivery.heldFor === null && !isTryout(event.sessionId) ? now : null,
    now,
    isSent ? 1 : 0,
    isSent ? now : null,
  );
  if (!isSent) return;
  const attempt: Attempt = {
    number: 1,
    startedAt: now,
    durationMs: 0,
    outcome: 'delivered',
    reason: null,
  };
  yield* addAttempt(connection, delivery.id, attempt);
}

/** Makes deliveries held for this reason due, each step after its planned delay from now; returns how many. */
export function* reevaluateHeld(
  connection: Connection,
  heldFor: HoldReason,
  now: number,
): Query<number> {
  return yield* connection.run(
    `UPDATE deliveries SET due_at = ? + delay_ms WHERE ${HELD} AND held_for = ? AND due_at > ? + delay_ms`,
    now,
    heldFor,
    now,
  );
}

export function* deliveriesOf(connection: Connection, eventId: string): Query<readonly Delivery[]> {
  return (yield* connection.all(
    `${SELECT_DELIVERIES} WHERE event_id = ? ORDER BY seq`,
    eventId,
  )).map(readDelivery);
}

export function addAttempt(
  connection: Connection,
  deliveryId: string,
  attempt: Attempt,
): Query<number> {
  return connection.run(insertAttempt, deliveryId, ...attemptFields.valuesOf(attempt));
}

export function* attemptsOf(connection: Connection, deliveryId: string): Query<readonly Attempt[]> {
  return (yield* connection.all(
    'SELECT * FROM attempts WHERE delivery_id = ? ORDER BY seq',
    deliveryId,
  )).map(attemptFields.read);
}

/** Longest delay of an attempt, ms: the longest time a circuit stays open. */
const LONGEST_WAIT_MS = 900_000;

/**
 * Returns how many unsent deliveries were moved. Claimed ones are included: one released unsent would wait until the
 * time of the wrong clock.
 */
export function* shiftForClock(connection: Connection, now: number): Query<number> {
  // Not after deliveries accepted since the clock was set, which arrived later.
  const first = yield* connection.get(
    `SELECT min(due_at) AS due_at FROM deliveries WHERE ${UNSENT} AND created_at <= ?`,
    now,
  );
  const base = Math.min(now, (first === null ? null : readIntegerOrNull(first, 'due_at')) ?? now);
  const moved = yield* connection.run(
    `UPDATE deliveries SET due_at = ? + CASE WHEN held_for IS NULL THEN 0 ELSE due_at - created_at END, created_at = ?
    WHERE ${UNSENT} AND created_at > ?`,
    base,
    now,
    now,
  );
  const retried = yield* connection.run(
    `UPDATE deliveries SET due_at = ?
    WHERE state = 'retrying' AND due_at > ?`,
    now,
    now + LONGEST_WAIT_MS,
  );
  // A lease would last for as long as the clock was wrong.
  yield* connection.run(
    `UPDATE deliveries SET claimed_until = ? + claimed_until - claimed_at, claimed_at = ?
    WHERE claimed_until IS NOT NULL AND claimed_at > ?`,
    now,
    now,
    now,
  );
  // Releases in the future would count as traffic of the last hour until then.
  const channels = yield* connection.all('SELECT channel FROM channel_states');
  for (const row of channels) {
    yield* connection.run(
      'UPDATE deliveries SET released_at = ? WHERE channel = ? AND released_at > ?',
      now,
      readText(row, 'channel'),
      now,
    );
  }
  return moved + retried;
}
