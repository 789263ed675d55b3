import type { SessionEnd } from '../core/store.ts';
import { liveAlert, saveAlerts } from './alerts.ts';
import { cancelAlertDeliveries } from './cancel.ts';
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
  saveAlerts(connection, [{ ...alert, state: 'resolved', closedAt: at, closedBy: 'time' }]);
  cancelAlertDeliveries(connection, { alertId: alert.id, fromStep: 0, exceptChannels, reason });
  noteWithdrawal(connection, { alertId: alert.id, reason });
  return true;
}
