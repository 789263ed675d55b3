import type { GivenDecision } from '../../core/channel.ts';
import type { DecidableRequest } from '../../core/notification.ts';
import type { DecisionChoice } from '../../core/question.ts';

/** A button of a pop-up that decides a request. */
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
  /** What text typed into the pop-up means. */
  readonly typed: 'answer' | 'deny';
}

/**
 * The smallest space that the known servers give a text before they cut it: six lines, as GNOME Shell and Xfce show, of 40
 * columns.
 */
const ROWS = 6;
const COLUMNS = 40;
const MOST_OPTIONS = 4;
const LONGEST_OPTION = 32;

const DENY: DecisionButton = { choice: 'deny', option: null, label: 'Deny' };

/** Offers Allow and answers only for what a pop-up shows whole. */
export function popUpDecision(request: DecidableRequest): PopUpDecision {
  const { question, requestHash } = request;
  const offered = wholeOffer(request) ?? { body: null, buttons: [DENY], typed: 'deny' as const };
  return { question, requestHash, ...offered };
}

function wholeOffer({
  text,
  choices,
  asks,
}: DecidableRequest): Pick<PopUpDecision, 'body' | 'buttons' | 'typed'> | null {
  const [asked, ...more] = asks;
  if (text === null) return null;
  if (asked === undefined) {
    const isWhole = choices.includes('allow') && fits(text, choices);
    if (!isWhole) return null;
    const allow: DecisionButton = { choice: 'allow', option: null, label: 'Allow' };
    return { body: requestBody(text, choices), buttons: [allow, DENY], typed: 'deny' };
  }
  const { options, several } = asked;
  const body = [asked.text, ...options.map((option, index) => `${index + 1} ${option}`)].join('\n');
  const areButtons =
    options.length <= MOST_OPTIONS &&
    options.every((label) => label.length <= LONGEST_OPTION && !label.includes('\n'));
  if (more.length > 0 || several || !areButtons || rowsOf(body) > ROWS) return null;
  if (!choices.includes('answer')) return null;
  const buttons = options.map((label, option): DecisionButton => ({
    choice: 'answer',
    option,
    label,
  }));
  return { body, buttons: [...buttons, DENY], typed: 'answer' };
}

function fits(text: string, choices: readonly DecisionChoice[]): boolean {
  return rowsOf(requestBody(text, choices)) <= ROWS;
}

/** A plain Allow grants nothing for the session: the last line, which offers that, can stay out. */
function requestBody(text: string, choices: readonly DecisionChoice[]): string {
  return choices.includes('allow-session') ? text.slice(0, text.lastIndexOf('\n')) : text;
}

function rowsOf(text: string): number {
  return text
    .split('\n')
    .map((line) => Math.max(1, Math.ceil(columnsOf(line) / COLUMNS)))
    .reduce((sum, rows) => sum + rows, 0);
}

/** Anything but Latin letters may be as wide as two of them. */
function columnsOf(line: string): number {
  return line.split('').reduce((sum, letter) => sum + (letter > '\u024f' ? 2 : 1), 0);
}

const KEY = /^decide:(allow|deny|answer):([\w-]+):([0-9a-f]{64}):(\d*)$/;

/**
 * The key of an action, which the server returns with a click. It names the request itself: a click may arrive after another
 * request has taken the place of the pop-up.
 */
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
