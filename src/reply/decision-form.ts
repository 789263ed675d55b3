import type { AgentQuestion, DecisionChoice } from '../core/question.ts';
import type { DecidableRequest } from '../core/notification.ts';
import { durationText } from '../text/duration.ts';
import { escapeHtml, lineHtml } from '../text/escape.ts';
import { displayText } from '../text/sanitize.ts';
import type { PersonsAnswer } from './decisions.ts';

/** The message that a reply answers. Texts may be hostile: they are cleaned and escaped here. */
export interface AnsweredNote {
  /** The headline of the notification. */
  readonly title: string;
  /** The agent's last message. */
  readonly body: string;
  readonly sessionTitle: string | null;
  readonly agent: string;
}

/** The form that decides a request. */
export interface DecisionPage {
  readonly type: 'decision';
  readonly answered: AnsweredNote;
  readonly request: DecidableRequest;
  /** Why only "deny" is offered; null if more is. */
  readonly limit: string | null;
  /** How long the link stays valid, ms. */
  readonly forMs: number;
  /** Why the last decision was not used; null at first. */
  readonly trouble: string | null;
}

export const buttonTexts: Readonly<Record<DecisionChoice, string>> = {
  allow: 'Allow',
  'allow-session': 'Allow for the session',
  deny: 'Deny',
  answer: 'Send the answer',
};

/** The buttons of a form, the one that Enter presses first: only an answer has a field in which Enter sends the form. */
const order: readonly DecisionChoice[] = ['answer', 'allow', 'allow-session', 'deny'];

/** The form in HTML. It repeats the hash of the request, so that a decision cannot reach another one. */
export function decisionHtml({ answered, request, limit, forMs, trouble }: DecisionPage): string {
  const { title, body, agent, sessionTitle } = answered;
  const { text, asks, choices, requestHash } = request;
  const name = sessionTitle === null ? '' : ` · ${lineHtml(sessionTitle)}`;
  const shown =
    text === null
      ? `<blockquote dir="auto">${escapeHtml(displayText(body))}</blockquote>`
      : asks.length > 0
        ? ''
        : `<pre dir="auto">${escapeHtml(text)}</pre>`;
  const buttons = order
    .filter((choice) => choices.includes(choice))
    .map((choice) => `<button name="choice" value="${choice}">${buttonTexts[choice]}</button>`);
  return `<p class="faint">${lineHtml(agent)}${name}</p>
<h1 dir="auto">${lineHtml(title)}</h1>
${shown}
${limit === null ? '' : `<p class="note">${lineHtml(limit)}</p>\n`}${trouble === null ? '' : `<p class="note" role="alert"><strong class="bad">Not sent.</strong> ${lineHtml(trouble)}</p>\n`}<form method="post" autocomplete="off">
<input type="hidden" name="request" value="${escapeHtml(requestHash)}">
${asks.map(questionHtml).join('\n')}
<label for="words">With Deny: what the agent should do instead</label>
<textarea id="words" name="words" dir="auto" maxlength="8000"></textarea>
<div class="buttons">${buttons.join('\n')}</div>
<p class="faint">The first answer counts, from here or from the terminal. This page works for another ${durationText(forMs)}, on this machine only.</p>
</form>`;
}

/** One question with its options, and a field for another answer. */
export function questionHtml(
  { text, options, descriptions = [], several }: AgentQuestion,
  index: number,
): string {
  const type = several ? 'checkbox' : 'radio';
  const lines = options.map(
    (option, number) =>
      `<label class="option"><input type="${type}" name="option${index}" value="${number}"> <span>${lineHtml(option)}${descriptions[number] ? `<small>${lineHtml(descriptions[number])}</small>` : ''}</span></label>`,
  );
  return `<fieldset>
<legend dir="auto">${escapeHtml(displayText(text))}</legend>
${lines.join('\n')}
<input type="text" name="text${index}" dir="auto" maxlength="8000" aria-label="Another answer" placeholder="Another answer">
</fieldset>`;
}

/** What a posted form decides; null if it chooses nothing that is offered. */
export function decisionOfForm(
  form: URLSearchParams,
  { choices, asks }: Pick<DecidableRequest, 'choices' | 'asks'>,
): Omit<PersonsAnswer, 'via'> | null {
  const choice = choices.find((one) => one === form.get('choice'));
  if (choice === undefined) return null;
  const requestHash = form.get('request') ?? '';
  const typed = textIn(form, 'words');
  const words = choice === 'deny' && typed !== '' ? typed : null;
  const answers = choice === 'answer' ? answersIn(form, asks) : {};
  if (choice === 'answer' && Object.keys(answers).length === 0) return null;
  return { choice, requestHash, words, answers };
}

function answersIn(
  form: URLSearchParams,
  asks: readonly AgentQuestion[],
): Readonly<Record<string, string>> {
  const given = asks.map(({ text, options, several }, index) => {
    const numbers = form.getAll(`option${index}`).map(Number);
    const labels = numbers.flatMap((number) => options[number] ?? []);
    const other = textIn(form, `text${index}`);
    const chosen = several ? [...labels, ...(other === '' ? [] : [other])] : [other || labels[0]];
    return [text, chosen.filter((label) => label !== undefined).join(', ')] as const;
  });
  return Object.fromEntries(given.filter(([, answer]) => answer !== ''));
}

/** Forms end lines with two characters, whatever was typed. */
function textIn(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').replaceAll('\r\n', '\n').trim();
}
