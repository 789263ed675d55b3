import type { Question } from '../question.ts';

/** A request as its machine reports it. */
export type MachineQuestion = Omit<Question, 'sessionKey'>;

/** An answer that was given at the hub and whose outcome the machine has not reported. */
export interface PendingAnswer {
  readonly answer: string;
  /** Whether the machine may have it already. */
  readonly isHanded: boolean;
}

const SILENT = 'The machine ended before it said whether the agent got the answer';
const GONE = 'The machine no longer waits for an answer';

/** Null: unchanged. The machine decides who was first; an answer counts once it confirms it. */
export function mirrored(kept: Question, reported: MachineQuestion, now: number): Question | null {
  if (kept.closedAt !== null || reported.state === 'held') return null;
  const { state, answer, reason } = reported;
  const closedAt = reported.closedAt === null ? null : Math.min(reported.closedAt, now);
  const isSame =
    kept.answer !== null &&
    kept.answer.choice === answer?.choice &&
    kept.answer.by === answer.by &&
    answer.via.startsWith(kept.answer.via);
  if (answer === null && kept.answer !== null) {
    return { ...kept, state: 'overtaken', closedAt: closedAt ?? now, reason };
  }
  const next = { ...kept, state, closedAt, reason, answer: isSame ? kept.answer : answer };
  const isKnown = isSame && state === kept.state && closedAt === null;
  return isKnown ? null : next;
}

/** The question after the machine reported the outcome of an answer; null: unchanged. */
export function afterOutcome(kept: Question, refusal: string | null): Question | null {
  if (refusal === null || kept.state !== 'answered' || kept.closedAt !== null) return null;
  // If the request is over, the same exchange reports that as well.
  return { ...kept, state: 'held', answer: null, reason: refusal };
}

/** The end of a question that its machine no longer reports. */
export function vanished(kept: Question, pending: PendingAnswer | null, now: number): Question {
  if (kept.state !== 'answered') {
    return { ...kept, state: 'released', closedAt: now, reason: GONE };
  }
  return pending?.isHanded === false
    ? { ...kept, state: 'overtaken', closedAt: now, reason: GONE }
    : { ...kept, closedAt: now, reason: SILENT };
}

/** The question after its answer was not fetched in time, so that the machine no longer gets it. */
export function expired(kept: Question): Question | null {
  return afterOutcome(kept, 'The machine does not respond: answer in its terminal');
}

/** The question once its deadline is over without a report of its end. */
export function overdue(kept: Question, now: number): Question {
  const reason = 'No one answered in time';
  return kept.state === 'answered'
    ? { ...kept, closedAt: now, reason: SILENT }
    : { ...kept, state: 'released', closedAt: now, reason };
}
