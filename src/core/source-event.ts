import { z } from 'zod';

import { type AgentName, type HookEvent, type HookRecord, sessionKeyOf } from './hook-event.ts';

/**
 * A finding without a hook: by a source that asks the vendor's service, or by hookbell itself. It does not belong to an
 * agent's session. (Findings about a session are events of that session: vendor/pollers/session-events.ts.)
 */
export interface SourceEvent {
  /**
   * Globally unique, and the same if the same thing is found again, so that a crash between raising and recording it
   * does not notify twice.
   */
  readonly id: string;
  /**
   * `notice`: a person has to act. `notice.over`: action is no longer needed, so the alert about the same thing ends;
   * silent by default. `digest`: a report. `activity`: good to know, and silent by default.
   */
  readonly kind: 'notice' | 'notice.over' | 'digest' | 'activity';
  /** Source and what it found, such as "budget.threshold": what routes match as `event`. */
  readonly event: string;
  /** Its subject, such as "budget/organization": a newer event about it replaces an older one. */
  readonly about: string;
  /** True if something failed or is used up: it notifies as critical. */
  readonly failed: boolean;
  /** One line. */
  readonly headline: string;
  /** The text below it; may contain line feeds or be empty. */
  readonly details: string;
  /** For programs, and for channels that show more than text: any JSON. */
  readonly payload: unknown;
}

/** Submits an event to the same decisions, history and channels as those of hooks. Rejects with StoreError. */
export type RaiseEvent = (event: SourceEvent) => Promise<void>;

/** Stands for the agent in such events. */
export const SERVICE = 'service';

/** The record for the store. @param at when it was found, Unix ms */
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
    ...ownerIn(found.payload),
  });
}

const concernsSchema = z.object({ concerns: z.object({ email: z.string().min(1) }) });

/** At a hub, a finding about one person goes to that person. */
function ownerIn(payload: unknown): Pick<HookEvent, 'owner'> {
  const { data } = concernsSchema.safeParse(payload);
  if (data === undefined) return {};
  return { owner: { person: data.concerns.email.toLowerCase(), team: null } };
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

/** The fields of an event without a hook; only a hook can provide the rest. */
interface Found extends Pick<HookEvent, FoundFields | 'owner'> {
  /** The source; its ids are unique within it. */
  readonly finder: string;
  /** For programs, and for channels that show more than text: any JSON. */
  readonly payload: unknown;
}

/** The record of a finding without a hook. The same finding always has the same id, so it counts only once. */
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
 * A source's finding about a session: an event of that session's agent, as if a hook had reported it. (A finding
 * without a session is a `SourceEvent`.)
 */
export interface SessionEvent {
  /** As in a `SourceEvent`: the same if the same thing is found again. */
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

/** Prefix of the names of such events, which distinguishes them from those of hooks. */
export const REMOTE = 'remote.';

/** Submits it to the same decisions, history and channels as the events of hooks. Rejects with StoreError. */
export type RaiseSessionEvent = (found: SessionEvent) => Promise<void>;

/** The record for the store. @param at when it was found, Unix ms */
export function sessionEventRecord(found: SessionEvent, at: number): HookRecord {
  return foundRecord({
    ...found,
    at,
    finder: REMOTE,
    sessionKey: sessionKeyOf(found.agent, found.sessionId, null),
    failed: found.kind === 'turn.failed',
    subject: null,
  });
}

/** State that a source keeps between runs and over restarts: one JSON document, never a secret. */
export interface PollerMemory {
  /** Null if it is missing or unreadable. */
  read(): Promise<unknown>;
  /** Atomic: it is never partly written. */
  write(value: object): Promise<void>;
}

/** When a hook last reported a session. */
export interface LastHook {
  readonly agent: AgentName;
  /** Unix ms. */
  readonly at: number;
}

/** Origin of the last event of an agent; `doctor` shows it. */
export interface LastEvent extends LastHook {
  readonly event: string;
}

/** The event of a digest for one person. */
export const PERSONAL_DIGEST = 'digest.personal';
