import { type Alert, alertStates, type AlertStore, isLive } from '../core/alert.ts';
import { type HookEvent, kinds } from '../core/hook-event.ts';
import { isJsonObject } from '../platform/json.ts';
import type { Plan, Repeat, Step } from '../core/policy.ts';
import { type Connection, mapEach, mapped, type Query } from './query.ts';
import { eventById, WAITING_KINDS } from './events.ts';
import {
  type Columns,
  jsonTexts,
  readInteger,
  readIntegerOrNull,
  readJson,
  readOneOf,
  type Row,
  readText,
  readTextOrNull,
  upsertInto,
  valuesOf,
} from './row.ts';

/** Alerts a person may still react to. SQLite uses their index only for conditions with exactly this text. */
export const LIVE = "state IN ('open', 'acknowledged')";

const columns: Columns<Alert> = {
  id: (alert) => alert.id,
  session_key: (alert) => alert.sessionKey,
  state: (alert) => alert.state,
  kind: (alert) => alert.kind,
  event: (alert) => alert.event,
  subject: (alert) => alert.subject,
  event_id: (alert) => alert.eventId,
  opened_at: (alert) => alert.openedAt,
  expires_at: (alert) => alert.expiresAt,
  acknowledged_at: (alert) => alert.acknowledgedAt,
  snoozed_until: (alert) => alert.snoozedUntil,
  closed_at: (alert) => alert.closedAt,
  closed_by: (alert) => alert.closedBy,
  plan: (alert) => JSON.stringify(alert.plan),
};

const upsertAlert = upsertInto('alerts', columns, 'id');

/** Closed alerts are written first: a session has at most one live alert at any moment. */
export function* saveAlerts(connection: Connection, alerts: readonly Alert[]): Query<void> {
  const closedFirst = alerts.toSorted((a, b) => Number(isLive(a)) - Number(isLive(b)));
  for (const alert of closedFirst) yield* connection.run(upsertAlert, ...valuesOf(columns, alert));
}

export function liveAlert(connection: Connection, sessionKey: string): Query<Alert | null> {
  const found = connection.get(
    `SELECT * FROM alerts WHERE session_key = ? AND ${LIVE}`,
    sessionKey,
  );
  return mapped(found, (row) => (row === null ? null : readAlert(row)));
}

/** The latest one of a session about a subject. */
export function* closedAlert(
  connection: Connection,
  sessionKey: string,
  subject: string,
): Query<Alert | null> {
  const row = yield* connection.get(
    `SELECT * FROM alerts WHERE session_key = ? AND subject = ? AND state NOT IN ('open', 'acknowledged')
    ORDER BY opened_at DESC LIMIT 1`,
    sessionKey,
    subject,
  );
  return row === null ? null : readAlert(row);
}

/** @returns null if the alert was removed with its event */
export function* alertById(connection: Connection, id: string): Query<Alert | null> {
  const row = yield* connection.get('SELECT * FROM alerts WHERE id = ?', id);
  return row === null ? null : readAlert(row);
}

/** Live alerts, oldest first. */
export function* listLiveAlerts(connection: Connection): Query<readonly Alert[]> {
  return (yield* connection.all(`SELECT * FROM alerts WHERE ${LIVE} ORDER BY opened_at, id`)).map(
    readAlert,
  );
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
  const rows = yield* connection.all(
    `SELECT alerts.event_id FROM ${alerts} JOIN events ON events.id = alerts.event_id
      WHERE alerts.${LIVE} AND alerts.kind IN (${WAITING_KINDS})
        AND events.transcript_path IS NOT NULL AND events.machine IS NULL
        AND EXISTS (SELECT 1 FROM sessions WHERE machine IS NULL)
      ORDER BY alerts.opened_at DESC LIMIT ?`,
    ...(sessionKeys === undefined ? [] : [jsonTexts(sessionKeys)]),
    limit,
  );
  return yield* mapEach(rows, (row) => eventById(connection, readText(row, 'event_id')));
}

/** Live alerts of these sessions, unordered. */
export function* liveAlertsOf(
  connection: Connection,
  sessionKeys: readonly string[],
): Query<readonly Alert[]> {
  return (yield* connection.all(
    `SELECT alerts.* FROM json_each(?) CROSS JOIN alerts ON session_key = json_each.value WHERE ${LIVE}`,
    jsonTexts(sessionKeys),
  )).map(readAlert);
}

/** The alerts of a delivery: its own, and those of the deliveries combined into it. */
export function* alertsNotifiedBy(
  connection: Connection,
  deliveryId: string,
): Query<readonly Alert[]> {
  return (yield* connection.all(
    'SELECT * FROM alerts WHERE id IN (SELECT alert_id FROM deliveries WHERE id = ? OR told_by = ?)',
    deliveryId,
    deliveryId,
  )).map(readAlert);
}

/** Live alerts that are due to expire, oldest first. */
export function* overdueAlerts(connection: Connection, now: number): Query<readonly Alert[]> {
  return (yield* connection.all(
    `SELECT * FROM alerts WHERE ${LIVE} AND expires_at <= ? ORDER BY expires_at`,
    now,
  )).map(readAlert);
}

function readAlert(row: Row): Alert {
  return {
    id: readText(row, 'id'),
    sessionKey: readText(row, 'session_key'),
    state: readOneOf(row, 'state', alertStates),
    kind: readOneOf(row, 'kind', kinds),
    event: readText(row, 'event'),
    subject: readTextOrNull(row, 'subject'),
    eventId: readText(row, 'event_id'),
    openedAt: readInteger(row, 'opened_at'),
    expiresAt: readInteger(row, 'expires_at'),
    acknowledgedAt: readIntegerOrNull(row, 'acknowledged_at'),
    snoozedUntil: readIntegerOrNull(row, 'snoozed_until'),
    closedAt: readIntegerOrNull(row, 'closed_at'),
    closedBy: readTextOrNull(row, 'closed_by'),
    plan: readJson(row, 'plan', isPlan),
  };
}

function isPlan(value: unknown): value is Plan {
  return (
    isJsonObject(value) &&
    typeof value['name'] === 'string' &&
    Array.isArray(value['steps']) &&
    value['steps'].every(isStep)
  );
}

function isStep(value: unknown): value is Step {
  return (
    isJsonObject(value) &&
    typeof value['afterMs'] === 'number' &&
    Array.isArray(value['notify']) &&
    value['notify'].every((channel) => typeof channel === 'string') &&
    (value['repeat'] === null || isRepeat(value['repeat'])) &&
    (value['condition'] === null || isJsonObject(value['condition']))
  );
}

function isRepeat(value: unknown): value is Repeat {
  return (
    isJsonObject(value) &&
    typeof value['everyMs'] === 'number' &&
    typeof value['atMost'] === 'number'
  );
}
