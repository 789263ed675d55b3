import type { Alert, RequestAnswer } from '../core/alert.ts';
import type { SessionEnd } from '../core/store.ts';
import { liveAlert, saveAlerts } from './alerts.ts';
import { cancelAlertDeliveries, cancelSettling } from './cancel.ts';
import type { Connection } from './connection.ts';
import { addDecision } from './events.ts';
import { saveSession, sessionByKey } from './sessions.ts';
import { noteWithdrawal } from './withdrawals.ts';

/** Answers whether the session is over now: an event that came meanwhile shows that it lives. */
export function endSession(
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

  const alert = liveAlert(connection, key);
  if (alert === null) return true;
  closeAlert(connection, alert, { at, reason, exceptChannels });
  return true;
}

/** Answers whether the request had a live alert still. */
export function answerRequest(
  connection: Connection,
  { eventId, sessionKey, at, isTurnOver, reason, exceptChannels }: RequestAnswer,
): boolean {
  const alert = liveAlert(connection, sessionKey);
  const session = sessionByKey(connection, sessionKey);
  if (alert?.eventId !== eventId || session === null) return false;
  const said = `Answered: ${reason}`;
  addDecision(connection, eventId, { stage: 'resolve', verdict: 'note', reason: said });
  cancelSettling(connection, {
    alertId: alert.id,
    sessionKey,
    at,
    reason: `Answered before a person was needed: ${reason}`,
  });
  closeAlert(connection, alert, { at, reason: said, exceptChannels });
  if (session.state !== 'waiting') return true;
  // What the agent waited is no work, as where an event ends the wait.
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
  noteWithdrawal(connection, { alertId: alert.id, reason });
}
