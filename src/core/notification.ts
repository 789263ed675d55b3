import type { Asked } from './asked.ts';
import type { Recipient, ReportedCredits } from './looked-up.ts';
import type { HookFacts } from './facts.ts';
import { purposeOf } from './hand-made.ts';
import { type AgentName, type HookEvent, isWaiting, type Kind } from './hook-event.ts';
import type { AgentQuestion, DecisionChoice } from './question.ts';
import { durationText } from '../text/duration.ts';
import { plainFromMarkdown } from '../text/markdown.ts';

/** One colour for each kind of notification, as "#rrggbb": a permission, a failure and a test differ at a glance. */
export const toneColours = {
  permission: '#bf8700',
  question: '#8250df',
  failed: '#cf222e',
  done: '#1a7f37',
  info: '#0969da',
  test: '#6e7781',
} as const;

export type Tone = keyof typeof toneColours;

export function toneOf(notification: Pick<Notification, 'kind' | 'severity' | 'sessionId'>): Tone {
  const { kind, severity, sessionId } = notification;
  if (kind === 'test' || purposeOf(sessionId) === 'trial') return 'test';
  if (severity === 'critical') return 'failed';
  if (kind === 'needs.permission') return 'permission';
  if (isWaiting(kind)) return 'question';
  return kind === 'turn.done' || kind === 'subagent.done' ? 'done' : 'info';
}

/** `critical`: something failed. `warning`: a person has to act, or is spoken to. `info`: good to know. */
export const severities = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** How much of an agent's text a channel shows: all of it, its first line, or nothing that came from a prompt. */
export const bodyDetails = ['full', 'summary', 'none'] as const;
export type BodyDetail = (typeof bodyDetails)[number];

/** Texts are clean plain text (`displayText`), but not escaped for any markup and not cut. */
export interface Notification {
  /** Stable over all attempts; a channel uses it if the remote side can detect repeats. */
  readonly deliveryId: string;
  readonly eventId: string;
  /** The alert it belongs to, the same for every message about one request; absent without one. */
  readonly alertId?: string;
  /** One per session: a newer notification with the same key replaces the older one where a channel can. */
  readonly groupKey: string;
  /** When the event happened, Unix ms. */
  readonly at: number;
  readonly agent: AgentName;
  readonly event: string;
  readonly kind: Kind;
  readonly severity: Severity;
  readonly sessionId: string | null;
  readonly sessionTitle: string | null;
  /** The computer the session runs on, by name: the paired machine, or the one the vendor's service knows. */
  readonly computer: string | null;
  /** Total time the agent worked in the session, ms. */
  readonly activeMs: number | null;
  readonly credits: ReportedCredits | null;
  readonly origin: Origin;
  readonly project: string | null;
  /** The request a person decides; null if the event has none, or the channel may not show it. */
  readonly asked: Asked | null;
  /** One line, never empty: what happened and where. */
  readonly title: string;
  /** The details, may contain line feeds, never empty. */
  readonly body: string;
  /** The last line of the body if it only repeats fields of this object; absent without such a line. */
  readonly details?: string;
  /** The body with the whole request, in Markdown of an agent; absent: the body shows all of it. */
  readonly markdown?: string;
  /** The content as an HTML document, for channels that can show one; absent: texts only. */
  readonly page?: string;
  /** For channels that can write to people: the person it concerns; absent: no one in particular. */
  readonly recipient?: Recipient;
  /** Link to answer the session, for channels that show links; absent without one. */
  readonly replyLink?: ShownReplyLink;
  /** The request that can be decided in it, for channels that take decisions; absent without one. */
  readonly decidable?: DecidableRequest;
  /** Length of the turn, ms, if known. */
  readonly durationMs: number | null;
  /** How many steps and repetitions of the plan came before it; absent: none. */
  readonly escalation?: number;
  /** True if it is shown without sound or urgency, because the session's terminal has focus. */
  readonly quietly: boolean;
  /** The hook's environment, for channels that write to the session's terminal; never shown. */
  readonly facts: HookFacts;
  /** True if an earlier attempt may have arrived although its outcome was never recorded. */
  readonly possibleDuplicate: boolean;
}

/** A request whose agent waits for a decision from elsewhere. */
export interface DecidableRequest {
  readonly question: string;
  /** A decision carries it, so that it cannot reach another request. */
  readonly requestHash: string;
  /** What may be decided if the whole text is shown; without it only "deny". */
  readonly choices: readonly DecisionChoice[];
  /** The whole request, safe to show as it is; null: it cannot be shown here whole and unredacted. */
  readonly text: string | null;
  /** What the agent asks, if it asks questions and `text` is not null. */
  readonly asks: readonly AgentQuestion[];
}

export interface Origin {
  readonly user: string | null;
  readonly host: string;
}

/** "ada@devbox", or only the host. */
export function originText({ user, host }: Origin): string {
  return user === null ? host : `${user}@${host}`;
}

/** The length of a turn in words; null if it is unknown, or too short to say anything ("0 s"). */
export function turnLengthText(durationMs: number | null): string | null {
  return durationMs === null || durationMs < 1_000 ? null : durationText(durationMs);
}

/** The body for channels that show those fields separately. */
export function bodyWithoutDetails({
  body,
  details,
}: Pick<Notification, 'body' | 'details'>): string {
  const line = `\n${details}`;
  return details !== undefined && body.endsWith(line) ? body.slice(0, -line.length) : body;
}

/** The body with the whole request, if the channel shows that text whole. */
export function roomyBody(
  { body, details, markdown }: Pick<Notification, 'body' | 'details' | 'markdown'>,
  fits: (text: string) => boolean,
): string {
  if (markdown === undefined) return body;
  const whole = [plainFromMarkdown(markdown), ...(details === undefined ? [] : [details])].join(
    '\n',
  );
  return fits(whole) ? whole : body;
}

const DIGEST_LINES = 6;

/** Of a digest, the first line of each section after its heading; other bodies are unchanged. */
export function briefBody(kind: Kind, body: string): string {
  if (kind !== 'digest') return body;
  const lines = body.split(/\n{2,}/).map((section) => {
    const [heading = '', first] = section.split('\n');
    return first === undefined ? heading : `${sentenceCase(heading)}: ${first}`;
  });
  return lines.slice(0, DIGEST_LINES).join('\n');
}

function sentenceCase(heading: string): string {
  return heading.slice(0, 1) + heading.slice(1).toLowerCase();
}

export type TerminalLocation = Pick<Notification, 'agent' | 'facts' | 'at'>;

export function severityOf(event: Pick<HookEvent, 'kind' | 'failed'>): Severity {
  if (event.kind === 'turn.failed' || event.failed) return 'critical';
  const isToPerson = isWaiting(event.kind) || event.kind === 'message' || event.kind === 'notice';
  return isToPerson ? 'warning' : 'info';
}

/** A link to answer a session, once, on a page of this machine. Its token is not stored. */
export interface ReplyLink {
  /** SHA-256 of the token, in hex. */
  readonly tokenHash: string;
  /** The session and event it answers. */
  readonly eventId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** When the event was answered, through this link or another one; null: not answered. */
  readonly usedAt: number | null;
  /** `unknown`: it may have arrived. Null also while it is sent, or if the daemon ended then. */
  readonly outcome: 'sent' | 'unknown' | null;
}

export interface ReplyLinkStore {
  add(link: Pick<ReplyLink, 'tokenHash' | 'eventId' | 'createdAt' | 'expiresAt'>): Promise<void>;
  find(tokenHash: string): Promise<ReplyLink | null>;
  /** Claims the reply: true for exactly one caller per event; false for a used, expired or unknown link. */
  use(tokenHash: string, now: number): Promise<boolean>;
  /** Records the outcome of the answer; `refused` makes the links to the event usable again. */
  recordOutcome(
    tokenHash: string,
    outcome: 'sent' | 'unknown' | 'refused',
    now: number,
  ): Promise<void>;
}

/** The link in a notification. */
export interface ShownReplyLink {
  /** True if its page decides a request; absent: it sends text to the session. */
  readonly decides?: true;
  readonly url: string;
  /** The only machine where it opens, such as "devbox". */
  readonly machine: string;
  /** Validity, ms. */
  readonly forMs: number;
}

/** Shown beside the link: mails and Slack are also read on phones. */
export function replyLinkHint(machine: string, forMs: number): string {
  return `Opens only in a browser on the machine "${machine}", works once, for ${durationText(forMs)}.`;
}
