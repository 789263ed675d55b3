import { type Asked, cleanRequest } from '../core/asked.ts';
import { durationText } from '../text/duration.ts';
import { changesText } from '../core/file-change.ts';
import type { AgentName, HookEvent } from '../core/hook-event.ts';
import {
  type Credits,
  type CreditsAtStop,
  creditsText,
  type LookedUp,
  type ToldCredits,
} from '../core/looked-up.ts';
import { plainFromMarkdown } from '../text/markdown.ts';
import type { Redact } from '../text/redact.ts';
import { cutText, displayLine, displayText } from '../text/sanitize.ts';
import type { Session } from '../core/session.ts';
import { fillTemplate, type Placeholder, placeholders } from '../text/template.ts';

/** How people know the agents; reads well in the middle of a sentence. */
export const agentLabels: Readonly<Record<AgentName, string>> = {
  droid: 'droid',
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  qwen: 'Qwen Code',
  cursor: 'Cursor',
  copilot: 'Copilot CLI',
  opencode: 'OpenCode',
  unknown: 'an agent',
  service: 'the service',
};

const NAME_LENGTH = 80;
/** Eight characters and the ellipsis. */
const SHORT_LENGTH = 9;

/** What is known of an event, clean and without secrets; null where it is not known. */
export interface Words {
  readonly agent: string;
  readonly event: string;
  readonly project: string | null;
  readonly message: string | null;
  /** The same in Markdown; null where that would look no different. */
  readonly markdown: string | null;
  /** What kind of thing a person is to decide; known even where its text is not to be shown. */
  readonly action: Asked['action'] | null;
  /** What a person is to decide. */
  readonly asked: Asked | null;
  readonly tool: string | null;
  readonly reason: string | null;
  readonly sessionId: string | null;
  /** The beginning of the session id, as people compare it. */
  readonly shortSessionId: string | null;
  /** The title, or the beginning of the first prompt where there is none. */
  readonly sessionTitle: string | null;
  /** The title of the session, as the service, the agent or its record of the session calls it. */
  readonly title: string | null;
  readonly computer: string | null;
  /** How long the agent was at work in the session in all. */
  readonly active: string | null;
  readonly credits: string | null;
  /** The files that the turn changed. */
  readonly changes: string | null;
}

/**
 * Takes the texts out of an event and its session, fit to be shown: agents' texts are hostile until cleaned.
 *
 * @param redact takes out what looks like a secret
 * @param labelOf says what the project in a directory wants to be called
 * @param withText false leaves out everything a person or an agent wrote: messages, reasons, and titles too, since
 * agents and services make a session's title from its first prompt
 */
export function wordsOf(
  event: HookEvent,
  session: Session | null,
  {
    redact,
    labelOf,
    withText,
  }: {
    readonly redact: Redact;
    readonly labelOf: (directory: string | null) => string | null;
    readonly withText: boolean;
  },
): Words {
  const name = (raw: string | null): string | null =>
    raw === null ? null : cutText(redact(displayLine(raw)), NAME_LENGTH) || null;
  const safe = (raw: string): string => redact(displayText(raw));
  const text = (raw: string | null): string | null => (raw === null ? null : safe(raw) || null);
  // Notices, digests and tests are hookbell's own words.
  const isMarkdown = event.agent !== 'service' && event.kind !== 'test';
  const said = withText || !isMarkdown ? text(event.message) : null;
  const changes = (): string | null => {
    const ended = endedTurn(event, session);
    if (ended === null) return null;
    return changesText(ended.changes.map((one) => ({ ...one, path: name(one.path) ?? '…' })));
  };
  const plain = said !== null && isMarkdown ? plainFromMarkdown(said) || said : said;
  const lookedUp = session?.lookedUp ?? null;
  const titles = withText
    ? [lookedUp?.title, session?.title, event.title, lookedUp?.transcriptTitle]
    : [];
  const title = titles.map((raw) => name(raw ?? null)).find((clean) => clean !== null) ?? null;
  const activeMs = lookedUp?.activeMs ?? null;
  const credits = lookedUp === null ? null : toldCredits(lookedUp, event);
  // Programs get it too, so it is not cut.
  const sessionId = redact(displayLine(event.sessionId ?? '')) || null;
  return {
    agent: agentLabels[event.agent],
    event: name(event.event) ?? 'an event without a name',
    // The directory of another machine says nothing about the project of that name here.
    project: name(labelOf(event.machine === null ? event.cwd : null)) ?? name(event.project),
    message: plain,
    markdown: plain === said ? null : said,
    action: event.asked?.action ?? null,
    asked: withText ? cleanRequest(event.asked, safe) : null,
    tool: name(event.tool),
    reason: withText ? name(event.reason) : null,
    sessionId,
    shortSessionId: sessionId === null ? null : cutText(sessionId, SHORT_LENGTH),
    sessionTitle: title ?? (withText ? name(session?.firstPrompt ?? null) : null),
    title,
    computer: name(event.machine ?? lookedUp?.computer ?? null),
    active: activeMs === null ? null : durationText(activeMs),
    credits: credits === null ? null : creditsText(credits),
    changes: withText ? changes() : null,
  };
}

/** The session as the event left it, if that ended a turn; null where it ended none, or another one ended since. */
export function endedTurn({ kind, at }: HookEvent, session: Session | null): Session | null {
  const endsTurn = kind === 'turn.done' || kind === 'turn.failed' || kind === 'turn.interrupted';
  return endsTurn && session?.stateSince === at ? session : null;
}

export type Values = Readonly<Record<Placeholder, string>>;

/**
 * Fills a template so that what is not known leaves no litter: `{agent} is done ({duration})` without a duration is
 * "droid is done", and a line that consists of unknown values only goes as a whole. Values stay as they are.
 */
export function fillTidily(template: string, values: Values): string {
  const empty = placeholders.filter((name) => values[name] === '').map((name) => `{${name}}`);
  return template
    .split('\n')
    .filter((line) => !hasBrace(line) || !isOnly(empty, line))
    .map((line) => (hasBrace(line) ? fillTemplate(without(empty, line), values) : line))
    .join('\n');
}

function hasBrace(line: string): boolean {
  return line.includes('{');
}

/** True for a line without any text of its own in which all placeholders are empty. */
function isOnly(empty: readonly string[], line: string): boolean {
  let rest = line;
  for (const placeholder of empty) rest = rest.replaceAll(placeholder, '');
  return rest !== line && !/[\p{L}\p{N}{]/u.test(rest);
}

/** Takes empty placeholders out of a line, with the brackets around or the separator after each. */
function without(empty: readonly string[], line: string): string {
  let rest = line;
  for (const placeholder of empty) {
    rest = rest
      .replaceAll(` (${placeholder})`, '')
      .replaceAll(`(${placeholder})`, '')
      .replaceAll(`${placeholder}: `, '')
      .replaceAll(`${placeholder} · `, '')
      .replaceAll(` · ${placeholder}`, '');
  }
  return rest;
}

/** The credits of a session when it is told of an event, and how they grew since the last turn that ended before it. */
export function toldCredits(
  { credits, stops }: LookedUp,
  event: Pick<HookEvent, 'id' | 'at'>,
): ToldCredits | null {
  if (credits === null) return null;
  const own = stops.find(({ eventId }) => eventId === event.id);
  const now = own?.credits ?? credits;
  const before = stops.find(({ eventId, at }) => eventId !== event.id && at < event.at);
  return { ...now, growth: before === undefined ? null : growthSince(before, now, event.at) };
}

function growthSince(before: CreditsAtStop, now: Credits, at: number): ToldCredits['growth'] {
  const amount = now.amount - before.credits.amount;
  // The two sums cannot be set against each other, and a sum that shrank was counted anew.
  if (before.credits.source !== now.source || amount <= 0) return null;
  return { amount, sinceMs: at - before.at };
}
