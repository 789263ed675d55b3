import { type AgentName, type HookEvent, type HookRecord, sessionKeyOf } from './hook-event.ts';

/**
 * Something found out without a hook: by a source that asks the vendor's service, or by hookbell itself. It belongs to no
 * session of an agent. (What a source finds out about a session is `SessionNews`.)
 */
export interface SourceEvent {
  /**
   * Globally unique, and the same whenever the same thing is found out again: so a crash between raising it and
   * remembering that makes no second ring.
   */
  readonly id: string;
  /**
   * `notice`: somebody has to act. `notice.over`: nobody has to any more, so the alert about the same thing ends; silent by
   * default. `digest`: a report. `activity`: good to know, and silent by default.
   */
  readonly kind: 'notice' | 'notice.over' | 'digest' | 'activity';
  /** Source and what it found, such as "budget.threshold": what routes match as `event`. */
  readonly event: string;
  /** What it is about, such as "budget/organization": a newer event about it takes the place of an older one. */
  readonly about: string;
  /** True where something failed or is used up: it rings as critical. */
  readonly failed: boolean;
  /** One line. */
  readonly headline: string;
  /** Below it; may hold line feeds. Empty: nothing. */
  readonly details: string;
  /** For programs, and for channels that show more than text: any JSON. */
  readonly payload: unknown;
}

/** Hands an event to the same decisions, history and channels as those of hooks. Rejects with StoreError. */
export type RaiseEvent = (event: SourceEvent) => Promise<void>;

/** The agent of such events: there is none. */
export const SERVICE = 'service';

/** The record that the store takes. @param at when it was found out, Unix ms */
export function sourceRecord(
  { about, headline, details, ...found }: SourceEvent,
  at: number,
): HookRecord {
  return foundRecord({
    ...found,
    at,
    finder: SERVICE,
    agent: SERVICE,
    sessionKey: `${SERVICE}:${about}`,
    sessionId: null,
    message: details === '' ? headline : `${headline}\n${details}`,
    title: null,
    subject: about,
  });
}

type FoundFields =
  | 'id'
  | 'at'
  | 'agent'
  | 'event'
  | 'kind'
  | 'sessionKey'
  | 'sessionId'
  | 'message'
  | 'failed'
  | 'title'
  | 'subject';

/** What is known of an event that was found out without a hook; the rest only a hook could have told. */
interface Found extends Pick<HookEvent, FoundFields> {
  /** Who finds things out: their ids are unique among themselves. */
  readonly finder: string;
  /** For programs, and for channels that show more than text: any JSON. */
  readonly payload: unknown;
}

/** The record of something that no hook told. The same thing found out again has the same id, so it counts once for ever. */
export function foundRecord({ finder, payload, ...found }: Found): HookRecord {
  const event: HookEvent = {
    ...found,
    machine: null,
    receivedAt: found.at,
    cwd: null,
    project: null,
    tool: null,
    asked: null,
    reason: null,
    notificationType: null,
    permissionMode: null,
    subagent: false,
    attended: null,
    source: null,
    transcriptPath: null,
    backgroundWork: false,
    duplicate: { key: JSON.stringify([finder, found.id]), windowMs: null },
    facts: {},
  };
  return { event, payload: new TextEncoder().encode(JSON.stringify(payload)) };
}

/**
 * What a source found out about a session: an event of that session's agent, as if a hook had told it. (What belongs to no
 * session is a `SourceEvent`.)
 */
export interface SessionEvent {
  /** As that of a `SourceEvent`: the same whenever the same thing is found out again. */
  readonly id: string;
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly kind: 'turn.done' | 'turn.failed' | 'prompt' | 'session.end';
  readonly event: `${typeof REMOTE}${string}`;
  readonly title: string | null;
  /** Null: the usual text of the kind. */
  readonly message: string | null;
  /** For programs: any JSON. */
  readonly payload: unknown;
}

/** Begins the names of such events, which tells them from those of hooks. */
export const REMOTE = 'remote.';

/** Hands it to the same decisions, history and channels as the events of hooks. Rejects with StoreError. */
export type RaiseSessionEvent = (news: SessionEvent) => Promise<void>;

/** The record that the store takes. @param at when it was found out, Unix ms */
export function sessionEventRecord(news: SessionEvent, at: number): HookRecord {
  return foundRecord({
    ...news,
    at,
    finder: REMOTE,
    sessionKey: sessionKeyOf(news.agent, news.sessionId, null),
    failed: news.kind === 'turn.failed',
    subject: null,
  });
}

/** What a source keeps from one run to the next and over restarts: one JSON document, never a secret. */
export interface SourceMemory {
  /** Null where there is none, or none that can be read. */
  read(): Promise<unknown>;
  /** In one step: it is never half there. */
  write(value: object): Promise<void>;
}

/** When a hook last told of a session. */
export interface LastHook {
  readonly agent: AgentName;
  /** Unix ms. */
  readonly at: number;
}

/** Where the last event of an agent came from; `doctor` shows it. */
export interface LastEvent extends LastHook {
  readonly event: string;
}
