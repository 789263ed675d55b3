import type { Asked } from '../core/asked.ts';
import { cleanRequest } from '../core/asked.ts';
import { changesText } from '../core/file-change.ts';
import { creditsText } from '../core/credits-text.ts';
import { durationText } from '../core/duration-text.ts';
import type { HookEvent } from '../core/hook-event.ts';
import { plainFromMarkdown } from '../core/markdown.ts';
import type { Redact } from '../core/redact.ts';
import { cutText, displayLine, displayText } from '../core/sanitize.ts';
import type { Session } from '../core/session.ts';
import { agentLabels } from './agent-label.ts';
import { toldCredits } from './told-credits.ts';

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
