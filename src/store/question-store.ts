import { z } from 'zod';

import { agentNames } from '../core/hook-event.ts';
import {
  type Answer,
  decisionChoices,
  holds,
  type Question,
  type QuestionState,
} from '../core/question.ts';
import { type QuestionStore, questionStates } from '../core/question.ts';
import type { Connection, Query } from './query.ts';
import type { Database } from './database.ts';
import { field, nullable, read, type Row, stored, upsertInto, type Value } from './row.ts';

/** Without the answer, whose columns are null until there is one. */
const storedQuestion = stored<Omit<Question, 'answer'>>({
  id: field.text,
  sessionKey: field.text,
  agent: field.word(agentNames),
  agentId: nullable(field.text),
  tool: nullable(field.text),
  requestHash: field.text,
  callHash: nullable(field.text),
  hold: field.word(holds),
  choices: field.json(z.array(z.enum(decisionChoices))),
  state: field.word(questionStates),
  openedAt: field.integer,
  deadline: field.integer,
  closedAt: nullable(field.integer),
  reason: nullable(field.text),
});

const answerColumns = ['choice', 'answered_by', 'answered_via', 'answered_at'];
export const questionColumns = [...storedQuestion.columns, ...answerColumns];

export const upsertQuestion = upsertInto('questions', questionColumns, 'id');

export function questionValues(question: Question): readonly Value[] {
  const { choice = null, by = null, via = null, at = null } = question.answer ?? {};
  return [...storedQuestion.valuesOf(question), choice, by, via, at];
}

export function questionStoreOn({ reads, writes }: Database): QuestionStore {
  return {
    add: writes(addQuestion),
    change: writes(changeQuestion),
    release: writes(releaseQuestions),
    latest: reads(listQuestions),
  };
}

function* addQuestion(connection: Connection, question: Question): Query<void> {
  yield* connection.run(upsertQuestion, ...questionValues(question));
}

/** The comparison and the change are one transaction, so that the first answer wins. */
function* changeQuestion(
  connection: Connection,
  question: Question,
  from: QuestionState,
): Query<boolean> {
  const row = yield* connection.get('SELECT state FROM questions WHERE id = ?', question.id);
  if (row === null || read.oneOf(row, 'state', questionStates) !== from) return false;
  yield* connection.run(upsertQuestion, ...questionValues(question));
  return true;
}

function releaseQuestions(connection: Connection, reason: string, now: number): Query<number> {
  const sql = `UPDATE questions SET state = 'released', closed_at = ?, reason = ? WHERE state = 'held' AND ${connection.claims.leftQuestions}`;
  return connection.run(sql, now, reason);
}

function* listQuestions(connection: Connection, limit: number): Query<readonly Question[]> {
  const sql = 'SELECT * FROM questions ORDER BY opened_at DESC, id LIMIT ?';
  return (yield* connection.all(sql, limit)).map(readQuestion);
}

export function readQuestion(row: Row): Question {
  return { ...storedQuestion.read(row), answer: readAnswer(row) };
}

function readAnswer(row: Row): Answer | null {
  if (row['choice'] === null) return null;
  return {
    choice: read.oneOf(row, 'choice', decisionChoices),
    by: read.text(row, 'answered_by'),
    via: read.text(row, 'answered_via'),
    at: read.integer(row, 'answered_at'),
  };
}
