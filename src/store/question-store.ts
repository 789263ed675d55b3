import { z } from 'zod';

import { agentNames } from '../core/hook-event.ts';
import {
  type Answer,
  decisionChoices,
  holds,
  type Question,
  type QuestionState,
  type QuestionStore,
  questionStates,
} from '../core/question.ts';
import type { Connection, Query } from './query.ts';
import type { Database } from './database.ts';
import {
  asInteger,
  asJson,
  asWord,
  nullable,
  readInteger,
  readOneOf,
  readText,
  type Row,
  stored,
  asText,
  upsertInto,
  type Value,
} from './row.ts';

/** Without the answer, whose columns are null until there is one. */
const storedQuestion = stored<Omit<Question, 'answer'>>({
  id: asText,
  sessionKey: asText,
  agent: asWord(agentNames),
  agentId: nullable(asText),
  tool: nullable(asText),
  requestHash: asText,
  callHash: nullable(asText),
  hold: asWord(holds),
  choices: asJson(z.array(z.enum(decisionChoices))),
  state: asWord(questionStates),
  openedAt: asInteger,
  deadline: asInteger,
  closedAt: nullable(asInteger),
  reason: nullable(asText),
});

export const questionColumns = [
  ...storedQuestion.columns,
  'choice',
  'answered_by',
  'answered_via',
  'answered_at',
];

export const upsertQuestion = upsertInto('questions', questionColumns, 'id');

/** The values of `questionColumns`. */
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
  if (row === null || readOneOf(row, 'state', questionStates) !== from) return false;
  yield* connection.run(upsertQuestion, ...questionValues(question));
  return true;
}

function* releaseQuestions(connection: Connection, reason: string, now: number): Query<number> {
  return yield* connection.run(
    `UPDATE questions SET state = 'released', closed_at = ?, reason = ? WHERE state = 'held' AND ${connection.claims.leftQuestions}`,
    now,
    reason,
  );
}

function* listQuestions(connection: Connection, limit: number): Query<readonly Question[]> {
  return (yield* connection.all(
    'SELECT * FROM questions ORDER BY opened_at DESC, id LIMIT ?',
    limit,
  )).map(readQuestion);
}

export function readQuestion(row: Row): Question {
  return { ...storedQuestion.read(row), answer: readAnswer(row) };
}

function readAnswer(row: Row): Answer | null {
  if (row['choice'] === null) return null;
  return {
    choice: readOneOf(row, 'choice', decisionChoices),
    by: readText(row, 'answered_by'),
    via: readText(row, 'answered_via'),
    at: readInteger(row, 'answered_at'),
  };
}
