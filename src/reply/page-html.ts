import { durationText } from '../text/duration.ts';
import { escapeHtml, lineHtml } from '../text/escape.ts';
import { displayText } from '../text/sanitize.ts';
import type { AgentQuestion, DecisionChoice } from '../core/question.ts';
import type { DecidableRequest } from '../core/notification.ts';
import type { PersonsAnswer } from './decisions.ts';

/** The message that a reply answers. Texts may be hostile: they are cleaned and escaped here. */
export interface AnsweredNote {
  readonly title: string;
  readonly body: string;
  readonly sessionTitle: string | null;
  readonly agent: string;
}

export interface DecisionPage {
  readonly type: 'decision';
  readonly answered: AnsweredNote;
  readonly request: DecidableRequest;
  /** Why only "deny" is offered; null if more is. */
  readonly limit: string | null;
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

export interface FormPage {
  readonly type: 'form';
  readonly answered: AnsweredNote;
  readonly forMs: number;
  readonly text: string;
  /** Why it was not sent; null at first. */
  readonly trouble: string | null;
}

export interface ClosedPage {
  readonly type: 'closed';
  readonly tone: 'good' | 'bad';
  readonly heading: string;
  readonly lines: readonly string[];
  /** Typed text that was not sent: the page must not lose it. */
  readonly draft: string | null;
}

export type ReplyPage = FormPage | DecisionPage | ClosedPage;

const style = `
:root { color-scheme: light dark; --page: #f6f8fa; --card: #ffffff; --text: #1f2328; --faint: #59636e; --line: #d1d9e0; --good: #1a7f37; --bad: #cf222e; --key: #0969da; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --card: #161b22; --text: #e6edf3; --faint: #9198a1; --line: #3d444d; --good: #3fb950; --bad: #f85149; --key: #4493f8; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 32px 16px; background: var(--page); color: var(--text); font: 16px/24px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
main { max-width: 640px; margin: 0 auto; padding: 24px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
h1 { margin: 0 0 4px; font-size: 20px; line-height: 28px; overflow-wrap: anywhere; }
.faint { color: var(--faint); font-size: 14px; line-height: 20px; margin: 0; }
blockquote { margin: 16px 0; padding: 4px 16px; border-left: 4px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; max-height: 40vh; overflow-y: auto; }
pre { margin: 16px 0; padding: 8px 16px; background: var(--page); border-left: 4px solid var(--line); font: 14px/20px ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
fieldset { margin: 16px 0; padding: 8px 16px; border: 1px solid var(--line); border-radius: 6px; }
legend { font-weight: 600; white-space: pre-wrap; }
.option { font-weight: 400; }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; }
button[value='deny'] { background: #cf222e; }
input[type='text'] { width: 100%; margin: 8px 0; padding: 8px 12px; font: inherit; color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: 6px; }
label { display: block; font-weight: 600; margin: 16px 0 4px; }
textarea { width: 100%; min-height: 120px; padding: 8px 12px; font: inherit; color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: 6px; resize: vertical; }
button { margin: 12px 0 16px; padding: 8px 20px; font: inherit; font-weight: 600; color: #ffffff; background: #1f6feb; border: 0; border-radius: 6px; cursor: pointer; }
:focus-visible { outline: 2px solid var(--key); outline-offset: 2px; }
.note { margin: 16px 0; padding: 8px 16px; border-left: 4px solid var(--bad); overflow-wrap: anywhere; }
.good { color: var(--good); } .bad { color: var(--bad); }
`;

/** The whole page, in plain HTML without a script. */
export function pageHtml(page: ReplyPage, nonce: string): string {
  const title = page.type === 'closed' ? page.heading : 'Answer the agent';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · hookbell</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
${mainHtml(page)}
</main>
</body>
</html>
`;
}

function mainHtml(page: ReplyPage): string {
  switch (page.type) {
    case 'form':
      return formHtml(page);
    case 'decision':
      return decisionHtml(page);
    case 'closed':
      return closedHtml(page);
  }
}

function formHtml({ answered, forMs, text, trouble }: FormPage): string {
  const { title, body, sessionTitle, agent } = answered;
  const name = sessionTitle === null ? '' : ` · ${lineHtml(sessionTitle)}`;
  return `<p class="faint">${lineHtml(agent)}${name}</p>
<h1 dir="auto">${lineHtml(title)}</h1>
<blockquote dir="auto">${escapeHtml(displayText(body))}</blockquote>
${trouble === null ? '' : `<p class="note" role="alert"><strong class="bad">Not sent.</strong> ${lineHtml(trouble)}</p>\n`}<form method="post" autocomplete="off">
<label for="text">Your answer</label>
<textarea id="text" name="text" dir="auto" required autofocus maxlength="100000">${leadingLine(text)}${escapeHtml(text)}</textarea>
<button type="submit">Send once</button>
<p class="faint">The agent receives it as your message. This page works once, for another ${durationText(forMs)}, on this machine only.</p>
</form>`;
}

function closedHtml({ tone, heading, lines, draft }: ClosedPage): string {
  const paragraphs = lines.map((line) => `<p dir="auto">${lineHtml(line)}</p>`).join('\n');
  const text =
    draft === null
      ? ''
      : `\n<label for="kept">What you wrote</label>\n<textarea id="kept" dir="auto" readonly>${leadingLine(draft)}${escapeHtml(draft)}</textarea>`;
  return `<h1 class="${tone}">${lineHtml(heading)}</h1>\n${paragraphs}${text}`;
}

/** Browsers drop the first line feed in a textarea. */
function leadingLine(text: string): string {
  return text.startsWith('\n') ? '\n' : '';
}
