import type { HookRecord } from '../core/hook-event.ts';
import type { Accepted, Decide, EventStore, Memory } from '../core/store.ts';
import { StoreError } from '../core/store-aging.ts';
import { closedAlert, liveAlert, saveAlerts } from './alerts.ts';
import { Answered, type Connection, type Query } from './query.ts';
import type { Database } from './database.ts';
import { addDelivery } from './deliveries.ts';
import { cancelAlertDeliveries, cancelSettling } from './cancellations.ts';
import {
  addDecision,
  addEvent,
  countEvents,
  earlierDuplicate,
  eventById,
  isKnown,
} from './events.ts';
import { INBOX } from '../core/delivery.ts';
import { fact, withFacts } from './facts.ts';
import { listMutes } from './mutes.ts';
import { addToRelay } from './relay-store.ts';
import { UnreadableColumnError } from './row.ts';
import { saveSession, sessionByKey, siblingOf } from './session-store.ts';
import { trafficOn } from './traffic.ts';
import { changeWait, openWait } from './waits.ts';
import { noteWithdrawal } from './withdrawals.ts';

export function eventStoreOn({ writesBeside, now }: Database): EventStore {
  return {
    accept: writesBeside((connection, records: readonly HookRecord[], decide: Decide) =>
      acceptRecords(connection, records, { decide, now: now() }),
    ),
    addDecision: writesBeside(addDecision),
  };
}

interface Circumstances {
  readonly decide: Decide;
  readonly now: number;
}

/**
 * Commits events with their effects; inside a transaction.
 *
 * @throws StoreError `damaged` for a row this version cannot have written: no event is at fault
 */
function* acceptRecords(
  connection: Connection,
  records: readonly HookRecord[],
  circumstances: Circumstances,
): Query<readonly Accepted[]> {
  try {
    yield* connection.lockSessions(records.map(({ event }) => event.sessionKey));
    const verdicts: Accepted[] = [];
    for (const record of records) {
      verdicts.push(yield* commitRecord(connection, record, circumstances));
    }
    yield* countEvents(connection, verdicts.filter((verdict) => verdict === 'committed').length);
    return verdicts;
  } catch (error) {
    if (!(error instanceof UnreadableColumnError)) throw error;
    throw new StoreError('damaged', error.message, { cause: error });
  }
}

/** Errors of `decide` pass through. */
function* commitRecord(
  connection: Connection,
  record: HookRecord,
  { decide, now }: Circumstances,
): Query<Accepted> {
  const { event } = record;
  if (yield* isKnown(connection, event.id)) return 'known';
  const alert = yield* liveAlert(connection, event.sessionKey);
  let traffic: ReturnType<typeof trafficOn> | null = null;
  const memory: Memory = {
    session: yield* sessionByKey(connection, event.sessionKey),
    alert,
    question: fact(() =>
      alert === null ? new Answered(null) : eventById(connection, alert.eventId),
    ),
    earlier: fact((subject: string) => closedAlert(connection, event.sessionKey, subject)),
    duplicateOf: yield* earlierDuplicate(connection, event),
    mutes: yield* listMutes(connection, now),
    sibling: fact(() => siblingOf(connection, event)),
    traffic(channel) {
      traffic ??= trafficOn(connection, now);
      return traffic(channel, event.sessionKey);
    },
    wait: fact(() => openWait(connection, event.sessionKey)),
  };
  const effects = yield* withFacts(() => decide(memory, event));
  const stored = { ...record, event: effects.event ?? event };

  yield* addEvent(connection, {
    record: stored,
    duplicateOf: memory.duplicateOf,
    decisions: effects.decisions,
    turnMs: effects.turnMs,
    suppressed: effects.deliveries.every(({ channel }) => channel === INBOX),
  });
  if (effects.relay) yield* addToRelay(connection, event.id);
  if (effects.session !== null) yield* saveSession(connection, effects.session);
  yield* saveAlerts(connection, effects.alerts);
  if (effects.wait) yield* changeWait(connection, stored.event, effects.wait);
  if (effects.answered !== undefined) yield* cancelSettling(connection, effects.answered);
  for (const cancellation of effects.cancel) yield* cancelAlertDeliveries(connection, cancellation);
  for (const withdrawal of effects.withdraw) {
    yield* noteWithdrawal(connection, { ...withdrawal, cause: 'over' });
  }
  for (const delivery of effects.deliveries)
    yield* addDelivery(connection, delivery, { event: stored.event, now });
  return 'committed';
}
