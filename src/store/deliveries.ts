import { z } from 'zod';
import {
  type Attempt,
  type Delivery,
  deliveryStates,
  holdReasons,
  type HoldReason,
  INBOX,
  type NewDelivery,
} from '../core/delivery.ts';
import { isTryout } from '../core/hand-made.ts';
import type { HookEvent } from '../core/hook-event.ts';
import { AWAKE_MS } from './clock.ts';
import type { Connection, Query } from './query.ts';
import {
  field,
  type Fields,
  insertInto,
  nullable,
  read,
  type Row,
  stepCondition,
  stored,
  type Value,
} from './row.ts';
import type { Answered, Cancellation } from '../core/alert.ts';

/** Deliveries still to be sent. SQLite uses their indexes only for conditions with exactly this text. */
export const UNSENT = "state IN ('pending', 'retrying')";
/** Deliveries that are decided again when due. */
export const HELD = "state = 'pending' AND held_for IS NOT NULL";

export const SELECT_DELIVERIES = `SELECT *, (
  SELECT json_group_array(event_id) FROM (
    SELECT event_id FROM deliveries AS joined WHERE joined.told_by = deliveries.id ORDER BY joined.seq
  ) AS covered
) AS also_covers, max(0, ${AWAKE_MS} - released_awake_ms) AS waited_ms FROM deliveries`;

const attemptFields = stored<Attempt>({
  number: field.integer,
  startedAt: field.integer,
  durationMs: field.integer,
  outcome: field.word(['delivered', 'retry', 'failed', 'unknown']),
  reason: nullable(field.text),
});

const insertAttempt = insertInto('attempts', ['delivery_id', ...attemptFields.columns]);

const newFields: Fields<NewDelivery> = {
  id: field.text,
  channel: field.text,
  recipient: nullable(field.text),
  alertId: nullable(field.text),
  step: field.integer,
  repetition: field.integer,
  delayMs: field.integer,
  condition: stepCondition,
  dueAt: field.integer,
  heldFor: nullable(field.word(holdReasons)),
  quietly: field.flag,
};

const newDelivery = stored(newFields);

const storedDelivery = stored<Delivery>({
  ...newFields,
  eventId: field.text,
  state: field.word(deliveryStates),
  stillRunning: field.flag,
  alsoCovers: field.json(z.array(z.string())),
  attempts: field.integer,
  failures: field.integer,
  waitedMs: field.integer,
  reason: nullable(field.text),
  ref: nullable(field.text),
  carry: nullable(field.text),
  possibleDuplicate: field.flag,
  createdAt: field.integer,
  sentAt: nullable(field.integer),
});

/** @param row of `SELECT_DELIVERIES` */
export const readDelivery: (row: Row) => Delivery = storedDelivery.read;

/** An inbox delivery that is not held counts as sent immediately: its row is the message. */
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
  const attempt = {
    number: 1,
    startedAt: now,
    durationMs: 0,
    outcome: 'delivered',
    reason: null,
  } as const;
  yield* addAttempt(connection, delivery.id, attempt);
}

/** Makes deliveries held for this reason due, each step after its planned delay from now; returns how many. */
export function reevaluateHeld(
  connection: Connection,
  heldFor: HoldReason,
  now: number,
): Query<number> {
  const sql = `UPDATE deliveries SET due_at = ?1 + delay_ms WHERE ${HELD} AND held_for = ?2 AND due_at > ?1 + delay_ms`;
  return connection.run(sql, now, heldFor);
}

export function* deliveriesOf(connection: Connection, eventId: string): Query<readonly Delivery[]> {
  const sql = `${SELECT_DELIVERIES} WHERE event_id = ? ORDER BY seq`;
  return (yield* connection.all(sql, eventId)).map(readDelivery);
}

export function addAttempt(
  connection: Connection,
  deliveryId: string,
  attempt: Attempt,
): Query<number> {
  return connection.run(insertAttempt, deliveryId, ...attemptFields.valuesOf(attempt));
}

export function* attemptsOf(connection: Connection, deliveryId: string): Query<readonly Attempt[]> {
  const sql = 'SELECT * FROM attempts WHERE delivery_id = ? ORDER BY seq';
  return (yield* connection.all(sql, deliveryId)).map(attemptFields.read);
}

/** Longest delay of an attempt, ms: the longest time a circuit stays open. */
const LONGEST_WAIT_MS = 900_000;
/** What is released is due at that moment: by the right clock, none is due later than this from now, ms. */
const RELEASED_AHEAD_MS = 60_000;

/**
 * Returns how many unsent deliveries were moved, which the wrong clock accepted or released. Claimed ones are included:
 * one released unsent would wait until the time of that clock.
 */
export function* shiftForClock(connection: Connection, now: number): Query<number> {
  // Not after deliveries accepted since the clock was set, which arrived later.
  const first = yield* connection.get(
    `SELECT coalesce(min(due_at), ?1) AS due_at FROM deliveries WHERE ${UNSENT} AND created_at <= ?1`,
    now,
  );
  const base = Math.min(now, first === null ? now : read.integer(first, 'due_at'));
  const sql = `UPDATE deliveries SET due_at = ?1 + CASE WHEN held_for IS NULL THEN 0 ELSE due_at - created_at END, created_at = min(created_at, ?2)
    WHERE ${UNSENT} AND (created_at > ?2 OR (state = 'pending' AND held_for IS NULL AND due_at > ?3))`;
  const moved = yield* connection.run(sql, base, now, now + RELEASED_AHEAD_MS);
  const retried = yield* connection.run(
    "UPDATE deliveries SET due_at = ? WHERE state = 'retrying' AND due_at > ?",
    now,
    now + LONGEST_WAIT_MS,
  );
  // A lease would last for as long as the clock was wrong.
  yield* connection.run(
    `UPDATE deliveries SET claimed_until = ?1 + claimed_until - claimed_at, claimed_at = ?1
    WHERE claimed_until IS NOT NULL AND claimed_at > ?1`,
    now,
  );
  // Releases in the future would count as traffic of the last hour until then.
  for (const row of yield* connection.all('SELECT channel FROM channel_states')) {
    const updateDeliveries =
      'UPDATE deliveries SET released_at = ?1 WHERE channel = ?2 AND released_at > ?1';
    yield* connection.run(updateDeliveries, now, read.text(row, 'channel'));
  }
  return moved + retried;
}

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
