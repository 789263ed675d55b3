import { agentLabels } from '../core/hook-event.ts';
import type { SessionView } from '../control/contract.ts';
import { type DecidableRequest, turnLengthText } from '../core/notification.ts';
import type { AgentQuestion } from '../core/question.ts';
import { pausedText, type SessionState } from '../core/session.ts';
import { sha256 } from '../platform/crypto.ts';
import { buttonTexts, questionHtml } from '../reply/page-html.ts';
import { displayLine } from '../text/sanitize.ts';
import { actionForm, age, clock, inAttribute, line, lines, type PageRow } from './html-parts.ts';
import type { PageRights } from './page-access.ts';
import { requestHtml, waitHtml } from './request-html.ts';

/** A request whose agent waits for an answer, with what may be decided here. */
export interface ShownRequest {
  readonly sessionKey: string;
  readonly tool: string | null;
  readonly subagent: boolean;
  readonly request: DecidableRequest;
}

const stateTexts: Readonly<Record<SessionState, string>> = {
  waiting: 'waits for you',
  working: 'working',
  paused: 'paused',
  done: 'done',
  failed: 'failed',
  ended: 'ended',
};

const TERMINAL_ONLY = 'It cannot be shown in full here: allow it in its terminal';

/** The row of a session that waits for a person, with all that can be done about it. */
export function waitingRow(
  session: SessionView,
  requests: readonly ShownRequest[],
  rights: PageRights,
): PageRow {
  const { key, since, waitingFor, acknowledgedAt, snoozedUntil } = session;
  const chips = [
    acknowledgedAt === null ? '' : '<span class="chip">acknowledged</span>',
    snoozedUntil === null ? '' : `<span class="chip">snoozed until <clock ${snoozedUntil}></span>`,
  ].join('');
  const asked =
    requests.length > 0
      ? requests.map((one) => heldHtml(one, session, rights)).join('')
      : waitHtml(waitingFor ?? 'It waits for an answer in its terminal');
  const id = rowId(key);
  return {
    id,
    html: `<article class="row waiting" id="${id}" data-row tabindex="-1" aria-labelledby="${id}-t">
<header><h3 id="${id}-t" dir="auto">${titleOf(session)}</h3><span class="spacer"></span>${chips}<span class="age">${age(since)}</span></header>
${metaHtml(session)}
${asked}
${toolbarHtml(session)}
</article>`,
  };
}

function heldHtml(
  { request, subagent, tool }: ShownRequest,
  { waitingFor, cwd }: Pick<SessionView, 'waitingFor' | 'cwd'>,
  rights: PageRights,
): string {
  const { question, requestHash, text, asks } = request;
  const choices = choicesOnPage(request, rights);
  const who = subagent ? '<p class="note">A subagent asks</p>' : '';
  const what =
    text === null
      ? `${waitHtml(waitingFor ?? tool ?? 'A request')}<p class="note">${TERMINAL_ONLY}</p>`
      : asks.length > 0
        ? ''
        : requestHtml(text, cwd);
  const buttons = (['answer', 'allow', 'allow-session'] as const)
    .filter((choice) => choices.includes(choice))
    .map(
      (choice) =>
        `<button class="yes" name="choice" value="${choice}" data-key="a">${buttonTexts[choice]}</button>`,
    );
  const limit =
    rights === 'look' && text !== null
      ? '<p class="note">Allowing needs the code: see above</p>'
      : '';
  return `${who}${what}${actionForm(
    'decide',
    { question, request: requestHash },
    `${rights === 'decide' ? asks.map(questionHtml).join('') : asks.map(askedHtml).join('')}
<div class="buttons">${buttons.join('')}<button class="no" name="choice" value="deny">${buttonTexts.deny}</button>
<input class="words" name="words" dir="auto" maxlength="8000" aria-label="With Deny: what the agent should do instead" placeholder="With Deny: what to do instead" data-key="d"></div>${limit}`,
  )}`;
}

/** A question that cannot be answered here, with its options. */
function askedHtml({ text, options, descriptions = [] }: AgentQuestion): string {
  const offered = options.map((option, index) => {
    const meaning = descriptions[index] ?? '';
    return `<li>${line(option)}${meaning === '' ? '' : `<small>${line(meaning)}</small>`}</li>`;
  });
  return `<p class="asks" dir="auto">${lines(text)}</p>${offered.length === 0 ? '' : `<ol class="options">${offered.join('')}</ol>`}`;
}

/** What a browser with these rights may decide about a request. */
export function choicesOnPage(
  { choices }: Pick<DecidableRequest, 'choices'>,
  rights: PageRights,
): DecidableRequest['choices'] {
  return rights === 'decide' ? choices : choices.filter((choice) => choice === 'deny');
}

function toolbarHtml({ key, hasTerminal, acknowledgedAt }: SessionView): string {
  const form = (action: string, letter: string, text: string, more = ''): string => {
    const button = `${more}<button class="tool" data-key="${letter}">${text}</button>`;
    return actionForm(action, { session: keyText(key) }, button);
  };
  const show = hasTerminal ? form('open', 't', 'Show terminal') : '';
  const acknowledge = acknowledgedAt === null ? form('ack', 'x', 'Acknowledge') : '';
  const duration = '<input type="hidden" name="for" value="30m">';
  const snooze = form('snooze', 'z', 'Snooze 30 min', duration);
  return `<div class="tools">${show}${acknowledge}${snooze}</div>`;
}

/** The row of any other session, on one line where there is room. */
export function sessionRow(session: SessionView): PageRow {
  const { key, state, since, lastTurnMs } = session;
  const length = state === 'working' || state === 'paused' ? null : turnLengthText(lastTurnMs);
  const turn = length === null ? '' : `<span class="turn">turn ${length}</span>`;
  const paused = pausedText(session, clock);
  const chip = paused === null ? '' : `<span class="chip">${paused}</span>`;
  const id = rowId(key);
  return {
    id,
    html: `<article class="row ${state}" id="${id}" data-row tabindex="-1" aria-labelledby="${id}-t">
<header><span class="dot" role="img" aria-label="${stateTexts[state]}"></span><h3 id="${id}-t" dir="auto">${titleOf(session)}</h3><span class="spacer"></span>${chip}${turn}<span class="age">${age(since)}</span></header>
${metaHtml(session)}
${state === 'failed' ? `<p class="reason" dir="auto">${lines(session.waitingFor ?? 'The agent does not say why')}</p>` : ''}</article>`,
  };
}

/** By what tells sessions of one project apart: the title, which may be the first prompt, or else the short id. */
function titleOf({ title, project, agent, called, sessionId }: SessionView): string {
  // A text of only invisible characters is not a name.
  if (displayLine(title ?? '') !== '') return line(title ?? '', 160);
  const place =
    displayLine(project ?? '') === ''
      ? `A session of ${called ?? agentLabels[agent]}`
      : (project ?? '');
  const id = displayLine(sessionId ?? '').slice(0, 8);
  return `${line(place, 160)}${id === '' ? '' : ` <span class="faint">${line(id)}</span>`}`;
}

function metaHtml(session: SessionView): string {
  const { agent, called, project, computer, cwd, key, seenBy, host } = session;
  const parts = [
    `${called ?? agentLabels[agent]}${host === null ? '' : ` in ${line(host, 40)}`}`,
    ...(project === null ? [] : [line(project, 80)]),
    computer === null ? 'this machine' : line(computer, 80),
    ...(seenBy === 'record' ? ['no hook: seen in its record'] : []),
  ];
  const where = cwd === null ? '' : ` title="${inAttribute(cwd)}"`;
  const history = `<a href="<root>timeline?session=${keyText(key)}">events</a>`;
  return `<p class="meta"${where}>${parts.map((part) => `<span>${part}</span>`).join('')}<span>${history}</span></p>`;
}

/** A key, which an agent chose, in plain characters. */
function keyText(key: string): string {
  return encodeURIComponent(key.toWellFormed());
}

/** Keys of sessions have characters that ids in HTML must not have. */
function rowId(key: string): string {
  return `s${sha256(key).slice(0, 16)}`;
}
