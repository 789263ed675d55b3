import type { Alert, AlertStore, Cancellation, RequestAnswer, SessionEnd } from '../core/alert.ts';
import { alertsNotifiedBy, listLiveAlerts, liveAlert, liveAlertsOf } from './alerts.ts';
import { openRequests, overdueAlerts, saveAlerts } from './alerts.ts';
import type { Connection, Query } from './query.ts';
import type { Database } from './database.ts';
import { cancelAlertDeliveries, cancelHeldForAnswer, addDelivery, UNSENT } from './deliveries.ts';
import { addDecision, eventById } from './events.ts';
import { read } from './row.ts';
import { saveSession, sessionByKey } from './session-store.ts';
import { endRequestWait, endWait } from './wait-store.ts';
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

function* expireAlerts(
  connection: Connection,
  { now, exceptChannels }: Parameters<AlertStore['expire']>[0],
): Query<number> {
  const overdue = yield* overdueAlerts(connection, now);
  for (const alert of overdue) {
    yield* saveAlerts(connection, [
      { ...alert, state: 'expired', closedAt: now, closedBy: 'time' },
    ]);
    yield* endRequestWait(connection, alert, { until: now, ending: 'expired', via: null });
    yield* silence(connection, alert, { exceptChannels, reason: 'Expired: no reaction in time' });
  }
  return overdue.length;
}

function* acknowledgeAlerts(
  connection: Connection,
  { of, by, now, exceptChannels }: Parameters<AlertStore['acknowledge']>[0],
): Query<readonly Alert[]> {
  const reason = `Acknowledged by ${by}`;
  const seen = (yield* alertsOf(connection, of))
    .filter(({ state }) => state === 'open')
    .map(
      (alert) =>
        ({ ...alert, state: 'acknowledged', acknowledgedAt: now, snoozedUntil: null }) as const,
    );
  yield* saveAlerts(connection, seen);
  for (const alert of seen) {
    yield* addDecision(connection, alert.eventId, { stage: 'resolve', verdict: 'note', reason });
    yield* noteWithdrawal(connection, { alertId: alert.id, cause: 'acknowledged', reason });
    yield* silence(connection, alert, { exceptChannels, reason });
  }
  return seen;
}

/**
 * Snoozes the live alert of a session, also an acknowledged one: unsent deliveries wait until then, and the channels of the
 * first step notify again then. Returns those channels; null without a live alert.
 */
function* snoozeAlert(
  connection: Connection,
  { sessionKey, until, now, exceptChannels, newId }: Parameters<AlertStore['snooze']>[0],
): Query<readonly string[] | null> {
  const alert = yield* liveAlert(connection, sessionKey);
  if (alert === null) return null;
  const event = yield* eventById(connection, alert.eventId);
  yield* saveAlerts(connection, [
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
  const sql = `UPDATE deliveries SET held_for = 'step', due_at = max(due_at, ?), released_at = NULL
    WHERE ${ofPeople} AND ${UNSENT} AND claimed_until IS NULL`;
  yield* connection.run(sql, until, alert.id, except);
  const again = (yield* connection.all(
    `SELECT DISTINCT channel, recipient FROM deliveries WHERE ${ofPeople} AND step = 0 ORDER BY channel, recipient`,
    alert.id,
    except,
  )).map((row) => ({
    channel: read.text(row, 'channel'),
    recipient: read.textOrNull(row, 'recipient'),
  }));
  for (const { channel, recipient } of again) {
    const selectDeliveries = `SELECT 1 FROM deliveries WHERE alert_id = ? AND channel = ? AND recipient IS NOT DISTINCT FROM ? AND step = 0 AND ${UNSENT}`;
    const waits = yield* connection.get(selectDeliveries, alert.id, channel, recipient);
    if (waits !== null) continue;
    yield* addDelivery(
      connection,
      {
        id: newId(),
        channel,
        recipient,
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
  yield* addDecision(connection, alert.eventId, { stage: 'resolve', verdict: 'note', reason });
  return [...new Set(again.map(({ channel }) => channel))];
}

function* alertsOf(
  connection: Connection,
  of: Parameters<AlertStore['acknowledge']>[0]['of'],
): Query<readonly Alert[]> {
  if (of === 'all') return yield* listLiveAlerts(connection);
  if ('sessionKey' in of) {
    const alert = yield* liveAlert(connection, of.sessionKey);
    return alert === null ? [] : [alert];
  }
  return yield* alertsNotifiedBy(connection, of.deliveryId);
}

function silence(
  connection: Connection,
  { id }: Alert,
  rest: Pick<Cancellation, 'exceptChannels' | 'reason'>,
): Query<void> {
  return cancelAlertDeliveries(connection, { alertId: id, fromStep: 0, ...rest });
}

/** Returns whether the session is ended: an event meanwhile shows that it is alive. */
function* endSession(
  connection: Connection,
  { key, lastEventId, state, at, reason, exceptChannels }: SessionEnd,
): Query<boolean> {
  const session = yield* sessionByKey(connection, key);
  if (session === null || session.lastEventId !== lastEventId) return false;
  const idle = { stateSince: at, turnStartedAt: null, waitingFor: null };
  yield* saveSession(connection, { ...session, state, ...idle });
  const why = `Session ${key}: ${session.state} -> ${state}. ${reason}`;
  yield* addDecision(connection, lastEventId, { stage: 'track', verdict: 'note', reason: why });

  yield* endWait(connection, key, { until: at, ending: 'abandoned', via: null });
  const alert = yield* liveAlert(connection, key);
  if (alert === null) return true;
  yield* closeAlert(connection, alert, { at, reason, exceptChannels });
  return true;
}

/** Returns whether the request still had a live alert. */
function* answerRequest(
  connection: Connection,
  { eventId, sessionKey, at, isTurnOver, reason, via, exceptChannels }: RequestAnswer,
): Query<boolean> {
  const alert = yield* liveAlert(connection, sessionKey);
  const session = yield* sessionByKey(connection, sessionKey);
  if (alert?.eventId !== eventId || session === null) return false;
  const said = `Answered: ${reason}`;
  yield* addDecision(connection, eventId, { stage: 'resolve', verdict: 'note', reason: said });
  const early = `Answered before a person was needed: ${reason}`;
  yield* cancelHeldForAnswer(connection, { alertId: alert.id, sessionKey, at, reason: early });
  yield* closeAlert(connection, alert, { at, reason: said, exceptChannels });
  const ending = via === null ? 'terminal' : 'remote';
  // Agents report what they were allowed to run, so the transcript shows what was refused.
  const answer = via === null ? ({ answer: 'denied' } as const) : {};
  yield* endRequestWait(connection, alert, { until: at, ending, via, ...answer });
  if (session.state !== 'waiting') return true;
  // Waiting time does not count as work, as when an event ends the wait.
  const { turnStartedAt, stateSince } = session;
  const startedAt = turnStartedAt === null ? null : turnStartedAt + Math.max(0, at - stateSince);
  yield* saveSession(connection, {
    ...session,
    state: isTurnOver ? 'done' : 'working',
    stateSince: at,
    turnStartedAt: isTurnOver ? null : startedAt,
    waitingFor: null,
  });
  return true;
}

function* closeAlert(
  connection: Connection,
  alert: Alert,
  { at, reason, exceptChannels }: Pick<RequestAnswer, 'at' | 'reason' | 'exceptChannels'>,
): Query<void> {
  yield* saveAlerts(connection, [{ ...alert, state: 'resolved', closedAt: at, closedBy: 'time' }]);
  yield* silence(connection, alert, { exceptChannels, reason });
  yield* noteWithdrawal(connection, { alertId: alert.id, cause: 'over', reason });
}
