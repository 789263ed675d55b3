import { type Asked, askedSchema } from '../core/asked.ts';
import { agentNames } from '../core/hook-event.ts';
import {
  type PermissionAnswer,
  type RequestSeries,
  waitEndings,
  type WaitingPeriod,
} from '../core/waiting.ts';
import { WAITING_KINDS } from './events.ts';
import type { Connection, Query } from './query.ts';
import { readJson, readOneOf, type Row, readTextOrNull } from './row.ts';

/** Most that a local day is off from that of UTC, ms. */
export const DAY_MS = 86_400_000;

const REQUEST = 'w.agent, w.project, w.ending, w.answer, q.choice, e.tool, e.asked';

/** Requests of this machine whose waits began in a period, by all that is counted. */
export function* requestSeries(
  connection: Connection,
  { since, until }: WaitingPeriod,
): Query<readonly RequestSeries[]> {
  return (yield* connection.all(
    `SELECT w.agent AS agent, w.project AS project, w.ending AS ending, w.answer AS answer, q.choice AS choice,
        e.tool AS tool, e.asked AS asked, group_concat(w.waited_ms) AS waits
      FROM waits AS w JOIN events AS e ON e.id = w.event_id LEFT JOIN questions AS q ON q.id = w.event_id
      WHERE w.day >= ? AND w.day <= ? AND w.since >= ? AND w.since < ?
        AND w.machine IS NULL AND w.kind IN (${WAITING_KINDS}) GROUP BY ${REQUEST}`,
    utcDate(since - DAY_MS),
    utcDate(until + DAY_MS),
    since,
    until,
  )).map((row) => ({
    agent: readOneOf(row, 'agent', agentNames),
    project: readTextOrNull(row, 'project'),
    tool: readTextOrNull(row, 'tool'),
    asked: row['asked'] === null ? null : readJson(row, 'asked', isAsked),
    ending: readOneOf(row, 'ending', waitEndings),
    answer: answerOf(readTextOrNull(row, 'answer') ?? readTextOrNull(row, 'choice')),
    waitsMs: readNumbers(row, 'waits'),
  }));
}

function isAsked(value: unknown): value is Asked {
  return askedSchema.safeParse(value).success;
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

/** A list that `group_concat` made; empty for NULL. JSON is read faster than a text is split. */
export function readNumbers(row: Row, column: string): readonly number[] {
  const list = readTextOrNull(row, column);
  return list === null ? [] : readJson({ [column]: `[${list}]` }, column, areNumbers);
}

function areNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'number');
}
