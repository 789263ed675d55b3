import type { Alert } from '../core/alert.ts';
import type { Store } from '../core/store.ts';
import { alertsToldBy, listLiveAlerts, liveAlert, overdueAlerts, saveAlerts } from './alerts.ts';
import { cancelAlertDeliveries } from './cancel.ts';
import type { Connection } from './connection.ts';
import { addDelivery, UNSENT } from './deliveries.ts';
import { addDecision, eventById } from './events.ts';
import { text } from './row.ts';
import { noteWithdrawal } from './withdrawals.ts';

/** An alert does not expire before people had this long to react to the second notification, ms. */
const AFTER_SNOOZE_MS = 3_600_000;

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
    .map((alert): Alert => ({
      ...alert,
      state: 'acknowledged',
      acknowledgedAt: now,
      snoozedUntil: null,
    }));
  saveAlerts(connection, seen);
  for (const alert of seen) {
    addDecision(connection, alert.eventId, { stage: 'resolve', verdict: 'note', reason });
    noteWithdrawal(connection, { alertId: alert.id, reason });
    silence(connection, alert, { exceptChannels, reason });
  }
  return seen;
}

/**
 * Keeps the live alert of a session quiet until a time: what is not sent yet waits until then, and the channels of the first
 * step notify again then, unless the alert is over. An acknowledged alert is open again.
 *
 * @returns the channels that notify again; null where the session has no live alert
 */
export function snoozeAlert(
  connection: Connection,
  { sessionKey, until, now, exceptChannels, newId }: Parameters<Store['snooze']>[0],
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
    .map((row) => text(row, 'channel'));
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
