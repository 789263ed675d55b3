import { z } from 'zod';

import type { AuditEntry } from '../../../core/hub/audit.ts';
import type {
  AnswerUnderWay,
  DecidedAnswer,
  MachineQuestions,
  MachineReport,
  OpenMachineQuestion,
  TakenReport,
} from '../../../core/hub/machine-questions.ts';
import {
  afterOutcome,
  expired,
  mirrored,
  overdue,
  type MachineQuestion,
  type PendingAnswer,
  vanished,
} from '../../../core/hub/mirror-question.ts';
import type { HookRecord } from '../../../core/hook-event.ts';
import { decisionChoices, type Question } from '../../../core/question.ts';
import type { Database } from '../../database.ts';
import { readEvent } from '../../events.ts';
import type { Connection, Query } from '../../query.ts';
import {
  questionColumns,
  questionValues,
  readQuestion,
  upsertQuestion,
} from '../../question-store.ts';
import { field, insertInto, read, type Row } from '../../row.ts';
import { audit } from './audit.ts';

/** How long after a hook's deadline its machine may report its end, ms. */
const GRACE_MS = 60_000;
/** Maximum number of answers in one response to a machine. */
const MOST_ANSWERS = 8;

const insertQuestion = insertInto('questions', [...questionColumns, 'machine', 'reported_at']);

const IS_OPEN = 'machine IS NOT NULL AND closed_at IS NULL';
const IDS = '(SELECT value FROM json_each(?))';

/** Each transaction locks questions before answers, in the order of their ids. */
export function machineQuestionsOn({ alone, writesBeside, now }: Database): MachineQuestions {
  return {
    take: writesBeside((connection, report: MachineReport) => take(connection, now(), report)),
    give: writesBeside((connection, ...given: Parameters<MachineQuestions['give']>) =>
      give(connection, now(), given),
    ),
    refuse: writesBeside((connection, entry: AuditEntry) => audit(connection, now(), entry)),
    isUnderWay: alone(isUnderWay),
    handOver: writesBeside((connection, machine: string) => handOver(connection, now(), machine)),
    expecting: alone(expecting),
    open: alone(listOpen),
    find: alone(findQuestion),
    records: alone(listRecords),
    expire: writesBeside((connection, waitMs: number) => expire(connection, now(), waitMs)),
  };
}

function* take(
  connection: Connection,
  now: number,
  { machine, questions, at, outcomes }: MachineReport,
): Query<TakenReport> {
  const named = [...(questions ?? []).map(({ id }) => id), ...outcomes.map((one) => one.question)];
  const kept = new Map<string, Question>();
  const reportedAt = new Map<string, number>();
  for (const row of yield* connection.all(
    `SELECT * FROM questions WHERE machine = ? AND (closed_at IS NULL OR id IN ${IDS}) ORDER BY id FOR UPDATE`,
    machine,
    JSON.stringify(named),
  )) {
    kept.set(read.text(row, 'id'), readQuestion(row));
    reportedAt.set(read.text(row, 'id'), Number(row['reported_at'] ?? 0));
  }
  const pending = new Map<string, PendingAnswer>();
  for (const row of yield* connection.all(
    'SELECT * FROM answers_under_way WHERE machine = ? ORDER BY question_id FOR UPDATE',
    machine,
  )) {
    pending.set(read.text(row, 'question_id'), {
      answer: read.text(row, 'answer_id'),
      isHanded: row['handed_at'] !== null,
    });
  }
  const missing: string[] = [];
  const over = new Map<string, Question>();

  function* change(next: Question | null): Query<void> {
    if (next === null) return;
    kept.set(next.id, next);
    over.set(next.id, next);
    yield* connection.run(upsertQuestion, ...questionValues(next));
    if (next.state !== 'answered' || next.closedAt !== null) yield* forget(next.id);
  }

  function* forget(id: string): Query<void> {
    if (!pending.delete(id)) return;
    yield* connection.run('DELETE FROM answers_under_way WHERE question_id = ?', id);
  }

  for (const { question: id, answer, refusal } of outcomes) {
    const question = kept.get(id);
    if (question === undefined || pending.get(id)?.answer !== answer) continue;
    yield* forget(id);
    yield* change(afterOutcome(question, refusal));
  }
  for (const reported of questions ?? []) {
    const question = kept.get(reported.id);
    if (question !== undefined) {
      yield* change(mirrored(question, reported, now));
      if (reported.state !== 'held') over.set(reported.id, kept.get(reported.id) ?? question);
    } else if ((yield* begin(connection, reported, { machine, at })) === 'missing') {
      missing.push(reported.id);
    }
  }
  if (questions !== null) {
    const listed = new Set(questions.map(({ id }) => id));
    for (const question of kept.values()) {
      // A delayed report may be older than the question.
      const isNewer = at > (reportedAt.get(question.id) ?? 0);
      if (question.closedAt !== null || listed.has(question.id) || !isNewer) continue;
      yield* change(vanished(question, pending.get(question.id) ?? null, now));
    }
  }
  return { missing, over: [...over.values()] };
}

/** Records a request that its machine holds; only for an event of that machine. */
function* begin(
  connection: Connection,
  reported: MachineQuestion,
  { machine, at }: Pick<MachineReport, 'machine' | 'at'>,
): Query<'missing' | 'begun' | 'refused'> {
  const { id } = reported;
  const event = 'SELECT session_key, machine, agent FROM events WHERE id = ?';
  const row = yield* connection.get(event, id);
  if (row === null) return 'missing';
  const isOwn =
    read.textOrNull(row, 'machine') === machine && read.text(row, 'agent') === reported.agent;
  if (!isOwn || reported.state !== 'held') return 'refused';
  const question: Question = {
    ...reported,
    sessionKey: read.text(row, 'session_key'),
    answer: null,
    closedAt: null,
    reason: null,
  };
  const sql = `${insertQuestion} ON CONFLICT DO NOTHING`;
  yield* connection.run(sql, ...questionValues(question), machine, at);
  return 'begun';
}

function* give(
  connection: Connection,
  now: number,
  [answer, decide, entry]: Parameters<MachineQuestions['give']>,
): Query<DecidedAnswer | null> {
  const row = yield* connection.get(
    'SELECT * FROM questions WHERE id = ? AND machine IS NOT NULL FOR UPDATE',
    answer.question,
  );
  if (row === null) return null;
  const machine = read.text(row, 'machine');
  const decided = decide({ machine, question: readQuestion(row) });
  if (!decided.ok) return decided;
  yield* connection.run(upsertQuestion, ...questionValues(decided.question));
  const { question, answer: id, ...body } = answer;
  const sql =
    'INSERT INTO answers_under_way (question_id, answer_id, machine, body, given_at) VALUES (?, ?, ?, ?, ?)';
  yield* connection.run(sql, question, id, machine, JSON.stringify(body), now);
  yield* audit(connection, now, entry);
  return decided;
}

function* isUnderWay(connection: Connection, id: string): Query<boolean> {
  const row = yield* connection.get('SELECT 1 FROM answers_under_way WHERE question_id = ?', id);
  return row !== null;
}

function* handOver(
  connection: Connection,
  now: number,
  machine: string,
): Query<readonly AnswerUnderWay[]> {
  const sql = `UPDATE answers_under_way SET handed_at = coalesce(handed_at, ?) WHERE question_id IN (
      SELECT question_id FROM answers_under_way WHERE machine = ? ORDER BY given_at, question_id LIMIT ${MOST_ANSWERS}
    ) RETURNING *`;
  return (yield* connection.all(sql, now, machine)).map(readAnswer);
}

function* expecting(connection: Connection): Query<readonly string[]> {
  const sql = 'SELECT DISTINCT machine FROM answers_under_way WHERE handed_at IS NULL';
  const rows = yield* connection.all(sql);
  return rows.map((row) => read.text(row, 'machine'));
}

function* listOpen(connection: Connection): Query<readonly OpenMachineQuestion[]> {
  const sql = `SELECT * FROM questions WHERE ${IS_OPEN} ORDER BY opened_at, id`;
  const rows = yield* connection.all(sql);
  return rows.map((row) => ({ machine: read.text(row, 'machine'), question: readQuestion(row) }));
}

function* findQuestion(connection: Connection, id: string): Query<Question | null> {
  const sql = 'SELECT * FROM questions WHERE id = ? AND machine IS NOT NULL';
  const row = yield* connection.get(sql, id);
  return row === null ? null : readQuestion(row);
}

function* listRecords(
  connection: Connection,
  ids: readonly string[],
): Query<readonly HookRecord[]> {
  const sql = `SELECT events.*, payloads.bytes AS payload FROM events JOIN payloads ON event_seq = seq WHERE id IN ${IDS}`;
  const rows = yield* connection.all(sql, JSON.stringify(ids));
  return rows.map((row) => ({ event: readEvent(row), payload: read.bytes(row, 'payload') }));
}

function* expire(connection: Connection, now: number, waitMs: number): Query<void> {
  const sql = `SELECT * FROM questions WHERE ${IS_OPEN} AND (deadline < ? OR id IN (
      SELECT question_id FROM answers_under_way WHERE handed_at IS NULL AND given_at < ?
    )) ORDER BY id FOR UPDATE`;
  const rows = yield* connection.all(sql, now - GRACE_MS, now - waitMs);
  for (const row of rows) {
    const question = readQuestion(row);
    const isOverdue = question.deadline < now - GRACE_MS;
    // The machine may have fetched it meanwhile.
    const removeAnswersUnderWay =
      'DELETE FROM answers_under_way WHERE question_id = ? AND (? = 1 OR handed_at IS NULL)';
    const removed = yield* connection.run(removeAnswersUnderWay, question.id, Number(isOverdue));
    const next = isOverdue ? overdue(question, now) : removed === 0 ? null : expired(question);
    if (next !== null) yield* connection.run(upsertQuestion, ...questionValues(next));
  }
}

const answerBody = field.json<Omit<AnswerUnderWay, 'question' | 'answer'>>(
  z.object({
    choice: z.enum(decisionChoices),
    by: z.string(),
    via: z.string(),
    requestHash: z.string(),
    words: z.string().nullable(),
    answers: z.record(z.string(), z.string()),
  }),
);

function readAnswer(row: Row): AnswerUnderWay {
  return {
    ...answerBody.read(row, 'body'),
    question: read.text(row, 'question_id'),
    answer: read.text(row, 'answer_id'),
  };
}
