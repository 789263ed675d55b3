import { z } from 'zod';

import { type Alert, alertStates, type AlertStore, isLive } from '../core/alert.ts';
import { type HookEvent, kinds } from '../core/hook-event.ts';
import { type Connection, mapEach, type Query } from './query.ts';
import { eventById, WAITING_KINDS } from './events.ts';
import { field, jsonTexts, nullable, read, stored, upsertInto } from './row.ts';

/** Alerts a person may still react to. SQLite uses their index only for conditions with exactly this text. */
export const LIVE = "state IN ('open', 'acknowledged')";

const planSchema = z.object({
  name: z.string(),
  steps: z.array(
    z.object({
      afterMs: z.number(),
      notify: z.array(z.string()),
      repeat: z.object({ everyMs: z.number(), atMost: z.number() }).nullable(),
      condition: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
});

const storedAlert = stored<Alert>({
  id: field.text,
  sessionKey: field.text,
  state: field.word(alertStates),
  kind: field.word(kinds),
  event: field.text,
  subject: nullable(field.text),
  eventId: field.text,
  openedAt: field.integer,
  expiresAt: field.integer,
  acknowledgedAt: nullable(field.integer),
  snoozedUntil: nullable(field.integer),
  closedAt: nullable(field.integer),
  closedBy: nullable(field.text),
  plan: field.json(planSchema),
});

const upsertAlert = upsertInto('alerts', storedAlert.columns, 'id');

/** Closed ones first: a session has at most one live alert at any moment. */
export function* saveAlerts(connection: Connection, alerts: readonly Alert[]): Query<void> {
  const closedFirst = alerts.toSorted((a, b) => Number(isLive(a)) - Number(isLive(b)));
  for (const alert of closedFirst)
    yield* connection.run(upsertAlert, ...storedAlert.valuesOf(alert));
}

export function* liveAlert(connection: Connection, sessionKey: string): Query<Alert | null> {
  const sql = `SELECT * FROM alerts WHERE session_key = ? AND ${LIVE}`;
  const row = yield* connection.get(sql, sessionKey);
  return row === null ? null : storedAlert.read(row);
}

/** The latest one of a session about a subject. */
export function* closedAlert(
  connection: Connection,
  sessionKey: string,
  subject: string,
): Query<Alert | null> {
  const sql = `SELECT * FROM alerts WHERE session_key = ? AND subject = ? AND state NOT IN ('open', 'acknowledged')
    ORDER BY opened_at DESC LIMIT 1`;
  const row = yield* connection.get(sql, sessionKey, subject);
  return row === null ? null : storedAlert.read(row);
}

/** @returns null if the alert was removed with its event */
export function* alertById(connection: Connection, id: string): Query<Alert | null> {
  const row = yield* connection.get('SELECT * FROM alerts WHERE id = ?', id);
  return row === null ? null : storedAlert.read(row);
}

export function* listLiveAlerts(connection: Connection): Query<readonly Alert[]> {
  const sql = `SELECT * FROM alerts WHERE ${LIVE} ORDER BY opened_at, id`;
  return (yield* connection.all(sql)).map(storedAlert.read);
}

/** Open requests of this machine with a transcript, newest first; without reading any where no session is of this machine. */
export function* openRequests(
  connection: Connection,
  { limit, sessionKeys }: Parameters<AlertStore['openRequests']>[0],
): Query<readonly HookEvent[]> {
  const alerts =
    sessionKeys === undefined
      ? 'alerts'
      : 'json_each(?) CROSS JOIN alerts ON alerts.session_key = json_each.value';
  const sql = `SELECT alerts.event_id FROM ${alerts} JOIN events ON events.id = alerts.event_id
      WHERE alerts.${LIVE} AND alerts.kind IN (${WAITING_KINDS})
        AND events.transcript_path IS NOT NULL AND events.machine IS NULL
        AND EXISTS (SELECT 1 FROM sessions WHERE machine IS NULL)
      ORDER BY alerts.opened_at DESC LIMIT ?`;
  const keys = sessionKeys === undefined ? [] : [jsonTexts(sessionKeys)];
  const rows = yield* connection.all(sql, ...keys, limit);
  return yield* mapEach(rows, (row) => eventById(connection, read.text(row, 'event_id')));
}

/** Live alerts of these sessions, unordered. */
export function* liveAlertsOf(
  connection: Connection,
  sessionKeys: readonly string[],
): Query<readonly Alert[]> {
  const sql = `SELECT alerts.* FROM json_each(?) CROSS JOIN alerts ON session_key = json_each.value WHERE ${LIVE}`;
  return (yield* connection.all(sql, jsonTexts(sessionKeys))).map(storedAlert.read);
}

/** The alerts of a delivery: its own, and those of the deliveries combined into it. */
export function* alertsNotifiedBy(
  connection: Connection,
  deliveryId: string,
): Query<readonly Alert[]> {
  const sql =
    'SELECT * FROM alerts WHERE id IN (SELECT alert_id FROM deliveries WHERE id = ?1 OR told_by = ?1)';
  return (yield* connection.all(sql, deliveryId)).map(storedAlert.read);
}

/** Live alerts that are due to expire, oldest first. */
export function* overdueAlerts(connection: Connection, now: number): Query<readonly Alert[]> {
  const sql = `SELECT * FROM alerts WHERE ${LIVE} AND expires_at <= ? ORDER BY expires_at`;
  return (yield* connection.all(sql, now)).map(storedAlert.read);
}
