import type { Alert } from '../core/alert.ts';
import type { Store } from '../core/store.ts';
import { listLiveAlerts, liveAlert, overdueAlerts, saveAlerts } from './alerts.ts';
import { cancelAlertDeliveries } from './cancel.ts';
import type { Connection } from './connection.ts';

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

/** Answers the alerts that a person has seen now, and had not before. */
export function acknowledgeAlerts(
  connection: Connection,
  { sessionKey, by, now, exceptChannels }: Parameters<Store['acknowledge']>[0],
): readonly Alert[] {
  const live =
    sessionKey === null ? listLiveAlerts(connection) : [liveAlert(connection, sessionKey)];
  const seen = live
    .filter((alert) => alert !== null)
    .filter(({ state }) => state === 'open')
    .map((alert): Alert => ({ ...alert, state: 'acknowledged', acknowledgedAt: now }));
  saveAlerts(connection, seen);
  for (const alert of seen) {
    silence(connection, alert, { exceptChannels, reason: `Acknowledged by ${by}` });
  }
  return seen;
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
