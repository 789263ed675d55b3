import type { GivenDecision } from '../../core/channel.ts';
import type { DecidableRequest } from '../../core/notification.ts';
import type { DecisionChoice } from '../../core/question.ts';

export interface DecisionButton {
  readonly choice: DecisionChoice;
  /** The option it stands for, from 0; null: none. */
  readonly option: number | null;
  readonly label: string;
}

/** What a pop-up offers to decide about a request. */
export interface PopUpDecision extends Pick<DecidableRequest, 'question' | 'requestHash'> {
  /** What the pop-up shows, whole; null: too much for a pop-up, so that it can only be denied in it. */
  readonly body: string | null;
  readonly buttons: readonly DecisionButton[];
  readonly typed: 'answer' | 'deny';
}

/** Six rows of 30 narrow letters: dunst and Xfce cut no such text, with their usual fonts. Xfce cuts a paragraph of more rows. */
const ROWS = 6;
const COLUMNS = 30;
const MOST_OPTIONS = 4;
const LONGEST_OPTION = 32;

const DENY: DecisionButton = { choice: 'deny', option: null, label: 'Deny' };

/** Offers Allow and answers only for what a pop-up shows whole. */
export function popUpDecision(request: DecidableRequest): PopUpDecision {
  const { question, requestHash } = request;
  const offered = wholeOffer(request) ?? { body: null, buttons: [DENY], typed: 'deny' as const };
  return { question, requestHash, ...offered };
}

function wholeOffer(
  request: DecidableRequest,
): Pick<PopUpDecision, 'body' | 'buttons' | 'typed'> | null {
  const { text, choices, asks } = request;
  const [asked, ...more] = asks;
  if (text === null) return null;
  if (asked === undefined) {
    // A plain Allow grants nothing for the session: the last line, which offers that, can stay out.
    const forSession = choices.includes('allow-session');
    const body = forSession ? text.slice(0, text.lastIndexOf('\n')) : text;
    if (!choices.includes('allow') || rowsOf(body) > ROWS) return null;
    const allow: DecisionButton = { choice: 'allow', option: null, label: 'Allow' };
    return { body, buttons: [allow, DENY], typed: 'deny' };
  }
  const { options, several } = asked;
  const body = [asked.text, ...options.map((option, index) => `${index + 1} ${option}`)].join('\n');
  const areButtons =
    options.length <= MOST_OPTIONS &&
    options.every((label) => label.length <= LONGEST_OPTION && !label.includes('\n'));
  if (more.length > 0 || several || !areButtons || rowsOf(body) > ROWS) return null;
  if (!choices.includes('answer')) return null;
  const buttons = options.map((label, option) => ({ choice: 'answer', option, label }) as const);
  return { body, buttons: [...buttons, DENY], typed: 'answer' };
}

function rowsOf(text: string): number {
  return text.split('\n').reduce((sum, line) => sum + rowsOfLine(line), 0);
}

/** As a server breaks a line: at spaces, and within a word that is longer than a row, which begins a new one. */
function rowsOfLine(line: string): number {
  let rows = 1;
  let used = 0;
  for (const word of line.split(' ')) {
    const width = columnsOf(word);
    if (used + 1 + width <= COLUMNS) {
      used += 1 + width;
      continue;
    }
    // A hyphen ends each part of a broken word.
    const more = Math.ceil(width / (COLUMNS - 1));
    rows += more;
    used = width - (more - 1) * (COLUMNS - 1);
  }
  return rows;
}

const NARROW = /[a-ln-vx-z0-9 .,:;'"!|/\\()[\]{}_*-]/;

/** Capitals and signs are as wide as one and a half of the narrow letters, and other scripts as three. */
function columnsOf(word: string): number {
  return word
    .split('')
    .reduce((sum, letter) => sum + (NARROW.test(letter) ? 1 : letter > '\u024f' ? 3 : 1.5), 0);
}

const KEY = /^decide:(allow|deny|answer):([\w-]+):([0-9a-f]{64}):(\d*)$/;

/** Names the request itself: a click may arrive after another request has taken the place of the pop-up. */
export function actionKey(
  { choice, option }: DecisionButton,
  { question, requestHash }: PopUpDecision,
): string {
  return `decide:${choice}:${question}:${requestHash}:${option ?? ''}`;
}

/** The decision that the key of an action stands for; null for any other action. */
export function decisionIn(key: string): GivenDecision | null {
  const [, choice, question = '', requestHash = '', option = ''] = KEY.exec(key) ?? [];
  if (choice !== 'allow' && choice !== 'deny' && choice !== 'answer') return null;
  const chosen = option === '' ? null : Number(option);
  return { choice, question, requestHash, option: chosen, words: null };
}
