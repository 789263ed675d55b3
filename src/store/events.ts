import { z } from 'zod';

import { SEEN_EVENT } from '../core/agent/witness.ts';
import { askedSchema } from '../core/asked.ts';
import { type Decision, stages, verdicts } from '../core/decision.ts';
import {
  agentNames,
  dialectNames,
  type HookEvent,
  type HookRecord,
  kinds,
  REGISTRATION_JITTER_MS,
  sessionKeyOf,
  waitingKinds,
} from '../core/hook-event.ts';
import type { ReceivedWord } from '../core/history.ts';
import { type LastEvent, type LastHook, REMOTE } from '../core/source-event.ts';
import { type Connection, mapEach, type Query } from './query.ts';
import { facts, field, insertInto, nullable, read, type Row, stored } from './row.ts';

/** The kinds of `isWaiting`, as a list in SQL. */
export const WAITING_KINDS = waitingKinds.map((kind) => `'${kind}'`).join(', ');

export interface NewEvent {
  /** Its place in the order of arrival; null: behind all others. */
  readonly seq: number | null;
  readonly record: HookRecord;
  readonly duplicateOf: string | null;
  readonly decisions: readonly Decision[];
  readonly turnMs: number | null;
  /** True if the event is not sent to anyone. */
  readonly suppressed: boolean;
}

type FlatEvent = Omit<HookEvent, 'duplicate' | 'mayHelp'> & {
  readonly duplicateKey: string;
  readonly duplicateWindowMs: number | null;
};

const storedEvent = stored<FlatEvent>({
  id: field.text,
  machine: nullable(field.text),
  at: field.integer,
  receivedAt: field.integer,
  agent: field.word(agentNames),
  event: field.text,
  kind: field.word(kinds),
  sessionKey: field.text,
  sessionId: nullable(field.text),
  cwd: nullable(field.text),
  project: nullable(field.text),
  message: nullable(field.text),
  tool: nullable(field.text),
  asked: nullable(field.json(askedSchema)),
  reason: nullable(field.text),
  failed: field.flag,
  notificationType: nullable(field.text),
  permissionMode: nullable(field.text),
  subagent: field.flag,
  attended: nullable(field.flag),
  source: nullable(field.text),
  title: nullable(field.text),
  transcriptPath: nullable(field.text),
  backgroundWork: field.flag,
  subject: nullable(field.text),
  duplicateKey: field.text,
  duplicateWindowMs: nullable(field.integer),
  facts,
});

const decisions = field.json<readonly Decision[]>(
  z.array(z.object({ stage: z.enum(stages), verdict: z.enum(verdicts), reason: z.string() })),
);

const storedOutcome = stored<Omit<NewEvent, 'record'>>({
  seq: nullable(field.integer),
  duplicateOf: nullable(field.text),
  decisions,
  turnMs: nullable(field.integer),
  suppressed: field.flag,
});

const insertEvent = insertInto('events', [...storedEvent.columns, ...storedOutcome.columns]);

export function* addEvent(connection: Connection, added: NewEvent): Query<void> {
  const { event, payload } = added.record;
  const { key: duplicateKey, windowMs: duplicateWindowMs } = event.duplicate;
  yield* connection.run(
    insertEvent,
    ...storedEvent.valuesOf({ ...event, duplicateKey, duplicateWindowMs }),
    ...storedOutcome.valuesOf(added),
  );
  const sql =
    'INSERT INTO payloads (event_seq, bytes) VALUES (coalesce(?, last_insert_rowid()), ?)';
  yield* connection.run(sql, added.seq, payload);
}

/** Counts added events; a trigger subtracts deleted ones. */
export function countEvents(connection: Connection, added: number): Query<number> {
  const sql = "UPDATE counters SET count = count + ? WHERE thing = 'event' AND state = ''";
  return connection.run(sql, added);
}

export function* isKnown(connection: Connection, eventId: string): Query<boolean> {
  return (yield* connection.get('SELECT 1 FROM events WHERE id = ?', eventId)) !== null;
}

/** The session's events after the original one that are older than another time; `seq` is the order of arrival. */
const IN_BETWEEN = `SELECT 1 FROM events AS other
  WHERE other.session_key = original.session_key AND other.seq > original.seq
    AND other.at >= original.at AND other.at <= ?
    AND other.duplicate_key <> original.duplicate_key AND other.duplicate_of IS NULL`;

/** The event that this one duplicates, by `DuplicateKey`; null for a new event. */
export function* earlierDuplicate(connection: Connection, event: HookEvent): Query<string | null> {
  const { key, windowMs } = event.duplicate;
  const row =
    windowMs === null
      ? yield* connection.get(
          'SELECT id FROM events WHERE duplicate_key = ? AND duplicate_of IS NULL ORDER BY at LIMIT 1',
          key,
        )
      : yield* connection.get(
          `SELECT id FROM events AS original
          WHERE duplicate_key = ? AND at BETWEEN ? AND ? AND duplicate_of IS NULL
            AND (at BETWEEN ? AND ? OR NOT EXISTS (${IN_BETWEEN}))
          ORDER BY at LIMIT 1`,
          key,
          event.at - windowMs,
          event.at + windowMs,
          event.at - REGISTRATION_JITTER_MS,
          event.at + REGISTRATION_JITTER_MS,
          event.at,
        );
  return row === null ? null : read.text(row, 'id');
}

/** Without the decisions, which are as long as all others together. */
const SELECT_EVENT = `SELECT ${storedEvent.columns.join(', ')} FROM events WHERE id = ?`;

/** @throws Error without an event of this id, which foreign keys prevent */
export function* eventById(connection: Connection, eventId: string): Query<HookEvent> {
  const row = yield* connection.get(SELECT_EVENT, eventId);
  if (row === null) throw new Error(`Cannot read event "${eventId}": it does not exist`);
  return readEvent(row);
}

export function eventsById(
  connection: Connection,
  ids: readonly string[],
): Query<readonly HookEvent[]> {
  return mapEach(ids, (id) => eventById(connection, id));
}

/**
 * Adds a decision to a committed event, unless an identical one exists; has no effect on a removed event. Both are texts of
 * `JSON.stringify`, in which an object stands within another text only with its quotes escaped.
 */
export function* addDecision(
  connection: Connection,
  eventId: string,
  decision: Decision,
): Query<void> {
  const written = JSON.stringify(decision);
  const sql = `UPDATE events SET decisions = CASE decisions WHEN '[]' THEN '[' ELSE substr(decisions, 1, length(decisions) - 1) || ',' END || ? || ']'
    WHERE id = ? AND instr(decisions, ?) = 0`;
  yield* connection.run(sql, written, eventId, written);
}

/** Events of hooks, not of the vendor's service or of an agent's record. */
const HERE = `substr(event, 1, ${REMOTE.length}) <> '${REMOTE}' AND substr(event, 1, ${SEEN_EVENT.length}) <> '${SEEN_EVENT}'`;

export function* lastEvents(connection: Connection): Query<readonly LastEvent[]> {
  const last: LastEvent[] = [];
  for (const agent of agentNames) {
    const sql = `SELECT at, event FROM events WHERE agent = ? AND ${HERE} ORDER BY seq DESC LIMIT 1`;
    const row = yield* connection.get(sql, agent);
    if (row === null) continue;
    last.push({ agent, at: read.integer(row, 'at'), event: read.text(row, 'event') });
  }
  return last;
}

/** How many of the latest events are looked at: counting all of a month would take seconds in a large history. */
const MOST_COUNTED = 50_000;
const MOST_WORDS = 1_000;

export function* receivedWords(
  connection: Connection,
  since: number,
): Query<readonly ReceivedWord[]> {
  const sql = `SELECT agent, event, notification_type FROM events
     WHERE received_at >= ? ORDER BY received_at DESC LIMIT ${MOST_COUNTED}`;
  const rows = yield* connection.all(sql, since);
  const words = new Map<string, ReceivedWord>();
  for (const row of rows) {
    const word = {
      agent: read.oneOf(row, 'agent', agentNames),
      event: read.text(row, 'event'),
      notificationType: read.textOrNull(row, 'notification_type'),
    };
    const key = JSON.stringify(word);
    words.set(key, { ...word, count: (words.get(key)?.count ?? 0) + 1 });
  }
  return [...words.values()].toSorted((a, b) => b.count - a.count).slice(0, MOST_WORDS);
}

/** Agents use random session ids, so at most one agent has a session with this id. */
export function* lastHook(connection: Connection, sessionId: string): Query<LastHook | null> {
  for (const agent of dialectNames) {
    const sql = `SELECT at FROM events WHERE session_key = ? AND ${HERE} ORDER BY seq DESC LIMIT 1`;
    const row = yield* connection.get(sql, sessionKeyOf(agent, sessionId, null));
    if (row !== null) return { agent, at: read.integer(row, 'at') };
  }
  return null;
}

export function readEvent(row: Row): HookEvent {
  const { duplicateKey: key, duplicateWindowMs: windowMs, ...event } = storedEvent.read(row);
  return { ...event, duplicate: { key, windowMs } };
}

export function readDecisions(row: Row): readonly Decision[] {
  return decisions.read(row, 'decisions');
}
