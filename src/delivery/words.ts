import { type Asked, cleanRequest } from '../core/asked.ts';
import { isOfScript } from '../core/hand-made.ts';
import { agentLabelOf } from '../core/agent/custom-name.ts';
import { durationText } from '../text/duration.ts';
import { changesText, type HookEvent } from '../core/hook-event.ts';
import {
  type Credits,
  type CreditsAtStop,
  usedCreditsText,
  type LookedUp,
  type ReportedCredits,
} from '../core/looked-up.ts';
import { plainFromMarkdown } from '../text/markdown.ts';
import type { Redact } from '../text/redact.ts';
import { cutText, displayLine, displayText } from '../text/sanitize.ts';
import type { Session } from '../core/session.ts';
import { fillTemplate, type Placeholder, placeholders } from '../text/template.ts';

const NAME_LENGTH = 80;
/** Eight characters and the ellipsis. */
const SHORT_LENGTH = 9;

/** The details of an event, sanitized and redacted; null where unknown. */
export interface Words {
  readonly agent: string;
  readonly event: string;
  readonly project: string | null;
  readonly message: string | null;
  /** The text in Markdown; null if it would look identical. */
  readonly markdown: string | null;
  /** The kind of decision; known even if its text may not be shown. */
  readonly action: Asked['action'] | null;
  readonly asked: Asked | null;
  readonly tool: string | null;
  readonly reason: string | null;
  readonly sessionId: string | null;
  /** The start of the session id, for people to compare. */
  readonly shortSessionId: string | null;
  /** The title, or the start of the first prompt without one. */
  readonly sessionTitle: string | null;
  /** The title of the session, as the service, the agent or its record of the session calls it. */
  readonly title: string | null;
  readonly computer: string | null;
  readonly active: string | null;
  readonly credits: string | null;
  readonly changes: string | null;
}

/** Agents' texts are hostile until sanitized. @param withText false omits what a person or an agent wrote, titles as well */
export function wordsOf(
  event: HookEvent,
  session: Session | null,
  {
    redact,
    labelOf,
    withText,
  }: { redact: Redact; labelOf: (directory: string | null) => string | null; withText: boolean },
): Words {
  const name = (raw: string | null): string | null =>
    raw === null ? null : cutText(redact(displayLine(raw)), NAME_LENGTH) || null;
  const safe = (raw: string): string => redact(displayText(raw));
  const text = (raw: string | null): string | null => (raw === null ? null : safe(raw) || null);
  // Notices, digests and tests are hookbell's own texts.
  const isOurs = event.agent === 'service' || event.kind === 'test';
  const isMarkdown = !isOurs && !isOfScript(event);
  const message = withText || isOurs ? text(event.message) : null;
  const changes = (): string | null => {
    const ended = endedTurn(event, session);
    if (ended === null) return null;
    return changesText(ended.changes.map((one) => ({ ...one, path: name(one.path) ?? '…' })));
  };
  const plain = message !== null && isMarkdown ? plainFromMarkdown(message) || message : message;
  const lookedUp = session?.lookedUp ?? null;
  const titles = withText
    ? [lookedUp?.title, session?.title, event.title, lookedUp?.transcriptTitle]
    : [];
  const title = titles.map((raw) => name(raw ?? null)).find((clean) => clean !== null) ?? null;
  const activeMs = lookedUp?.activeMs ?? null;
  const credits = lookedUp === null ? null : reportedCredits(lookedUp, event);
  // Programs get it too, so it is not cut.
  const sessionId = redact(displayLine(event.sessionId ?? '')) || null;
  return {
    agent: agentLabelOf(event),
    event: name(event.event) ?? 'an event without a name',
    // A directory of another machine is unrelated to a local project of that name.
    project: name(labelOf(event.machine === null ? event.cwd : null)) ?? name(event.project),
    message: plain,
    markdown: plain === message ? null : message,
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
    credits: credits === null ? null : usedCreditsText(credits),
    changes: withText ? changes() : null,
  };
}

/** The session after the event, if the event ended its last turn; otherwise null. */
export function endedTurn({ kind, at }: HookEvent, session: Session | null): Session | null {
  const endsTurn = kind === 'turn.done' || kind === 'turn.failed' || kind === 'turn.interrupted';
  return endsTurn && session?.stateSince === at ? session : null;
}

export type Values = Readonly<Record<Placeholder, string>>;

/** `{agent} is done ({duration})` without a duration is "droid is done"; a line of only unknown values is removed. */
export function fillTidily(template: string, values: Values): string {
  const empty = placeholders.filter((name) => values[name] === '').map((name) => `{${name}}`);
  return template
    .split('\n')
    .filter((line) => !hasBrace(line) || !isOnly(empty, line))
    .map((line) => (hasBrace(line) ? fillTemplate(without(empty, line), values) : line))
    .join('\n');
}

const hasBrace = (line: string): boolean => line.includes('{');

/** True for a line of placeholders only, all of them empty. */
function isOnly(empty: readonly string[], line: string): boolean {
  let rest = line;
  for (const placeholder of empty) rest = rest.replaceAll(placeholder, '');
  return rest !== line && !/[\p{L}\p{N}{]/u.test(rest);
}

/** Removes empty placeholders from a line, with the brackets around or the separator after each. */
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

/** The credits of a session at an event, and their growth since the last turn that ended before it. */
export function reportedCredits(
  { credits, stops }: LookedUp,
  event: Pick<HookEvent, 'id' | 'at'>,
): ReportedCredits | null {
  if (credits === null) return null;
  const stop = stops.find(({ eventId }) => eventId === event.id);
  const now = stop?.credits ?? credits;
  const before = stops.find(({ eventId, at }) => eventId !== event.id && at < event.at);
  return { ...now, growth: before === undefined ? null : growthSince(before, now, event.at) };
}

function growthSince(before: CreditsAtStop, now: Credits, at: number): ReportedCredits['growth'] {
  const amount = now.amount - before.credits.amount;
  // The two sums cannot be compared, and a sum that shrank was counted anew.
  if (before.credits.source !== now.source || amount <= 0) return null;
  return { amount, sinceMs: at - before.at };
}
