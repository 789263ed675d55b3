import { agentNames, type HookEvent } from '../core/hook-event.ts';
import {
  type EndedWait,
  type MeasuredWait,
  type MeasureWait,
  type OpenWait,
} from '../core/waiting.ts';
import { type WaitChange, type WaitEnd, waitEndings, type WaitingGap } from '../core/waiting.ts';
import { type WaitingPeriod, waitKinds, type WaitSeries, type WaitStore } from '../core/waiting.ts';
import { type Connection, mapEach, type Query } from './query.ts';
import type { Database } from './database.ts';
import { eventById, isKnown, WAITING_KINDS } from './events.ts';
import { fact } from './lazy-facts.ts';
import { DAY_MS, measuredRequests, nameRequests, readNumbers } from './request-series.ts';
import { requestSeries, toolCalls, utcDate } from './request-series.ts';
import { read, type Row } from './row.ts';

export function waitStoreOn({ reads, writes }: Database): WaitStore {
  return {
    measure: writes(measureWaits),
    series: reads(waitSeries),
    requests: reads(requestSeries),
    nameRequests: writes(nameRequests),
    measuredRequests: reads(measuredRequests),
    toolCalls: reads(toolCalls),
    gaps: reads(gapsIn),
    addGap: writes(addGap),
    shiftOpen: writes(shiftOpenWaits),
  };
}

/** The open wait of a session; null without one. */
export function* openWait(connection: Connection, sessionKey: string): Query<OpenWait | null> {
  const sql = 'SELECT event_id, kind, since FROM waits WHERE session_key = ? AND until IS NULL';
  const row = yield* connection.get(sql, sessionKey);
  if (row === null) return null;
  const eventId = read.text(row, 'event_id');
  return {
    kind: read.oneOf(row, 'kind', waitKinds),
    since: read.integer(row, 'since'),
    question: fact(() => eventIfKept(connection, eventId)),
  };
}

/** Null once it was removed: waits are kept longer. */
function* eventIfKept(connection: Connection, eventId: string): Query<HookEvent | null> {
  return (yield* isKnown(connection, eventId)) ? yield* eventById(connection, eventId) : null;
}

/** Writes what an event changes; at most one update and one row. */
export function* changeWait(
  connection: Connection,
  { id, sessionKey, machine, agent, project }: HookEvent,
  { ended, begun }: WaitChange,
): Query<void> {
  if (ended !== null) yield* endWait(connection, sessionKey, ended);
  if (begun === null) return;
  const sql =
    'INSERT INTO waits (event_id, session_key, machine, agent, project, kind, since) VALUES (?, ?, ?, ?, ?, ?, ?)';
  yield* connection.run(sql, id, sessionKey, machine, agent, project, begun.kind, begun.since);
}

const END =
  'UPDATE waits SET until = max(since, ?), ending = ?, via = ?, answer = ? WHERE session_key = ?';

export function endWait(
  connection: Connection,
  sessionKey: string,
  { until, ending, via, answer = null }: WaitEnd,
): Query<number> {
  return connection.run(`${END} AND until IS NULL`, until, ending, via, answer, sessionKey);
}

/** Ends the open wait that this request began. */
export function endRequestWait(
  connection: Connection,
  { sessionKey, eventId }: { readonly sessionKey: string; readonly eventId: string },
  { until, ending, via, answer = null }: WaitEnd,
): Query<number> {
  const sql = `${END} AND until IS NULL AND event_id = ? AND kind IN (${WAITING_KINDS})`;
  return connection.run(sql, until, ending, via, answer, sessionKey, eventId);
}

const SELECT_ENDED =
  'SELECT seq, event_id, kind, agent, ending, via, since, until FROM waits WHERE until IS NOT NULL';

function* measureWaits(
  connection: Connection,
  { measure, exceptChannels, limit }: Parameters<WaitStore['measure']>[0],
): Query<readonly MeasuredWait[]> {
  const sql = `${SELECT_ENDED} AND day IS NULL ORDER BY until LIMIT ?`;
  const rows = yield* connection.all(sql, limit);
  return yield* mapEach(rows, function* measureOne(row) {
    const wait = readEnded(row);
    const length = measure(wait, yield* gapsIn(connection, wait));
    const ring = yield* lastRing(connection, row, exceptChannels);
    const { day, waitedMs, workingMs, gapMs } = length;
    const back =
      ring === null ? [null, null, null] : [ring.channel, ring.step, wait.until - ring.sentAt];
    const seq = read.integer(row, 'seq');
    const update =
      'UPDATE waits SET day = ?, waited_ms = ?, working_ms = ?, gap_ms = ?, channel = ?, step = ?, returned_ms = ? WHERE seq = ?';
    yield* connection.run(update, day, waitedMs, workingMs, gapMs, ...back, seq);
    return {
      ...length,
      kind: wait.kind,
      agent: read.oneOf(row, 'agent', agentNames),
      ending: read.oneOf(row, 'ending', waitEndings),
    };
  });
}

function readEnded(row: Row): EndedWait {
  return {
    kind: read.oneOf(row, 'kind', waitKinds),
    since: read.integer(row, 'since'),
    until: read.integer(row, 'until'),
  };
}

/** The last notification before the end of a wait; on the channel through which the answer came, if that sent one. */
function* lastRing(connection: Connection, row: Row, exceptChannels: readonly string[]) {
  const until = read.integer(row, 'until');
  const via = read.textOrNull(row, 'via');
  const sql = `SELECT own.channel AS channel, own.step AS step, coalesce(lead.sent_at, own.sent_at) AS sent
      FROM deliveries AS own LEFT JOIN deliveries AS lead ON lead.id = own.told_by
      WHERE own.event_id = ? AND own.channel NOT IN (SELECT value FROM json_each(?))
        AND coalesce(lead.sent_at, own.sent_at) <= ?`;
  const except = JSON.stringify(exceptChannels);
  const rings = (yield* connection.all(sql, read.text(row, 'event_id'), except, until))
    .map((found) => ({
      channel: read.text(found, 'channel'),
      step: read.integer(found, 'step'),
      sentAt: read.integer(found, 'sent'),
    }))
    .toSorted((a, b) => b.sentAt - a.sentAt || b.step - a.step);
  return rings.find(({ channel }) => channel === via) ?? rings[0] ?? null;
}

const LISTED = 'day, kind, agent, project, machine, ending, channel, step';

/** Measured waits that began in a period, by all their properties. */
function* waitSeries(
  connection: Connection,
  { since, until }: WaitingPeriod,
): Query<readonly WaitSeries[]> {
  // The index begins with local days, which are at most a day off from those of UTC.
  const sql = `SELECT ${LISTED}, sum(working_ms) AS working, sum(gap_ms) AS gap,
        group_concat(waited_ms) AS waits, group_concat(returned_ms) AS returns
      FROM waits WHERE day >= ? AND day <= ? AND since >= ? AND since < ? GROUP BY ${LISTED}`;
  const days = [utcDate(since - DAY_MS), utcDate(until + DAY_MS)];
  return (yield* connection.all(sql, ...days, since, until)).map((row) => ({
    day: read.text(row, 'day'),
    kind: read.oneOf(row, 'kind', waitKinds),
    agent: read.oneOf(row, 'agent', agentNames),
    project: read.textOrNull(row, 'project'),
    machine: read.textOrNull(row, 'machine'),
    ending: read.oneOf(row, 'ending', waitEndings),
    channel: read.textOrNull(row, 'channel'),
    step: read.integerOrNull(row, 'step'),
    workingMs: read.integer(row, 'working'),
    gapMs: read.integer(row, 'gap'),
    waitsMs: readNumbers(row, 'waits'),
    returnsMs: readNumbers(row, 'returns'),
  }));
}

/** Gaps that overlap a period, oldest first. */
function* gapsIn(
  connection: Connection,
  { since, until }: WaitingPeriod,
): Query<readonly WaitingGap[]> {
  const sql = 'SELECT begins, ends, cause FROM waiting_gaps WHERE ends > ? AND begins < ?';
  return (yield* connection.all(sql, since, until))
    .map((row) => ({
      from: read.integer(row, 'begins'),
      to: read.integer(row, 'ends'),
      cause: read.oneOf(row, 'cause', ['asleep', 'off']),
    }))
    .toSorted((a, b) => a.from - b.from);
}

/** A gap is often noticed after the end of a wait that it was part of. */
function* addGap(
  connection: Connection,
  { from, to, cause }: WaitingGap,
  measure: MeasureWait,
): Query<void> {
  const sql = 'INSERT INTO waiting_gaps (begins, ends, cause) VALUES (?, ?, ?)';
  yield* connection.run(sql, from, to, cause);
  const ended = `${SELECT_ENDED} AND day IS NOT NULL AND until > ? AND since < ?`;
  for (const row of yield* connection.all(ended, from, to)) {
    const wait = readEnded(row);
    const { waitedMs, workingMs, gapMs } = measure(wait, yield* gapsIn(connection, wait));
    const updateWaits = 'UPDATE waits SET waited_ms = ?, working_ms = ?, gap_ms = ? WHERE seq = ?';
    yield* connection.run(updateWaits, waitedMs, workingMs, gapMs, read.integer(row, 'seq'));
  }
}

function* shiftOpenWaits(connection: Connection, byMs: number): Query<void> {
  yield* connection.run('UPDATE waits SET since = since + ? WHERE until IS NULL', byMs);
}

/** Removes waits and gaps from before a time, Unix ms; at most `limit` of each. Returns how many. */
export function* pruneWaits(connection: Connection, before: number, limit: number): Query<number> {
  const sql =
    'DELETE FROM waits WHERE seq IN (SELECT seq FROM waits WHERE until IS NOT NULL AND until < ? LIMIT ?)';
  const ended = yield* connection.run(sql, before, limit);
  const open = yield* connection.run('DELETE FROM waits WHERE until IS NULL AND since < ?', before);
  const gaps = yield* connection.run('DELETE FROM waiting_gaps WHERE ends < ?', before);
  return ended + open + gaps;
}
