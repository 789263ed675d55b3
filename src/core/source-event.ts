import { foundRecord } from './found-record.ts';
import type { HookRecord } from './hook-event.ts';

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
