import type { HookEvent, HookRecord } from '../core/hook-event.ts';
import type { Accepted, Decide, Effects, EventStore, Memory } from '../core/store.ts';
import { StoreError } from '../core/store-aging.ts';
import { closedAlert, liveAlert, saveAlerts } from './alerts.ts';
import { AnsweredQuery, type Connection, mapped, type Query, type Turn } from './query.ts';
import type { Database } from './database.ts';
import { addDelivery } from './deliveries.ts';
import { cancelAlertDeliveries, cancelHeldForAnswer } from './cancellations.ts';
import {
  addDecision,
  addEvent,
  countEvents,
  earlierDuplicate,
  eventById,
  isKnown,
} from './events.ts';
import { INBOX } from '../core/delivery.ts';
import { fact, withFacts } from './lazy-facts.ts';
import { listMutes } from './mute-store.ts';
import { addToRelay } from './relay-store.ts';
import { UnreadableColumnError } from './row.ts';
import { limitMemory, saveSession, sessionByKey, siblingOf } from './session-store.ts';
import { type Releases, releasesTogether } from './releases-together.ts';
import { changeWait, openWait } from './wait-store.ts';
import { noteWithdrawal } from './withdrawals.ts';

export function eventStoreOn({ writesBeside, gathers, now }: Database): EventStore {
  return {
    accept: gathers((connection, calls: readonly Parameters<EventStore['accept']>[]) =>
      acceptCalls(connection, calls, now()),
    ),
    addDecision: writesBeside(addDecision),
  };
}

interface Arrival {
  readonly record: HookRecord;
  readonly decide: Decide;
}

/** Returns the verdicts of each call. */
function acceptCalls(
  connection: Connection,
  calls: readonly Parameters<EventStore['accept']>[],
  now: number,
): Query<readonly (readonly Accepted[])[]> {
  const arrivals = calls.flatMap(([records, decide]) =>
    records.map((record): Arrival => ({ record, decide })),
  );
  return mapped(acceptRecords(connection, arrivals, now), (verdicts) => {
    let taken = 0;
    return calls.map(([records]) => verdicts.slice(taken, (taken += records.length)));
  });
}

/**
 * Commits events with their effects; inside a transaction.
 *
 * @throws StoreError `damaged` for a row this version cannot have written: no event is at fault
 */
function* acceptRecords(
  connection: Connection,
  arrivals: readonly Arrival[],
  now: number,
): Query<readonly Accepted[]> {
  try {
    yield* connection.lockSessions(arrivals.map(({ record }) => record.event.sessionKey));
    const revoked = yield* connection.revoked(
      arrivals.flatMap(({ record }) => record.event.machine ?? []),
    );
    const numbers = yield* connection.eventNumbers(arrivals.length);
    const numbered = arrivals.map((one, index) => ({ ...one, seq: numbers?.[index] ?? null }));
    const verdicts = yield* connection.each(numbered, {
      keysOf: ({ record }) => keysOf(record.event),
      together() {
        const releases = releasesTogether(connection, now);
        return (one, turn) => commitRecord(connection, one, { now, releases, turn, revoked });
      },
    });
    yield* countEvents(connection, verdicts.filter((verdict) => verdict === 'committed').length);
    return verdicts;
  } catch (error) {
    if (!(error instanceof UnreadableColumnError)) throw error;
    throw new StoreError('damaged', error.message, { cause: error });
  }
}

/** Events with a common one depend on each other: one has to be committed before the other is decided. */
function keysOf({
  id,
  sessionKey,
  duplicate,
  agent,
  machine,
  cwd,
  mayHelp,
}: HookEvent): readonly string[] {
  const keys = [`session ${sessionKey}`, `id ${id}`, `duplicate ${duplicate.key}`];
  return mayHelp === true ? [...keys, `place ${JSON.stringify([agent, machine, cwd])}`] : keys;
}

interface Numbered {
  readonly record: HookRecord;
  readonly seq: number | null;
}

interface Together {
  readonly now: number;
  readonly releases: Releases;
  readonly turn: Turn;
  readonly revoked: ReadonlySet<string>;
}

/** Errors of `decide` pass through. */
function* commitRecord(
  connection: Connection,
  { record, seq, decide }: Numbered & Arrival,
  { now, releases, turn, revoked }: Together,
): Query<Accepted> {
  const { event } = record;
  if (event.machine !== null && revoked.has(event.machine)) return 'revoked';
  if (yield* isKnown(connection, event.id)) return 'known';
  const alert = yield* liveAlert(connection, event.sessionKey);
  // Nearly all decisions ask for it.
  const wait = yield* openWait(connection, event.sessionKey);
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
    traffic: (channel, recipient) =>
      releases.trafficOf({ channel, recipient }, event.sessionKey, turn, () => {
        early.is = true;
      }),
    wait: () => wait,
  };
  // Made too early, a decision still shows which facts it needs, so that all get theirs at the same time.
  const early = { is: false };
  const decideNow = (): Effects => {
    early.is = false;
    return decide(memory, event);
  };
  let effects = yield* withFacts(decideNow);
  while (early.is) {
    yield* turn.pause();
    effects = yield* withFacts(decideNow);
  }
  releases.add(effects.deliveries, event);
  yield* turn.meet();
  yield* writeEffects(connection, { record, seq, effects, now, duplicateOf: memory.duplicateOf });
  return 'committed';
}

interface Decided extends Numbered {
  readonly effects: Effects;
  readonly now: number;
  readonly duplicateOf: string | null;
}

function* writeEffects(
  connection: Connection,
  { record, seq, effects, now, duplicateOf }: Decided,
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
