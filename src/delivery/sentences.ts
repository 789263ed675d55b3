import { agentLabels, type HookEvent, isWaiting, type Kind } from '../core/hook-event.ts';
import { isOfScript } from '../core/hand-made.ts';
import { type Notification, severities, severityOf } from '../core/notification.ts';
import { cutMiddle, cutText, displayLine } from '../text/sanitize.ts';
import type { Words } from './words.ts';

const MOST_LINES = 10;
const LINE_LENGTH = 160;

export interface Texts {
  /** One line, never empty. */
  readonly title: string;
  /** May contain line feeds, never empty. */
  readonly body: string;
  readonly details?: string;
  readonly markdown?: string;
}

/** Sorts the events of a message, the most urgent first, then the oldest. */
export function byUrgency(events: readonly HookEvent[]): readonly HookEvent[] {
  return events.toSorted((a, b) => gravity(b) - gravity(a) || a.at - b.at);
}

/** Makes a summary of all. @param all by urgency, the event of the notification first @param texts clean */
export function summarize(
  notification: Notification,
  all: readonly HookEvent[],
  texts: (event: HookEvent) => Texts,
): Notification {
  const { markdown: _, ...rest } = notification;
  const lines = all.slice(0, MOST_LINES).map((one) => lineOf(texts(one)));
  const left = all.length - lines.length;
  return {
    ...rest,
    title: `${notification.title} · ${moreText(all)}`,
    body: [...lines, ...(left === 0 ? [] : [`and ${left} more`])].join('\n'),
  };
}

/** The events besides the headline's, such as "and 2 other sessions". */
function moreText(all: readonly HookEvent[]): string {
  const others = all.length - 1;
  const sessions = new Set(all.map(({ sessionKey }) => sessionKey)).size;
  if (sessions === all.length)
    return `and ${others} other ${others === 1 ? 'session' : 'sessions'}`;
  return sessions === 1 ? `and ${others} more` : `and ${others} more from ${sessions} sessions`;
}

function lineOf({ title, body }: Texts): string {
  return cutText(`${title}: ${firstLine(body)}`, LINE_LENGTH);
}

function gravity(event: HookEvent): number {
  return severities.indexOf(severityOf(event));
}

/** Facts for the built-in texts besides the words. */
export interface Facts {
  readonly kind: Kind;
  readonly ownHeadline: boolean;
  readonly failed: boolean;
  readonly subagent: boolean;
  /** How a session began; the agent's own value. */
  readonly source: string | null;
  /** Such as "session limit until 15:45"; null: no usage limit stopped the turn. */
  readonly limit: string | null;
  readonly duration: string | null;
  /** True for the end of a turn of a session that still runs. */
  readonly stillRunning: boolean;
}

const TITLE_LENGTH = 60;
/** The first 7 letters of what is wanted fit into two dozen: "needs p", "is wait", "has a p", "failed". */
const PLACE_LENGTH = 16;

/**
 * The headline: where, what is wanted, then the session. Never empty. A phone or a desktop may cut it after two dozen
 * letters (GNOME), so a long name of a project is shortened, and the agent stands in the details, or here if the project is
 * unknown.
 */
export function headline(words: Words, facts: Facts): string {
  if (facts.ownHeadline && (words.message !== null || facts.kind !== 'message'))
    return displayLine(firstLine(words.message ?? words.event));
  const { agent } = words;
  const where =
    words.project === null
      ? `${agent.slice(0, 1).toUpperCase()}${agent.slice(1)}`
      : cutMiddle(words.project, PLACE_LENGTH);
  const session = words.title === null ? '' : ` · ${cutText(words.title, TITLE_LENGTH)}`;
  const what = whatHappened(words, facts);
  if (!facts.subagent) return `${where} ${what}${session}`;
  const named = facts.kind === 'subagent.done' ? words.tool : (words.asked?.by ?? null);
  const who = named === null ? 'a subagent' : `subagent ${named}`;
  const sentence = isWaiting(facts.kind) ? `${where} ${what} (${who})` : `${where}: ${who} ${what}`;
  return `${sentence}${session}`;
}

/** True for events whose message has its own headline, as its first line. */
export function hasOwnHeadline(event: Pick<HookEvent, 'kind' | 'event'>): boolean {
  return ['notice', 'notice.over', 'digest', 'test'].includes(event.kind) || isOfScript(event);
}

/** The text of such a message below its headline; the headline itself without more text. */
export function belowHeadline(message: string): string {
  const [first = '', ...rest] = message.split('\n');
  return rest.length === 0 ? first : rest.join('\n');
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}

function whatHappened({ tool, event, action }: Words, facts: Facts): string {
  const { duration, limit } = facts;
  const done = duration === null ? 'is done' : `is done (${duration})`;
  const reports = `reports ${event}`;
  const texts: Readonly<Record<Kind, string>> = {
    'needs.permission': action === 'plan' ? 'has a plan to approve' : 'needs permission',
    'needs.input': action === 'answer' ? 'asks' : 'is waiting for you',
    'turn.done': facts.stillRunning ? 'is still working' : done,
    'turn.failed': limit === null ? 'failed' : `hit its ${limit}`,
    'turn.interrupted': 'was interrupted',
    'session.start': facts.source === 'resume' ? 'resumed a session' : 'started a session',
    'session.end': facts.failed ? 'ended with a failure' : 'ended its session',
    prompt: 'has a new prompt',
    'tool.done': tool === null ? 'used a tool' : `used ${tool}`,
    'subagent.done': done,
    message: 'has a message for you',
    activity: reports,
    notice: reports,
    'notice.over': reports,
    digest: reports,
    test: reports,
  };
  return texts[facts.kind];
}

/** Replaces a missing message of the agent. */
export function defaultMessage({ tool, event }: Words, facts: Facts): string {
  const named = `Event: ${event}`;
  const still = 'The turn ended, but the session is still running';
  const texts: Readonly<Record<Kind, string>> = {
    'needs.permission': `It asks for your permission${tool === null ? '' : `: ${tool}`}`,
    'needs.input': 'It is waiting for your input',
    'turn.done': facts.stillRunning ? still : 'The task is finished',
    'turn.failed': 'The turn ended with an error',
    'turn.interrupted': 'The turn was interrupted',
    'session.start': 'A session started',
    'session.end': `The session ended${facts.failed ? ' with a failure' : ''}`,
    prompt: 'A prompt was given',
    'tool.done': tool === null ? 'A tool call finished' : `A call of ${tool} finished`,
    'subagent.done': 'A subagent finished its work',
    message: 'It has a message for you, without a text',
    activity: named,
    notice: named,
    'notice.over': named,
    digest: named,
    test: named,
  };
  return texts[facts.kind];
}

/** What follows a usage limit; null without one. */
export function afterLimit({ limit }: Facts): string | null {
  if (limit === null) return null;
  return limit.includes(' until ')
    ? 'hookbell notifies you when it is over'
    : 'It does not say for certain when it is over';
}

/** The line below the message with the reason; null if it is unknown, or the message says it. */
export function reasonLine({ reason, message }: Words, { kind }: Facts): string | null {
  if (reason === null || reason === message) return null;
  // The interface shows the reason of an end verbatim (statement 009); a failure's is for programs.
  if (kind !== 'turn.failed' || !Object.hasOwn(failures, reason)) return `Reason: ${reason}`;
  const [words, said] = failures[reason] ?? [];
  return words === undefined || said?.test(message ?? '') ? null : `Reason: ${words}`;
}

const outputLimit = ['the answer reached the output limit', /output (?:token|limit)/i] as const;
const refused = [
  'the provider refused the credentials; sign in again',
  /log.?in|sign.?in/i,
] as const;

/** Agents' failure names in words, with what a message that says the same matches; null for names without a meaning. */
const failures: Readonly<Record<string, readonly [string, RegExp] | null>> = {
  // Claude Code, StopFailure (https://docs.claude.com/en/docs/claude-code/hooks) and others that follow it.
  authentication_failed: refused,
  billing_error: ['the provider reports a billing problem', /billing|credit balance/i],
  invalid_request: ['the provider refused the request', /invalid request/i],
  max_output_tokens: outputLimit,
  model_not_found: ['the provider does not know the model', /model.*not/i],
  oauth_org_not_allowed: ['the organization does not allow this sign-in', /organi[sz]ation/i],
  overloaded: ['the provider is overloaded', /overloaded/i],
  rate_limit: [
    'rate limited by the provider',
    /rate.?limit|(?:usage|session|weekly) limit|limit reached/i,
  ],
  server_error: ['the provider had an internal error', /internal (?:server )?error/i],
  unknown: null,
  // OpenCode
  APIError: ['the provider returned an error', /error/i],
  MessageOutputLengthError: outputLimit,
  ProviderAuthError: refused,
  UnknownError: null,
};

/**
 * The last line: a project whose name the headline shortens, agent, session, computer, duration, credits. Null if all are unknown.
 *
 * @param title the headline: its parts are not repeated
 */
export function details(words: Words, { duration }: Facts, title: string): string | null {
  const { sessionTitle, shortSessionId, computer, active, credits } = words;
  const isNamed = sessionTitle !== null && title.includes(sessionTitle);
  const session = isNamed ? null : (sessionTitle ?? shortSessionId);
  const isAgentShown = words.project === null || words.agent === agentLabels.unknown;
  const { project } = words;
  const isCut = project !== null && project.length > PLACE_LENGTH && !title.includes(project);
  const parts = [
    isCut ? project : null,
    isAgentShown ? null : words.agent,
    session === null ? null : `Session: ${session}`,
    computer === null ? null : `Computer: ${computer}`,
    duration === null || title.includes(` (${duration})`) ? null : `Took ${duration}`,
    active === null ? null : `At work ${active}`,
    credits,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' · ');
}
