import type { EventFilter, FollowedHistory, FollowQuery } from '../core/history.ts';
import type { HistoryEntry, HistoryQuery, HistoryStore } from '../core/history.ts';
import { type Connection, mapEach, type Query } from './query.ts';
import type { Database } from './database.ts';
import { attemptsOf, deliveriesOf } from './deliveries.ts';
import { lastEvents, lastHook, readDecisions, readEvent, receivedWords } from './events.ts';
import { LAST_CHARACTER, read, type Row, type Value } from './row.ts';
import { countUsage, waitsSeen } from './traffic.ts';

const ENTRY = `SELECT events.*, (
    SELECT coalesce(
      CASE WHEN json_valid(looked_up) THEN json_extract(looked_up, '$.title') END,
      title,
      CASE WHEN json_valid(looked_up) THEN json_extract(looked_up, '$.transcriptTitle') END)
    FROM sessions WHERE key = session_key
  ) AS session_title FROM events`;

export function historyStoreOn({ reads, readsLatest }: Database): HistoryStore {
  return {
    list: reads(listHistory),
    follow: readsLatest(followHistory),
    event: reads(findEvent),
    idsBeginning: reads(idsBeginning),
    lastEvents: reads(lastEvents),
    lastHook: reads(lastHook),
    words: reads(receivedWords),
    waitsSeen: reads(waitsSeen),
    usage: reads(countUsage),
  };
}

/** Events in reverse order of arrival. */
function* listHistory(
  connection: Connection,
  { limit, before, sessionKeys, ...conditions }: HistoryQuery,
): Query<readonly HistoryEntry[]> {
  const border =
    before === undefined ? Number.MAX_SAFE_INTEGER : ((yield* seqOf(connection, before)) ?? 0);
  const filter = { ...conditions, border, limit };
  const rows =
    sessionKeys === undefined
      ? yield* search(connection, filter)
      : // One search per session, because an index is in order of arrival only within a session.
        (yield* mapEach([...new Set(sessionKeys)], (sessionKey) =>
          search(connection, { ...filter, sessionKey }),
        ))
          .flat()
          .toSorted((a, b) => read.integer(b, 'seq') - read.integer(a, 'seq'))
          .slice(0, limit);
  return yield* mapEach(rows, (row) => readEntry(connection, row));
}

interface Filter extends Omit<HistoryQuery, 'before' | 'sessionKeys'> {
  readonly border: number;
  readonly sessionKey?: string;
}

function* search(
  connection: Connection,
  { border, sessionKey, limit, ...filter }: Filter,
): Query<readonly Row[]> {
  const conditions = ['seq < ?'];
  const values: Value[] = [border];
  if (sessionKey !== undefined) {
    conditions.push('session_key = ?');
    values.push(sessionKey);
  }
  // One session has far fewer events than one agent, which SQLite cannot know: a "+" keeps it off the other indexes.
  addConditions(filter, sessionKey === undefined ? '' : '+', conditions, values);
  const sql = `${ENTRY} WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT ?`;
  return yield* connection.all(sql, ...values, limit);
}

/** @param noIndex "+" keeps SQLite off the indexes of agents and of suppressed events */
function addConditions(
  { agent, suppressed, project, kind, since, notified }: Omit<EventFilter, 'sessionKeys'>,
  noIndex: '' | '+',
  conditions: string[],
  values: Value[],
): void {
  const add = (condition: string, ...of: readonly Value[]): void => {
    conditions.push(condition);
    values.push(...of);
  };
  if (agent !== undefined) add(`${noIndex}agent = ?`, agent);
  if (suppressed === true) add(`${noIndex}suppressed = 1`);
  if (project !== undefined) add('+project = ?', project);
  if (kind !== undefined) add('+kind = ?', kind);
  if (since !== undefined) add('+at >= ?', since);
  if (notified === undefined) return;
  const states = notified.orWaiting ? ['pending', 'retrying', 'sent'] : ['sent'];
  add(
    `EXISTS (
      SELECT 1 FROM deliveries AS own LEFT JOIN deliveries AS lead ON lead.id = own.told_by
      WHERE own.event_id = events.id AND own.channel NOT IN (SELECT value FROM json_each(?))
        AND (own.state IN (SELECT value FROM json_each(?)) OR lead.state = 'sent')
    )`,
    JSON.stringify(notified.exceptChannels),
    JSON.stringify(states),
  );
}

/** Events after a position in order of arrival, oldest first. */
function* searchAfter(
  connection: Connection,
  start: number,
  { sessionKeys, limit, ...filter }: EventFilter & { readonly limit: number },
): Query<readonly Row[]> {
  // A "+" keeps SQLite off the other indexes: new events are few, those of one agent may be many.
  const conditions = ['seq > ?'];
  const values: Value[] = [start];
  if (sessionKeys !== undefined) {
    conditions.push(`+session_key IN (${sessionKeys.map(() => '?').join(', ')})`);
    values.push(...sessionKeys);
  }
  addConditions(filter, '+', conditions, values);
  const sql = `${ENTRY} WHERE ${conditions.join(' AND ')} ORDER BY seq LIMIT ?`;
  return yield* connection.all(sql, ...values, limit);
}

function* findEvent(
  connection: Connection,
  id: string,
): Query<(HistoryEntry & { readonly payload: Uint8Array }) | null> {
  const seq = id === 'last' ? yield* newestSeq(connection) : yield* seqOf(connection, id);
  if (seq === null) return null;
  const sql = `SELECT entry.*, payloads.bytes AS payload FROM (${ENTRY} WHERE seq = ?) AS entry JOIN payloads ON event_seq = entry.seq`;
  const row = yield* connection.get(sql, seq);
  return row === null
    ? null
    : { ...(yield* readEntry(connection, row)), payload: read.bytes(row, 'payload') };
}

function* seqOf(connection: Connection, id: string): Query<number | null> {
  const row = yield* connection.get('SELECT seq FROM events WHERE id = ?', id);
  return row === null ? null : read.integer(row, 'seq');
}

const idTables = {
  events: 'events',
  deliveries: 'deliveries',
  queue: "deliveries WHERE state IN ('pending', 'retrying', 'dead')",
  mutes: 'mutes',
} as const;

/** The ids with a prefix, in order. */
function* idsBeginning(
  connection: Connection,
  table: keyof typeof idTables,
  beginning: string,
  limit: number,
): Query<readonly string[]> {
  const sql = `SELECT id FROM (SELECT id FROM ${idTables[table]}) AS known WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`;
  const rows = yield* connection.all(sql, beginning, beginning + LAST_CHARACTER, limit);
  return rows.map((row) => read.text(row, 'id'));
}

function* readEntry(connection: Connection, row: Row): Query<HistoryEntry> {
  const event = readEvent(row);
  const sentWith = yield* leadersOf(connection, event.id);
  const deliveries = yield* deliveriesOf(connection, event.id);
  const logs = yield* mapEach(deliveries, ({ id }) => attemptsOf(connection, id));
  return {
    event,
    sessionTitle: read.textOrNull(row, 'session_title'),
    decisions: readDecisions(row),
    turnMs: read.integerOrNull(row, 'turn_ms'),
    deliveries: deliveries.map((delivery, index) => ({
      ...delivery,
      sentWith: sentWith.get(delivery.id) ?? null,
      log: logs[index] ?? [],
    })),
  };
}

/** By the id of a combined delivery: the event of the delivery that carries it. */
function* leadersOf(connection: Connection, eventId: string): Query<ReadonlyMap<string, string>> {
  const sql =
    'SELECT own.id AS id, lead.event_id AS event FROM deliveries AS own JOIN deliveries AS lead ON lead.id = own.told_by WHERE own.event_id = ?';
  const rows = yield* connection.all(sql, eventId);
  return new Map(rows.map((row) => [read.text(row, 'id'), read.text(row, 'event')]));
}

/** Events in order of arrival, with the position after them: one read, so that no event is lost between two pages. */
function* followHistory(
  connection: Connection,
  { limit, from, ...filter }: FollowQuery,
): Query<FollowedHistory> {
  const visible = yield* connection.visibleEvents();
  const newest = yield* newestSeq(connection, visible);
  if (from === 'newest') {
    const latest = (yield* listHistory(connection, { ...filter, limit })).toReversed();
    const entries: HistoryEntry[] = [];
    for (const entry of latest) {
      const isLater =
        visible !== null && ((yield* seqOf(connection, entry.event.id)) ?? 0) > newest;
      if (!isLater) entries.push(entry);
    }
    return { entries, cursor: yield* cursorAt(connection, newest) };
  }
  const start =
    'event' in from
      ? yield* seqOf(connection, from.event)
      : yield* startOf(connection, from.cursor);
  const found = yield* searchAfter(connection, start ?? 0, { ...filter, limit });
  const rows = found.filter((row) => read.integer(row, 'seq') <= newest);
  const last = rows.at(-1);
  const end = rows.length === limit && last !== undefined ? read.integer(last, 'seq') : newest;
  return {
    entries: yield* mapEach(rows, (row) => readEntry(connection, row)),
    cursor: yield* cursorAt(connection, end),
  };
}

/** @param visible the greatest number to look at; null: any */
function* newestSeq(connection: Connection, visible: number | null = null): Query<number> {
  const sql = 'SELECT coalesce(max(seq), 0) AS seq FROM events WHERE seq <= ?';
  const row = yield* connection.get(sql, visible ?? Number.MAX_SAFE_INTEGER);
  return row === null ? 0 : read.integer(row, 'seq');
}

function* cursorAt(connection: Connection, seq: number): Query<string> {
  const row = yield* connection.get('SELECT id FROM events WHERE seq = ?', seq);
  return `${seq}.${row === null ? '' : read.text(row, 'id')}`;
}

/** Numbers restart after the database was replaced or cleared. Then all events are returned again. */
function* startOf(connection: Connection, cursor: string): Query<number> {
  const dot = cursor.indexOf('.');
  const seq = Number(cursor.slice(0, Math.max(0, dot)));
  if (!Number.isSafeInteger(seq) || seq <= 0) return 0;
  const row = yield* connection.get('SELECT id FROM events WHERE seq = ?', seq);
  if (row !== null) return read.text(row, 'id') === cursor.slice(dot + 1) ? seq : 0;
  return (yield* newestSeq(connection)) > seq ? seq : 0;
}
