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
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import {
  type Columns,
  integer,
  integerOrNull,
  json,
  oneOf,
  oneOfOrNull,
  type Row,
  text,
  textOrNull,
  upsertInto,
  valuesOf,
} from './row.ts';

const columns: Columns<Question> = {
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

const upsertQuestion = upsertInto('questions', columns, 'id');

export function questionStoreOn({ reads, writes }: Database): QuestionStore {
  return {
    add: writes(addQuestion),
    change: writes(changeQuestion),
    release: writes(releaseQuestions),
    latest: reads(listQuestions),
  };
}

function addQuestion(connection: Connection, question: Question): void {
  connection.run(upsertQuestion, ...valuesOf(columns, question));
}

/** The comparison and the change are one transaction, so that the first answer wins. */
function changeQuestion(connection: Connection, question: Question, from: QuestionState): boolean {
  const row = connection.get('SELECT state FROM questions WHERE id = ?', question.id);
  if (row === null || oneOf(row, 'state', questionStates) !== from) return false;
  connection.run(upsertQuestion, ...valuesOf(columns, question));
  return true;
}

function releaseQuestions(connection: Connection, reason: string, now: number): number {
  return connection.run(
    "UPDATE questions SET state = 'released', closed_at = ?, reason = ? WHERE state = 'held'",
    now,
    reason,
  );
}

function listQuestions(connection: Connection, limit: number): readonly Question[] {
  return connection
    .all('SELECT * FROM questions ORDER BY opened_at DESC, id LIMIT ?', limit)
    .map(readQuestion);
}

function readQuestion(row: Row): Question {
  return {
    id: text(row, 'id'),
    sessionKey: text(row, 'session_key'),
    agent: oneOf(row, 'agent', agentNames),
    agentId: textOrNull(row, 'agent_id'),
    tool: textOrNull(row, 'tool'),
    requestHash: text(row, 'request_hash'),
    callHash: textOrNull(row, 'call_hash'),
    hold: oneOf(row, 'hold', holds),
    choices: json(row, 'choices', areChoices),
    state: oneOf(row, 'state', questionStates),
    openedAt: integer(row, 'opened_at'),
    deadline: integer(row, 'deadline'),
    answer: readAnswer(row),
    closedAt: integerOrNull(row, 'closed_at'),
    reason: textOrNull(row, 'reason'),
  };
}

function readAnswer(row: Row): Answer | null {
  const choice = oneOfOrNull(row, 'choice', decisionChoices);
  if (choice === null) return null;
  return {
    choice,
    by: text(row, 'answered_by'),
    via: text(row, 'answered_via'),
    at: integer(row, 'answered_at'),
  };
}

function areChoices(value: unknown): value is readonly DecisionChoice[] {
  const known: readonly unknown[] = decisionChoices;
  return Array.isArray(value) && value.every((choice) => known.includes(choice));
}
