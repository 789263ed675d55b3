import type { ReplyLink } from '../core/notification.ts';
import type { ShownQuestion } from '../core/question.ts';
import { decidableOf, type Decisions } from './decisions.ts';
import { type AnsweredNote, decisionOfForm, type ReplyPage } from './page-html.ts';

export interface DecideParts {
  readonly decisions: Pick<Decisions, 'find' | 'answer' | 'isReadable'>;
  /** The message that the link answers; null if it was deleted. */
  readonly answered: (link: ReplyLink) => Promise<AnsweredNote | null>;
  readonly redact: (text: string) => string;
  readonly now: () => number;
}

export interface PageResult {
  readonly status: number;
  readonly page: ReplyPage;
}

const TOO_MUCH =
  'The request cannot be shown in full here: deny it here, or allow it in its terminal';
const READABLE =
  'This page was opened from a notification: deny the request here, or allow it in its terminal';

/** @param form null: the page was only opened @returns null if the link leads to a session, and not to a request */
export async function decideOnPage(
  link: ReplyLink,
  form: URLSearchParams | null,
  parts: DecideParts,
): Promise<PageResult | null> {
  const { decisions } = parts;
  const found = await decisions.find(link.eventId);
  if (found.type === 'unknown') return null;
  const draft = form?.get('words') || null;
  if (found.type === 'closed') return notUsed(found.reason, draft);
  const offered = offeredOn(link, found.shown, parts);
  if (form === null) return formPage(link, offered, null, parts);
  const decided = decisionOfForm(form, offered.request);
  if (decided === null) return formPage(link, offered, 'Nothing was chosen', parts);
  const given = await decisions.answer(link.eventId, { ...decided, via: 'reply page' });
  if (!given.ok) return notUsed(given.reason, draft);
  const heading = decided.choice === 'deny' ? 'Denied' : headings[decided.choice];
  const lines = ['The answer was sent to the agent.'];
  return { status: 200, page: { type: 'closed', tone: 'good', heading, lines, draft: null } };
}

const headings = {
  allow: 'Allowed',
  'allow-session': 'Allowed for the session',
  answer: 'Answered',
} as const;

/** What is offered on the page of a link, and why not more. */
function offeredOn({ tokenHash }: ReplyLink, shown: ShownQuestion, parts: DecideParts) {
  const whole = decidableOf(shown, parts.redact);
  if (whole.text === null) return { request: whole, limit: TOO_MUCH };
  if (!parts.decisions.isReadable(tokenHash)) return { request: whole, limit: null };
  const choices = whole.choices.filter((choice) => choice === 'deny');
  return { request: { ...whole, choices }, limit: READABLE };
}

async function formPage(
  link: ReplyLink,
  offered: ReturnType<typeof offeredOn>,
  trouble: string | null,
  { answered, now }: DecideParts,
): Promise<PageResult | null> {
  const forMs = link.expiresAt - now();
  const message = await answered(link);
  if (message === null || forMs <= 0) return null;
  const status = trouble === null ? 200 : 400;
  return { status, page: { type: 'decision', answered: message, ...offered, forMs, trouble } };
}

function notUsed(reason: string, draft: string | null): PageResult {
  const lines = [reason, 'The first answer counts.'];
  return {
    status: 410,
    page: { type: 'closed', tone: 'bad', heading: 'Already decided', lines, draft },
  };
}
