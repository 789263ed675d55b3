import type { HookRecord } from '../core/hook-event.ts';
import type { Accepted, Decide, EventStore, Memory } from '../core/store.ts';
import { StoreError } from '../core/store-aging.ts';
import { closedAlert, liveAlert, saveAlerts } from './alerts.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { addDelivery } from './deliveries.ts';
import { cancelAlertDeliveries, cancelSettling } from './end-alerts.ts';
import {
  addDecision,
  addEvent,
  countEvents,
  earlierDuplicate,
  eventById,
  isKnown,
} from './events.ts';
import { INBOX } from '../core/delivery.ts';
import { listMutes } from './mutes.ts';
import { addToRelay } from './relay-store.ts';
import { UnreadableColumnError } from './row.ts';
import { saveSession, sessionByKey, siblingOf } from './session-store.ts';
import { trafficOf } from './traffic.ts';
import { changeWait, openWait } from './waits.ts';
import { noteWithdrawal } from './withdrawals.ts';

export function eventStoreOn({ writes, now }: Database): EventStore {
  return {
    accept: writes((connection, records: readonly HookRecord[], decide: Decide) => {
      const circumstances = { decide, now: now() };
      const verdicts = records.map((record) => acceptRecord(connection, record, circumstances));
      countEvents(connection, verdicts.filter((verdict) => verdict === 'committed').length);
      return verdicts;
    }),
    addDecision: writes(addDecision),
  };
}

interface Circumstances {
  readonly decide: Decide;
  readonly now: number;
}

/**
 * Commits one event with its effects; inside a transaction. Errors of `decide` pass through.
 *
 * @throws StoreError `damaged` for a row this version cannot have written: the event is not at fault
 */
function acceptRecord(
  connection: Connection,
  record: HookRecord,
  circumstances: Circumstances,
): Accepted {
  try {
    return commitRecord(connection, record, circumstances);
  } catch (error) {
    if (!(error instanceof UnreadableColumnError)) throw error;
    throw new StoreError('damaged', error.message, { cause: error });
  }
}

function commitRecord(
  connection: Connection,
  record: HookRecord,
  { decide, now }: Circumstances,
): Accepted {
  const { event } = record;
  if (isKnown(connection, event.id)) return 'known';
  const alert = liveAlert(connection, event.sessionKey);
  const memory: Memory = {
    session: sessionByKey(connection, event.sessionKey),
    alert,
    question: () => (alert === null ? null : eventById(connection, alert.eventId)),
    earlier: (subject) => closedAlert(connection, event.sessionKey, subject),
    duplicateOf: earlierDuplicate(connection, event),
    mutes: listMutes(connection, now),
    sibling: () => siblingOf(connection, event),
    traffic: (channel) => trafficOf(connection, { channel, sessionKey: event.sessionKey, now }),
    wait: () => openWait(connection, event.sessionKey),
  };
  const effects = decide(memory, event);
  const stored = { ...record, event: effects.event ?? event };

  addEvent(connection, {
    record: stored,
    duplicateOf: memory.duplicateOf,
    decisions: effects.decisions,
    turnMs: effects.turnMs,
    suppressed: effects.deliveries.every(({ channel }) => channel === INBOX),
  });
  if (effects.relay) addToRelay(connection, event.id);
  if (effects.session !== null) saveSession(connection, effects.session);
  saveAlerts(connection, effects.alerts);
  if (effects.wait) changeWait(connection, stored.event, effects.wait);
  if (effects.answered !== undefined) cancelSettling(connection, effects.answered);
  for (const cancellation of effects.cancel) cancelAlertDeliveries(connection, cancellation);
  for (const withdrawal of effects.withdraw) {
    noteWithdrawal(connection, { ...withdrawal, cause: 'over' });
  }
  for (const delivery of effects.deliveries)
    addDelivery(connection, delivery, { event: stored.event, now });
  return 'committed';
}
