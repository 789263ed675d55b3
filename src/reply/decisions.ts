import { userInfo } from 'node:os';

import { whyClosed } from '../alerts/accept-answer.ts';
import type { GivenDecision } from '../core/channel.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { DecidableRequest } from '../core/notification.ts';
import type { WholeDelivery } from '../core/outbox.ts';
import type {
  AnswerResult,
  OfferedAnswer,
  QuestionStore,
  ShownQuestion,
} from '../core/question.ts';
import type { QuestionDesk } from './question-desk.ts';

/** What a person decided; `by`: the account at a service, otherwise the user of this machine. */
export type PersonsAnswer = Omit<OfferedAnswer, 'by'> & Partial<Pick<OfferedAnswer, 'by'>>;

/** A question by its id: open, or why it no longer is. */
export type FoundQuestion =
  | { readonly type: 'open'; readonly shown: ShownQuestion }
  | { readonly type: 'closed'; readonly reason: string }
  | { readonly type: 'unknown' };

/** Number of latest closed questions to search: a notification leads to a recent one. */
const LATEST = 500;

export type Decisions = ReturnType<typeof createDecisions>;

/** Requests that people decide where they were notified: in pop-ups and on the page. */
export function createDecisions({
  questions,
  whyOver = () => Promise.resolve(null),
  store,
}: {
  readonly questions: Pick<QuestionDesk, 'shown' | 'answer'>;
  /** Why a question of another machine is closed; null: there is no such question. */
  readonly whyOver?: ((id: string) => Promise<string | null>) | undefined;
  readonly store: { readonly questions: Pick<QuestionStore, 'latest'> };
}) {
  async function find(id: string): Promise<FoundQuestion> {
    const open = questions.shown().find(({ question }) => question.id === id);
    if (open?.question.state === 'held') return { type: 'open', shown: open };
    const reason = await whyOver(id);
    if (reason !== null) return { type: 'closed', reason };
    const kept = await store.questions.latest(LATEST);
    const closed = open?.question ?? kept.find((question) => question.id === id);
    if (closed === undefined) return { type: 'unknown' };
    return { type: 'closed', reason: whyClosed(closed) };
  }

  const readable = new Set<string>();
  return {
    /** Marks the link of a token that a file names: programs can read it, so that its page may only deny. */
    markReadable: (tokenHash: string) => void readable.add(tokenHash),
    isReadable: (tokenHash: string) => readable.has(tokenHash),

    /** The held question whose alert an event belongs to; null without one. */
    heldFor({
      id,
      sessionKey,
      subject,
    }: Pick<HookEvent, 'id' | 'sessionKey' | 'subject'>): ShownQuestion | null {
      const held = questions.shown().filter(({ question }) => question.state === 'held');
      const own = held.find(({ question }) => question.id === id);
      if (own !== undefined) return own;
      // The silent hook reported the same request, and its event was first.
      const [alike, ...more] = held.filter(
        (one) =>
          subject !== null && one.subject === subject && one.question.sessionKey === sessionKey,
      );
      return more.length === 0 ? (alike ?? null) : null;
    },

    find,

    /** Never rejects for expected reasons; a decision that was too late gets who was first. */
    async answer(id: string, answer: PersonsAnswer): Promise<AnswerResult> {
      const given = await questions.answer(id, { by: userInfo().username, ...answer });
      if (given.ok) return given;
      const found = await find(id);
      return found.type === 'closed' ? { ...given, reason: found.reason } : given;
    },
  };
}

/** Nothing where several events share a delivery, and nothing here for a request that the person lets go by coming to it. */
export function decidableIn(decisions: Pick<Decisions, 'heldFor'>) {
  return (
    { event, also }: Pick<WholeDelivery, 'event' | 'also'>,
    where: 'here' | 'anywhere',
    redact: (text: string) => string,
  ): DecidableRequest | null => {
    const shown = also.length > 0 ? null : decisions.heldFor(event);
    if (shown === null || (where === 'here' && shown.question.hold !== 'open')) return null;
    return decidableOf(shown, redact);
  };
}

/** A request as it may be shown: without its text, if `redact` takes something out of it. */
export function decidableOf(
  { question, text, asks }: ShownQuestion,
  redact: (text: string) => string,
): DecidableRequest {
  const { id, requestHash, choices } = question;
  const shown = text === null || redact(text) !== text ? null : text;
  return {
    question: id,
    requestHash,
    choices: shown === null ? choices.filter((choice) => choice === 'deny') : choices,
    text: shown,
    asks: shown === null ? [] : asks,
  };
}

/** The answer that a decision means; null if the question has no such option. */
export function answerOf(
  { requestHash, choice, option, words, by }: GivenDecision,
  found: FoundQuestion,
  via: string,
): PersonsAnswer | null {
  const who = by === undefined ? {} : { by };
  const given = { choice, requestHash, words, answers: {}, via, ...who };
  if (choice !== 'answer' || found.type !== 'open') return given;
  const [asked] = found.shown.asks;
  const label = option === null ? words : asked?.options[option];
  if (asked === undefined || label === undefined || label === null) return null;
  return { ...given, words: null, answers: { [asked.text]: label } };
}
