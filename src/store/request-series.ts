import { z } from 'zod';

import { askedSchema, type Asked } from '../core/asked.ts';
import { agentNames, type HookRecord } from '../core/hook-event.ts';
import { type MeasuredRequest, type PermissionAnswer, type RequestName } from '../core/waiting.ts';
import {
  type RequestSeries,
  waitEndings,
  type WaitingPeriod,
  type WaitStore,
} from '../core/waiting.ts';
import { readEvent, WAITING_KINDS } from './events.ts';
import { type Connection, mapEach, type Query } from './query.ts';
import { field, nullable, read, type Row } from './row.ts';

/** Most that a local day is off from that of UTC, ms. */
export const DAY_MS = 86_400_000;
/** What a tool returned is of no use here, bytes. */
const LONG_CALL = 200_000;

/** What the first event after a request that is about it shows. */
const endings: Readonly<Partial<Record<string, PermissionAnswer>>> = {
  'tool.done': 'allowed',
  'turn.interrupted': 'denied',
};

const LISTED = 'request, agent, project, ending, answer';

/** Requests of this machine whose waits began in a period, by all that is counted. */
export function* requestSeries(
  connection: Connection,
  { since, until }: WaitingPeriod,
): Query<readonly RequestSeries[]> {
  // In the order of an index that has all of it.
  const sql = `SELECT ${LISTED}, group_concat(waited_ms) AS waits FROM waits
      WHERE request IS NOT NULL AND since >= ? AND since < ? GROUP BY ${LISTED}`;
  return (yield* connection.all(sql, since, until)).map((row) => ({
    agent: read.oneOf(row, 'agent', agentNames),
    project: read.textOrNull(row, 'project'),
    request: requestName.read(row, 'request'),
    ...readAnswer(row),
    waitsMs: readNumbers(row, 'waits'),
  }));
}

const requestName = field.json<RequestName>(
  z.tuple([z.string(), z.array(z.string()).readonly()]).nullable(),
);
const askedOrNull = nullable(field.json<Asked>(askedSchema));

export function* nameRequests(
  connection: Connection,
  { nameOf, limit }: Parameters<WaitStore['nameRequests']>[0],
): Query<number> {
  const sql = `SELECT w.seq AS seq, w.answer AS answer, q.choice AS choice, e.tool AS tool, e.asked AS asked,
        (SELECT kind FROM events WHERE session_key = e.session_key AND seq > e.seq AND (subject = e.subject OR kind = 'turn.interrupted') ORDER BY seq LIMIT 1) AS next
      FROM waits AS w LEFT JOIN events AS e ON e.id = w.event_id LEFT JOIN questions AS q ON q.id = w.event_id
      WHERE w.day IS NOT NULL AND w.request IS NULL AND w.kind IN (${WAITING_KINDS}) AND w.machine IS NULL LIMIT ?`;
  const rows = yield* connection.all(sql, limit);
  yield* mapEach(rows, (row) => {
    const asked = askedOrNull.read(row, 'asked');
    // Where a record ended the wait first, the call that was made shows the answer.
    const answer =
      answerOf(read.textOrNull(row, 'answer') ?? read.textOrNull(row, 'choice')) ??
      endings[read.textOrNull(row, 'next') ?? ''] ??
      null;
    return connection.run(
      'UPDATE waits SET request = ?, answer = ? WHERE seq = ?',
      JSON.stringify(nameOf({ asked, tool: read.textOrNull(row, 'tool') })),
      answer,
      read.integer(row, 'seq'),
    );
  });
  return rows.length;
}

export function* measuredRequests(
  connection: Connection,
  { since, until, limit }: Parameters<WaitStore['measuredRequests']>[0],
): Query<readonly MeasuredRequest[]> {
  const rows = yield* connection.all(
    `SELECT events.*, w.ending AS ending, w.answer AS answer, w.waited_ms AS waited
      FROM waits AS w JOIN events ON events.id = w.event_id
      WHERE w.day >= ? AND w.day <= ? AND w.since >= ? AND w.since < ? AND w.request IS NOT NULL
      ORDER BY w.day DESC LIMIT ?`,
    utcDate(since - DAY_MS),
    utcDate(until + DAY_MS),
    since,
    until,
    limit,
  );
  return rows.map((row) => ({
    event: readEvent(row),
    ...readAnswer(row),
    waitedMs: read.integer(row, 'waited'),
  }));
}

export function* toolCalls(
  connection: Connection,
  { since, before, limit }: Parameters<WaitStore['toolCalls']>[0],
): Query<readonly (HookRecord & { readonly seq: number })[]> {
  const sql = `SELECT events.*, payloads.bytes AS payload FROM events JOIN payloads ON event_seq = seq
      WHERE kind = 'tool.done' AND at >= ? AND seq < ? AND machine IS NULL AND duplicate_of IS NULL
        AND length(bytes) < ${LONG_CALL} ORDER BY seq DESC LIMIT ?`;
  const rows = yield* connection.all(sql, since, before, limit);
  return rows.map((row) => ({
    event: readEvent(row),
    payload: read.bytes(row, 'payload'),
    seq: read.integer(row, 'seq'),
  }));
}

function readAnswer(row: Row): Pick<RequestSeries, 'ending' | 'answer'> {
  return {
    ending: read.oneOf(row, 'ending', waitEndings),
    answer: answerOf(read.textOrNull(row, 'answer')),
  };
}

/** @param word the answer at the terminal, or the choice of a person elsewhere */
function answerOf(word: string | null): PermissionAnswer | null {
  if (word === 'deny' || word === 'denied') return 'denied';
  return word?.startsWith('allow') === true ? 'allowed' : null;
}

/** Years beyond four digits would not be in order as texts. */
export function utcDate(at: number): string {
  const bounded = Math.min(Math.max(at, 0), Date.UTC(9999, 11, 31));
  return new Date(bounded).toISOString().slice(0, 10);
}

const numbers = field.json<readonly number[]>(z.array(z.number()));

/** A list that `group_concat` made; empty for NULL. JSON is read faster than a text is split. */
export function readNumbers(row: Row, column: string): readonly number[] {
  const list = read.textOrNull(row, column);
  return list === null ? [] : numbers.read({ [column]: `[${list}]` }, column);
}
