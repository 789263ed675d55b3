import type { HookRecord } from '../core/hook-event.ts';
import type { Accepted, Decide, Effects, EventStore, Memory } from '../core/store.ts';
import { StoreError } from '../core/store-aging.ts';
import { closedAlert, liveAlert, saveAlerts } from './alerts.ts';
import { AnsweredQuery, type Connection, type Query } from './query.ts';
import type { Database } from './database.ts';
import { addDelivery, cancelAlertDeliveries, cancelHeldForAnswer } from './deliveries.ts';
import {
  addDecision,
  addEvent,
  countEvents,
  earlierDuplicate,
  eventById,
  isKnown,
  type NewEvent,
} from './events.ts';
import { INBOX } from '../core/delivery.ts';
import { fact, withFacts } from './lazy-facts.ts';
import { listMutes } from './mute-store.ts';
import { addToRelay } from './relay-store.ts';
import { UnreadableColumnError } from './row.ts';
import { limitMemory, saveSession, sessionByKey, siblingOf } from './session-store.ts';
import { trafficOn } from './traffic.ts';
import { changeWait, openWait } from './wait-store.ts';
import { noteWithdrawal } from './withdrawals.ts';

export function eventStoreOn({ writesBeside, now }: Database): EventStore {
  return {
    accept: writesBeside((connection, ...accepted: Parameters<EventStore['accept']>) =>
      acceptRecords(connection, accepted, now()),
    ),
    addDecision: writesBeside(addDecision),
  };
}

/**
 * Commits events with their effects; inside a transaction.
 *
 * @throws StoreError `damaged` for a row this version cannot have written: no event is at fault
 */
function* acceptRecords(
  connection: Connection,
  [records, decide]: Parameters<EventStore['accept']>,
  now: number,
): Query<readonly Accepted[]> {
  try {
    yield* connection.lockSessions(records.map(({ event }) => event.sessionKey));
    const revoked = yield* connection.revoked(records.flatMap(({ event }) => event.machine ?? []));
    const numbers = yield* connection.eventNumbers(records.length);
    const verdicts: Accepted[] = [];
    for (const [index, record] of records.entries()) {
      const { machine } = record.event;
      const isRevoked = machine !== null && revoked.has(machine);
      const seq = numbers?.[index] ?? null;
      verdicts.push(
        isRevoked ? 'revoked' : yield* commitRecord(connection, record, seq, now, decide),
      );
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
  seq: number | null,
  now: number,
  decide: Decide,
): Query<Accepted> {
  const { event } = record;
  if (yield* isKnown(connection, event.id)) return 'known';
  const alert = yield* liveAlert(connection, event.sessionKey);
  // Nearly all decisions ask for it.
  const wait = yield* openWait(connection, event.sessionKey);
  const traffic = trafficOn(connection, now);
  const memory: Memory = {
    session: yield* sessionByKey(connection, event.sessionKey),
    alert,
    question: fact(() =>
      alert === null ? new AnsweredQuery(null) : eventById(connection, alert.eventId),
    ),
    earlier: fact((subject: string) => closedAlert(connection, event.sessionKey, subject)),
    duplicateOf: yield* earlierDuplicate(connection, event),
    mutes: yield* listMutes(connection, now),
    sibling: fact(() => siblingOf(connection, event)),
    limits: fact(() => limitMemory(connection, event)),
    traffic: (channel, recipient) => traffic({ channel, recipient }, event.sessionKey),
    wait: () => wait,
  };
  const effects = yield* withFacts(() => decide(memory, event));
  yield* writeEffects(connection, { record, seq, duplicateOf: memory.duplicateOf }, effects, now);
  return 'committed';
}

function* writeEffects(
  connection: Connection,
  { record, seq, duplicateOf }: Pick<NewEvent, 'record' | 'seq' | 'duplicateOf'>,
  effects: Effects,
  now: number,
): Query<void> {
  const { id } = record.event;
  const event = effects.event ?? record.event;
  yield* addEvent(connection, {
    seq,
    record: { ...record, event },
    duplicateOf,
    decisions: effects.decisions,
    turnMs: effects.turnMs,
    suppressed: effects.deliveries.every(({ channel }) => channel === INBOX),
  });
  if (effects.relay) yield* addToRelay(connection, id);
  if (effects.session !== null) yield* saveSession(connection, effects.session);
  yield* saveAlerts(connection, effects.alerts);
  if (effects.wait) yield* changeWait(connection, event, effects.wait);
  if (effects.answered !== undefined) yield* cancelHeldForAnswer(connection, effects.answered);
  for (const cancellation of effects.cancel) yield* cancelAlertDeliveries(connection, cancellation);
  for (const withdrawal of effects.withdraw) {
    yield* noteWithdrawal(connection, { ...withdrawal, cause: 'over' });
  }
  for (const delivery of effects.deliveries)
    yield* addDelivery(connection, delivery, { event, now });
}
