import type {
  Alert,
  AlertStore,
  Answered,
  Cancellation,
  RequestAnswer,
  SessionEnd,
} from '../core/alert.ts';
import {
  alertsToldBy,
  listLiveAlerts,
  liveAlert,
  liveAlertsOf,
  openRequests,
  overdueAlerts,
  saveAlerts,
} from './alerts.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { addDelivery, HELD, UNSENT } from './deliveries.ts';
import type { Value } from './driver.ts';
import { addDecision, eventById } from './events.ts';
import { readText } from './row.ts';
import { saveSession, sessionByKey } from './session-store.ts';
import { endRequestWait, endWait } from './waits.ts';
import { noteWithdrawal } from './withdrawals.ts';

/** Minimum time for people to react to the second notification before an alert expires, ms. */
const AFTER_SNOOZE_MS = 3_600_000;

export function alertStoreOn({ reads, writes }: Database): AlertStore {
  return {
    live: reads(listLiveAlerts),
    liveOf: reads(liveAlertsOf),
    expire: writes(expireAlerts),
    acknowledge: writes(acknowledgeAlerts),
    snooze: writes(snoozeAlert),
    openRequests: reads(openRequests),
    answerRequest: writes(answerRequest),
    endSession: writes(endSession),
  };
}

/** Expires live alerts without a reaction in time; returns how many. */
function expireAlerts(
  connection: Connection,
  { now, exceptChannels }: Parameters<AlertStore['expire']>[0],
): number {
  const overdue = overdueAlerts(connection, now);
  for (const alert of overdue) {
    saveAlerts(connection, [{ ...alert, state: 'expired', closedAt: now, closedBy: 'time' }]);
    endRequestWait(connection, alert, { until: now, ending: 'expired', via: null });
    silence(connection, alert, { exceptChannels, reason: 'Expired: no reaction in time' });
  }
  return overdue.length;
}

/** Acknowledges open alerts and returns them. Their notifications are withdrawn. */
function acknowledgeAlerts(
  connection: Connection,
  { of, by, now, exceptChannels }: Parameters<AlertStore['acknowledge']>[0],
): readonly Alert[] {
  const reason = `Acknowledged by ${by}`;
  const seen = alertsOf(connection, of)
    .filter(({ state }) => state === 'open')
    .map((alert): Alert => ({
      ...alert,
      state: 'acknowledged',
      acknowledgedAt: now,
      snoozedUntil: null,
    }));
  saveAlerts(connection, seen);
  for (const alert of seen) {
    addDecision(connection, alert.eventId, { stage: 'resolve', verdict: 'note', reason });
    noteWithdrawal(connection, { alertId: alert.id, cause: 'acknowledged', reason });
    silence(connection, alert, { exceptChannels, reason });
  }
  return seen;
}

/**
 * Snoozes the live alert of a session: unsent deliveries wait until then, and the channels of the first step notify
 * again then, unless the alert is over. An acknowledged alert is reopened.
 *
 * @returns the channels that notify again; null without a live alert
 */
function snoozeAlert(
  connection: Connection,
  { sessionKey, until, now, exceptChannels, newId }: Parameters<AlertStore['snooze']>[0],
): readonly string[] | null {
  const alert = liveAlert(connection, sessionKey);
  if (alert === null) return null;
  const event = eventById(connection, alert.eventId);
  saveAlerts(connection, [
    {
      ...alert,
      state: 'open',
      acknowledgedAt: null,
      snoozedUntil: until,
      expiresAt: Math.max(alert.expiresAt, until + AFTER_SNOOZE_MS),
    },
  ]);
  const except = JSON.stringify(exceptChannels);
  const ofPeople = 'alert_id = ? AND channel NOT IN (SELECT value FROM json_each(?))';
  connection.run(
    `UPDATE deliveries SET held_for = 'step', due_at = max(due_at, ?), released_at = NULL
    WHERE ${ofPeople} AND ${UNSENT} AND claimed_until IS NULL`,
    until,
    alert.id,
    except,
  );
  const channels = connection
    .all(
      `SELECT DISTINCT channel FROM deliveries WHERE ${ofPeople} AND step = 0 ORDER BY channel`,
      alert.id,
      except,
    )
    .map((row) => readText(row, 'channel'));
  for (const channel of channels) {
    const waits = connection.get(
      `SELECT 1 FROM deliveries WHERE alert_id = ? AND channel = ? AND step = 0 AND ${UNSENT}`,
      alert.id,
      channel,
    );
    if (waits !== null) continue;
    addDelivery(
      connection,
      {
        id: newId(),
        channel,
        alertId: alert.id,
        step: 0,
        repetition: 0,
        delayMs: Math.max(0, until - alert.openedAt),
        condition: null,
        dueAt: until,
        heldFor: 'step',
        quietly: false,
      },
      { event, now },
    );
  }
  const reason = `Snoozed by a person until ${new Date(until).toISOString()}`;
  addDecision(connection, alert.eventId, { stage: 'resolve', verdict: 'note', reason });
  return channels;
}

function alertsOf(
  connection: Connection,
  of: Parameters<AlertStore['acknowledge']>[0]['of'],
): readonly Alert[] {
  if (of === 'all') return listLiveAlerts(connection);
  if ('sessionKey' in of) {
    const alert = liveAlert(connection, of.sessionKey);
    return alert === null ? [] : [alert];
  }
  return alertsToldBy(connection, of.deliveryId);
}

function silence(
  connection: Connection,
  { id }: Alert,
  {
    exceptChannels,
    reason,
  }: { readonly exceptChannels: readonly string[]; readonly reason: string },
): void {
  cancelAlertDeliveries(connection, { alertId: id, fromStep: 0, exceptChannels, reason });
}

/** A condition on deliveries, with the values of its parameters. */
interface Which {
  readonly condition: string;
  readonly values: readonly Value[];
}

/**
 * Cancels the unsent deliveries of an alert. Excepted channels get those in the outbox and those that wait only to know
 * whether the session still runs, but no later step.
 */
export function cancelAlertDeliveries(connection: Connection, cancellation: Cancellation): void {
  cancelWhere(connection, cancellation.reason, {
    condition: `alert_id = ? AND ${UNSENT} AND step >= ? AND (held_for <> 'running' OR channel NOT IN (SELECT value FROM json_each(?)))`,
    values: [
      cancellation.alertId,
      cancellation.fromStep,
      JSON.stringify(cancellation.exceptChannels),
    ],
  });
}

/** Cancels settling deliveries of answered requests. */
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
 * Returns how many. An attempt in flight cannot be cancelled and may arrive, so a claimed delivery keeps its state and
 * only gets no further attempt.
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

/** Returns whether the session is ended: an event meanwhile shows that it is alive. */
function endSession(
  connection: Connection,
  { key, lastEventId, state, at, reason, exceptChannels }: SessionEnd,
): boolean {
  const session = sessionByKey(connection, key);
  if (session === null || session.lastEventId !== lastEventId) return false;
  saveSession(connection, {
    ...session,
    state,
    stateSince: at,
    turnStartedAt: null,
    waitingFor: null,
  });
  addDecision(connection, lastEventId, {
    stage: 'track',
    verdict: 'note',
    reason: `Session ${key}: ${session.state} -> ${state}. ${reason}`,
  });

  endWait(connection, key, { until: at, ending: 'abandoned', via: null });
  const alert = liveAlert(connection, key);
  if (alert === null) return true;
  closeAlert(connection, alert, { at, reason, exceptChannels });
  return true;
}

/** Returns whether the request still had a live alert. */
function answerRequest(
  connection: Connection,
  { eventId, sessionKey, at, isTurnOver, reason, via, exceptChannels }: RequestAnswer,
): boolean {
  const alert = liveAlert(connection, sessionKey);
  const session = sessionByKey(connection, sessionKey);
  if (alert?.eventId !== eventId || session === null) return false;
  const reasonText = `Answered: ${reason}`;
  addDecision(connection, eventId, { stage: 'resolve', verdict: 'note', reason: reasonText });
  cancelSettling(connection, {
    alertId: alert.id,
    sessionKey,
    at,
    reason: `Answered before a person was needed: ${reason}`,
  });
  closeAlert(connection, alert, { at, reason: reasonText, exceptChannels });
  const ending = via === null ? 'terminal' : 'remote';
  endRequestWait(connection, alert, { until: at, ending, via });
  if (session.state !== 'waiting') return true;
  // Waiting time does not count as work, as when an event ends the wait.
  const { turnStartedAt, stateSince } = session;
  const startedAt = turnStartedAt === null ? null : turnStartedAt + Math.max(0, at - stateSince);
  saveSession(connection, {
    ...session,
    state: isTurnOver ? 'done' : 'working',
    stateSince: at,
    turnStartedAt: isTurnOver ? null : startedAt,
    waitingFor: null,
  });
  return true;
}

function closeAlert(
  connection: Connection,
  alert: Alert,
  { at, reason, exceptChannels }: Pick<RequestAnswer, 'at' | 'reason' | 'exceptChannels'>,
): void {
  saveAlerts(connection, [{ ...alert, state: 'resolved', closedAt: at, closedBy: 'time' }]);
  cancelAlertDeliveries(connection, { alertId: alert.id, fromStep: 0, exceptChannels, reason });
  noteWithdrawal(connection, { alertId: alert.id, cause: 'over', reason });
}
