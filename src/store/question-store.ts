import { agentNames } from '../core/hook-event.ts';
import {
  type Answer,
  type DecisionChoice,
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
  type Columns,
  readInteger,
  readIntegerOrNull,
  readJson,
  readOneOf,
  readOneOfOrNull,
  type Row,
  readText,
  readTextOrNull,
  upsertInto,
  valuesOf,
} from './row.ts';

export const questionColumns: Columns<Question> = {
  id: (question) => question.id,
  session_key: (question) => question.sessionKey,
  agent: (question) => question.agent,
  agent_id: (question) => question.agentId,
  tool: (question) => question.tool,
  request_hash: (question) => question.requestHash,
  call_hash: (question) => question.callHash,
  hold: (question) => question.hold,
  choices: (question) => JSON.stringify(question.choices),
  state: (question) => question.state,
  opened_at: (question) => question.openedAt,
  deadline: (question) => question.deadline,
  choice: (question) => question.answer?.choice ?? null,
  answered_by: (question) => question.answer?.by ?? null,
  answered_via: (question) => question.answer?.via ?? null,
  answered_at: (question) => question.answer?.at ?? null,
  closed_at: (question) => question.closedAt,
  reason: (question) => question.reason,
};

export const upsertQuestion = upsertInto('questions', questionColumns, 'id');

export function questionStoreOn({ reads, writes }: Database): QuestionStore {
  return {
    add: writes(addQuestion),
    change: writes(changeQuestion),
    release: writes(releaseQuestions),
    latest: reads(listQuestions),
  };
}

function* addQuestion(connection: Connection, question: Question): Query<void> {
  yield* connection.run(upsertQuestion, ...valuesOf(questionColumns, question));
}

/** The comparison and the change are one transaction, so that the first answer wins. */
function* changeQuestion(
  connection: Connection,
  question: Question,
  from: QuestionState,
): Query<boolean> {
  const row = yield* connection.get('SELECT state FROM questions WHERE id = ?', question.id);
  if (row === null || readOneOf(row, 'state', questionStates) !== from) return false;
  yield* connection.run(upsertQuestion, ...valuesOf(questionColumns, question));
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
  return {
    id: readText(row, 'id'),
    sessionKey: readText(row, 'session_key'),
    agent: readOneOf(row, 'agent', agentNames),
    agentId: readTextOrNull(row, 'agent_id'),
    tool: readTextOrNull(row, 'tool'),
    requestHash: readText(row, 'request_hash'),
    callHash: readTextOrNull(row, 'call_hash'),
    hold: readOneOf(row, 'hold', holds),
    choices: readJson(row, 'choices', areChoices),
    state: readOneOf(row, 'state', questionStates),
    openedAt: readInteger(row, 'opened_at'),
    deadline: readInteger(row, 'deadline'),
    answer: readAnswer(row),
    closedAt: readIntegerOrNull(row, 'closed_at'),
    reason: readTextOrNull(row, 'reason'),
  };
}

function readAnswer(row: Row): Answer | null {
  const choice = readOneOfOrNull(row, 'choice', decisionChoices);
  if (choice === null) return null;
  return {
    choice,
    by: readText(row, 'answered_by'),
    via: readText(row, 'answered_via'),
    at: readInteger(row, 'answered_at'),
  };
}

function areChoices(value: unknown): value is readonly DecisionChoice[] {
  const known: readonly unknown[] = decisionChoices;
  return Array.isArray(value) && value.every((choice) => known.includes(choice));
}
