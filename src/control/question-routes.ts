import { userInfo } from 'node:os';

import { z } from 'zod';

import { whyClosed } from '../alerts/accept-answer.ts';
import type { AskedQuestionView } from './contract-views.ts';
import {
  decisionChoices,
  type ProgramAnswer,
  type ProgramAsk,
  programAskSchema,
  type Questions,
  type QuestionStore,
  type ShownQuestion,
  type WordSender,
} from '../core/question.ts';
import { namedProcess, type SessionStore } from '../core/session.ts';
import { FailedError } from '../platform/errors.ts';
import { isoTime } from '../platform/time.ts';
import { findSession } from './alert-routes.ts';
import { type CallerCheck, wordsRefused } from './caller.ts';
import { callerProof, limitOf, parseBody } from './read-request.ts';
import type { ControlRoutes } from './control-server.ts';

/** A model reads the words, and a hook passes them on. */
const Text = z.string().max(8_192);

const answerBody = z.strictObject({
  question: z.string().min(1),
  requestHash: z.string().min(1),
  choice: z.enum(decisionChoices),
  words: Text.nullish(),
  answers: z.record(z.string(), Text).optional(),
  caller: callerProof,
});

const wordsBody = z.strictObject({
  session: z.string().min(1),
  text: z.string().refine((text) => text.trim() !== '', 'It is empty'),
  caller: callerProof,
});

export interface QuestionRoutesParts {
  readonly questions: Questions;
  readonly words: WordSender;
  readonly asks: {
    readonly ask: (wanted: ProgramAsk) => Promise<ProgramAnswer>;
    readonly withdraw: (id: string) => boolean;
  };
  readonly store: {
    readonly sessions: Pick<SessionStore, 'list' | 'named'>;
    readonly questions: Pick<QuestionStore, 'latest'>;
  };
  readonly callers: Pick<CallerCheck, 'challenge' | 'whyRefused' | 'whyAgent'>;
}

/** Open questions, and the answers and words of people. */
export function questionRoutes(parts: QuestionRoutesParts) {
  const { questions, words: desk, asks, store, callers } = parts;
  return {
    'GET /v1/questions': ({ query }) =>
      Promise.resolve(questions.shown().slice(0, limitOf(query)).map(questionView)),

    'GET /v1/answers': async ({ query }) => {
      const latest = await store.questions.latest(limitOf(query));
      return latest.map((question) => {
        const { id, sessionKey: session, agent, tool, state, openedAt } = question;
        const since = isoTime(openedAt);
        return { id, session, agent, tool, state, since, outcome: whyClosed(question) };
      });
    },

    'POST /v1/caller': () => Promise.resolve(callers.challenge()),

    'POST /v1/answer': async ({ body }) => {
      const { question: id, caller, ...given } = parseBody(answerBody, body);
      const { words = null, answers = {}, ...offered } = given;
      const refusal = await callers.whyRefused(caller, await agentPids(questions, store.sessions));
      if (refusal !== null) {
        throw new FailedError(`Cannot answer for a person: ${refusal}`, {
          hint: 'Run the command in your own terminal',
        });
      }
      const person = { by: userInfo().username, via: 'command line' };
      const result = await questions.answer(id, { ...offered, words, answers, ...person });
      return { accepted: result.ok, reason: result.ok ? null : result.reason };
    },

    'POST /v1/ask': ({ body }) => asks.ask(parseBody(programAskSchema, body)),

    'POST /v1/ask-over': ({ body }) => {
      const { id } = parseBody(z.strictObject({ id: z.string() }), body);
      return Promise.resolve({ count: asks.withdraw(id) ? 1 : 0 });
    },

    'POST /v1/words': async ({ body }) => {
      const { session: name, text, caller } = parseBody(wordsBody, body);
      const refusal = await callers.whyAgent(caller, await agentPids(questions, store.sessions));
      if (refusal !== null) return { state: 'refused', reason: wordsRefused(refusal) };
      const { key } = await findSession(store.sessions, name);
      const sent = await desk.send(key, text);
      return { state: sent.state, reason: sent.state === 'refused' ? sent.reason : null };
    },
  } satisfies Partial<ControlRoutes>;
}

/** Processes known to be agents. */
export async function agentPids(
  questions: Pick<Questions, 'shown'>,
  stored: Pick<SessionStore, 'list'>,
): Promise<ReadonlySet<number>> {
  const sessions = await stored.list({ limit: 1_000 });
  return new Set([
    ...questions.shown().flatMap(({ agentPid }) => (agentPid === null ? [] : [agentPid])),
    ...sessions.flatMap(({ agent, facts }) => namedProcess(agent, facts) ?? []),
  ]);
}

function questionView(shown: ShownQuestion): AskedQuestionView {
  const { question, sessionId, project, cwd, text, asks } = shown;
  return {
    id: question.id,
    session: sessionId ?? question.sessionKey,
    agent: question.agent,
    subagent: question.agentId !== null,
    project,
    cwd,
    tool: question.tool,
    state: question.state,
    since: isoTime(question.openedAt),
    until: isoTime(question.deadline),
    choices: question.choices,
    requestHash: question.requestHash,
    text,
    asks,
  };
}
