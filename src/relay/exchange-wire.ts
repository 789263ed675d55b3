import { z } from 'zod';

import { agentNames } from '../core/hook-event.ts';
import { decisionChoices, holds, type Question, questionStates } from '../core/question.ts';
import { cutText } from '../text/sanitize.ts';

export const EXCHANGE = '/v1/hub/exchange';

/** How long a hub keeps a request open for an answer, ms. */
export const EXCHANGE_WAIT_MS = 25_000;
/** Maximum number of open requests in a report, and of ended ones. */
export const MOST_REPORTED = 40;

const MOST_NAME = 128;
const MOST_REASON = 200;
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const eventId = z.string().regex(/^[0-9a-z-]{16,64}$/);
const name = z.string().max(MOST_NAME);
const reason = z.string().max(MOST_REASON);
const at = z.int().nonnegative();

/** A waiting request as its machine reports it: what the relayed event does not contain, and none of its text. */
export const ReportedQuestion = z.object({
  id: eventId,
  agent: z.enum(agentNames),
  agentId: name.nullable(),
  tool: name.nullable(),
  requestHash: hash,
  callHash: name.nullable(),
  hold: z.enum(holds),
  choices: z.array(z.enum(decisionChoices)).max(decisionChoices.length),
  state: z.enum(questionStates),
  openedAt: at,
  deadline: at,
  answer: z.object({ choice: z.enum(decisionChoices), by: name, via: name, at }).nullable(),
  closedAt: at.nullable(),
  reason: reason.nullable(),
});
export type ReportedQuestion = z.output<typeof ReportedQuestion>;

/** Outcome of an answer from the hub. */
const AnswerOutcome = z.object({
  question: eventId,
  /** The `answer` that it concerns. */
  answer: name,
  /** Why the agent did not get it; null: it was sent to the agent. */
  refusal: reason.nullable(),
});
export type AnswerOutcome = z.output<typeof AnswerOutcome>;

export const Report = z.object({
  version: z.literal(1),
  /** How long it may be kept open for an answer, ms. */
  waitMs: z.int().min(0).max(EXCHANGE_WAIT_MS),
  /**
   * Every open request there, and those that ended since the last report; absent: as reported before. Null: not in a shape
   * that is known here.
   */
  questions: z
    .array(ReportedQuestion.nullable().catch(null))
    .max(2 * MOST_REPORTED)
    .exactOptional(),
  /** When they were listed, Unix ms by the clock there. */
  at,
  outcomes: z.array(AnswerOutcome).max(MOST_REPORTED),
});
export type Report = z.output<typeof Report>;

/** An answer that a person gave through the hub. */
const HubAnswer = z.object({
  question: eventId,
  /** Distinguishes it from an earlier answer to the same question. */
  answer: name,
  requestHash: hash,
  choice: z.enum(decisionChoices),
  words: z.string().nullable(),
  answers: z.record(z.string(), z.string()),
  by: name,
  via: name,
});
export type HubAnswer = z.output<typeof HubAnswer>;

export const Exchanged = z.object({
  version: z.literal(1),
  /** Null: its format is unknown here. */
  answers: z.array(HubAnswer.nullable().catch(null)),
  /** Reported requests whose events it does not have yet. */
  missing: z.array(eventId),
});
export type Exchanged = z.output<typeof Exchanged>;

export function reportedOf({ answer, reason: why, ...question }: Question): ReportedQuestion {
  const { sessionKey: _key, ...rest } = question;
  return {
    ...rest,
    choices: [...question.choices],
    agentId: cut(question.agentId, MOST_NAME),
    tool: cut(question.tool, MOST_NAME),
    answer:
      answer === null
        ? null
        : { ...answer, by: cutText(answer.by, MOST_NAME), via: cutText(answer.via, MOST_NAME) },
    reason: cut(why, MOST_REASON),
  };
}

function cut(text: string | null, most: number): string | null {
  return text === null ? null : cutText(text, most);
}
