import { z } from 'zod';

import { type AgentName, type HookEvent, type HookRecord, sessionKeyOf } from './hook-event.ts';

/** A finding of a poller or of hookbell itself, which belongs to no agent's session. */
export interface SourceEvent {
  /** The same if the same thing is found again, so that it never notifies twice. */
  readonly id: string;
  /** `notice`: a person has to act. `notice.over`: no longer. `digest`: a report. Others: silent. */
  readonly kind: 'notice' | 'notice.over' | 'digest' | 'activity';
  /** Source and what it found, such as "budget.threshold": what routes match as `event`. */
  readonly event: string;
  /** Its subject, such as "budget/organization": a newer event about it replaces an older one. */
  readonly about: string;
  /** True if something failed or is used up: it notifies as critical. */
  readonly failed: boolean;
  readonly headline: string;
  /** The text below it; may contain line feeds or be empty. */
  readonly details: string;
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

/** A finding about a session: an event of its agent, as if a hook had reported it. */
export interface SessionEvent {
  readonly id: string;
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly kind: 'turn.done' | 'turn.failed' | 'prompt' | 'session.end';
  readonly event: `${typeof REMOTE}${string}`;
  readonly title: string | null;
  /** Null: the usual text of the kind. */
  readonly message: string | null;
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

export interface LastHook {
  readonly agent: AgentName;
  readonly at: number;
}

/** Origin of the last event of an agent; `doctor` shows it. */
export interface LastEvent extends LastHook {
  readonly event: string;
}

/** The event of a digest for one person. */
export const PERSONAL_DIGEST = 'digest.personal';
