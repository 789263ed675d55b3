import type { Alert } from '../core/alert.ts';
import type { Store } from '../core/store.ts';
import { alertsToldBy, listLiveAlerts, liveAlert, overdueAlerts, saveAlerts } from './alerts.ts';
import { cancelAlertDeliveries } from './cancel.ts';
import type { Connection } from './connection.ts';
import { addDecision } from './events.ts';
import { noteWithdrawal } from './withdrawals.ts';

/** Gives up the live alerts nobody reacted to in time; answers how many. */
export function expireAlerts(
  connection: Connection,
  { now, exceptChannels }: Parameters<Store['expireAlerts']>[0],
): number {
  const overdue = overdueAlerts(connection, now);
  for (const alert of overdue) {
    saveAlerts(connection, [{ ...alert, state: 'expired', closedAt: now, closedBy: 'time' }]);
    silence(connection, alert, { exceptChannels, reason: 'Expired: nobody reacted in time' });
  }
  return overdue.length;
}

/** Answers the alerts that a person has seen now, and had not before. What was shown of them is to be taken back. */
export function acknowledgeAlerts(
  connection: Connection,
  { of, by, now, exceptChannels }: Parameters<Store['acknowledge']>[0],
): readonly Alert[] {
  const reason = `Acknowledged by ${by}`;
  const seen = alertsOf(connection, of)
    .filter(({ state }) => state === 'open')
    .map((alert): Alert => ({ ...alert, state: 'acknowledged', acknowledgedAt: now }));
  saveAlerts(connection, seen);
  for (const alert of seen) {
    addDecision(connection, alert.eventId, { stage: 'resolve', verdict: 'note', reason });
    noteWithdrawal(connection, { alertId: alert.id, reason });
    silence(connection, alert, { exceptChannels, reason });
  }
  return seen;
}

function alertsOf(
  connection: Connection,
  of: Parameters<Store['acknowledge']>[0]['of'],
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
