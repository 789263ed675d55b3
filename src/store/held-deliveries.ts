import type { HoldReason } from '../core/delivery.ts';
import type { Session } from '../core/session.ts';
import type { HeldDeliveries } from '../core/outbox.ts';
import type { DecideDue, DueDelivery, DueResult, LaterDue } from '../core/due.ts';
import { alertById, LIVE } from './alerts.ts';
import { AWAKE_MS } from './clock.ts';
import { type Connection, mapEach, type Query } from './query.ts';
import type { Database } from './database.ts';
import {
  HELD,
  readDelivery,
  reevaluateHeld,
  SELECT_DELIVERIES,
  UNSENT,
  cancelWhere,
} from './deliveries.ts';
import { addDecision, eventById } from './events.ts';
import { withFacts } from './lazy-facts.ts';
import { listMutes } from './mute-store.ts';
import { field, nullable, read, stepCondition, stored } from './row.ts';
import { sessionByKey } from './session-store.ts';
import { trafficOn } from './traffic.ts';

export function heldDeliveriesOn({ alone, reads, writes, now }: Database): HeldDeliveries {
  return {
    releaseDue: writes(releaseDueDeliveries),
    reevaluateHeld: writes((connection, heldFor: HoldReason) =>
      reevaluateHeld(connection, heldFor, now()),
    ),
    nextTimer: alone(nextTimer),
    dueSessions: reads(dueSessions),
  };
}

/** Decides about the held deliveries that are due, channel by channel; returns how many were released. */
function* releaseDueDeliveries(
  connection: Connection,
  now: number,
  decide: DecideDue,
): Query<number> {
  const mutes = yield* listMutes(connection, now);
  let released = 0;
  for (const due of (yield* dueByChannel(connection, now)).values()) {
    const traffic = trafficOn(connection, now);
    const results = yield* withFacts(() =>
      decide({ due, mutes, traffic: ({ delivery, event }) => traffic(delivery, event.sessionKey) }),
    );
    if (results.length !== due.length) {
      throw new Error(`Got ${results.length} decisions for ${due.length} due deliveries`);
    }
    for (const [index, one] of due.entries()) {
      const result = results[index];
      if (result === undefined) continue;
      yield* applyResult(connection, one, result, now);
      if (result.type === 'release') released += 1;
    }
  }
  return released;
}

/** When the next held delivery or alert expiry is due, Unix ms; null without one. */
function* nextTimer(connection: Connection): Query<number | null> {
  // In one statement, because it is asked after each commit.
  const row = yield* connection.get(
    `SELECT min(at) AS at FROM (
      SELECT min(due_at) AS at FROM deliveries WHERE ${HELD}
      UNION ALL SELECT min(expires_at) AS at FROM alerts WHERE ${LIVE}
    ) AS times`,
  );
  return row === null ? null : read.integerOrNull(row, 'at');
}

function* dueSessions(connection: Connection, now: number): Query<readonly Session[]> {
  const sql = `SELECT DISTINCT session_key FROM deliveries WHERE ${HELD} AND due_at <= ?`;
  const rows = yield* connection.all(sql, now);
  const sessions = yield* mapEach(rows, (row) =>
    sessionByKey(connection, read.text(row, 'session_key')),
  );
  return sessions.filter((session) => session !== null);
}

/** In order of arrival. */
function* dueByChannel(
  connection: Connection,
  now: number,
): Query<ReadonlyMap<string, readonly DueDelivery[]>> {
  const byChannel = new Map<string, DueDelivery[]>();
  const rows = yield* connection.all(`${SELECT_DELIVERIES} WHERE ${HELD} AND due_at <= ?`, now);
  for (const row of rows.toSorted((a, b) => read.integer(a, 'seq') - read.integer(b, 'seq'))) {
    const delivery = readDelivery(row);
    const event = yield* eventById(connection, delivery.eventId);
    const { alertId } = delivery;
    const due = {
      delivery,
      event,
      session: yield* sessionByKey(connection, event.sessionKey),
      alert: alertId === null ? null : yield* alertById(connection, alertId),
      laterDue: yield* laterDue(connection, delivery, now),
    };
    const existing = byChannel.get(delivery.channel);
    if (existing === undefined) byChannel.set(delivery.channel, [due]);
    else existing.push(due);
  }
  return byChannel;
}

const laterFields = stored<LaterDue>({
  channel: field.text,
  recipient: nullable(field.text),
  step: field.integer,
  repetition: field.integer,
  delayMs: field.integer,
  condition: stepCondition,
});

function* laterDue(
  connection: Connection,
  { alertId, step, repetition }: DueDelivery['delivery'],
  now: number,
): Query<readonly LaterDue[]> {
  if (alertId === null) return [];
  const sql = `SELECT channel, recipient, step, repetition, delay_ms, condition FROM deliveries WHERE alert_id = ? AND ${UNSENT} AND due_at <= ? AND (step > ? OR (step = ? AND repetition > ?)) ORDER BY seq`;
  const rows = yield* connection.all(sql, alertId, now, step, step, repetition);
  return rows.map(laterFields.read);
}

function* applyResult(
  connection: Connection,
  { delivery: { id }, event }: DueDelivery,
  result: DueResult,
  now: number,
): Query<void> {
  if (result.decision !== null) yield* addDecision(connection, event.id, result.decision);
  switch (result.type) {
    case 'release':
      yield* connection.run(
        `UPDATE deliveries SET held_for = NULL, due_at = ?1, released_at = ?1, released_awake_ms = ${AWAKE_MS}, quietly = ?2, still_running = ?3 WHERE id = ?4`,
        now,
        Number(result.quietly),
        Number(result.stillRunning === true),
        id,
      );
      return;
    case 'hold': {
      const { heldFor, until } = result;
      const sql = 'UPDATE deliveries SET held_for = ?, due_at = ? WHERE id = ?';
      yield* connection.run(sql, heldFor, until, id);
      return;
    }
    case 'cancel':
      yield* cancelWhere(connection, result.decision.reason, { condition: 'id = ?', values: [id] });
      return;
    case 'join':
      // What it was to tell goes along, if it is a message of several events itself.
      yield* connection.run(
        'UPDATE deliveries SET told_by = ? WHERE told_by = ?',
        result.carrier,
        id,
      );
      const updateDeliveries =
        "UPDATE deliveries SET state = 'cancelled', held_for = NULL, reason = ?, told_by = ? WHERE id = ?";
      yield* connection.run(updateDeliveries, result.decision.reason, result.carrier, id);
      return;
  }
}
