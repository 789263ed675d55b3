import { foundRecord } from './found-record.ts';
import type { AgentName, HookRecord } from './hook-event.ts';
import { sessionKeyOf } from './hook-event.ts';

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
