import type { Decision } from './decision.ts';
import type { Attempt, Delivery } from './delivery.ts';
import type { AgentName, HookEvent, Kind } from './hook-event.ts';
import type { UsageCounters } from './metrics.ts';
import type { LastEvent, LastHook } from './source-event.ts';

/** One line of `hookbell history --json`. */
export interface HistoryEntry {
  readonly event: HookEvent;
  readonly sessionTitle: string | null;
  readonly decisions: readonly Decision[];
  /** Length of the turn that the event ended, ms; null if it ended none, or its start was not seen. */
  readonly turnMs: number | null;
  readonly deliveries: readonly (Delivery & {
    /** The event whose message contains this one as well; null for a separate message. */
    readonly sentWith: string | null;
    readonly log: readonly Attempt[];
  })[];
}

/** Filter of events: all given conditions must hold. */
export interface EventFilter {
  readonly sessionKeys?: readonly string[];
  readonly agent?: AgentName;
  /** Only events that are never sent: without deliveries, or with cancelled ones only. */
  readonly suppressed?: boolean;
  readonly project?: string;
  readonly kind?: Kind;
  /** Only events from this time on, Unix ms. */
  readonly since?: number;
  /** Only events with a message sent or, with `orWaiting`, still to be sent on a channel other than these. */
  readonly notified?: { readonly exceptChannels: readonly string[]; readonly orWaiting: boolean };
}

export interface HistoryQuery extends EventFilter {
  readonly limit: number;
  readonly before?: string;
}

export interface FollowQuery extends EventFilter {
  readonly limit: number;
  /** Where to start: at the newest event, after this event (its id), or at an earlier answer's end. */
  readonly from: 'newest' | { readonly event: string } | { readonly cursor: string };
}

export interface FollowedHistory {
  /** Oldest first. */
  readonly entries: readonly HistoryEntry[];
  readonly cursor: string;
}

/** An event or a type of notification, as an agent calls it, and how often it came. */
export interface ReceivedWord {
  readonly agent: AgentName;
  readonly event: string;
  readonly notificationType: string | null;
  readonly count: number;
}

/** Waits of one agent on this machine that were seen in the same way. */
export interface WaitsSeen {
  readonly agent: AgentName;
  /** `record`: no hook ran. `late`: it ran after the record had shown the wait; these are among those of the record. */
  readonly by: 'hook' | 'record' | 'late';
  /** The agent's version and its word for where it runs; null for what the record has not shown: hooks do not say. */
  readonly version: string | null;
  readonly surface: string | null;
  readonly count: number;
  /** From the wait, as the record dates it, until hookbell knew of it: the median, ms; null without a record. */
  readonly afterMs: number | null;
}

/** The queue is the deliveries that are not sent. */
export type IdTable = 'events' | 'deliveries' | 'queue' | 'mutes';

/** The events of the store, for reading. */
export interface HistoryStore {
  list(query: HistoryQuery): Promise<readonly HistoryEntry[]>;
  follow(query: FollowQuery): Promise<FollowedHistory>;
  /** With its payload; "last" is the newest. */
  event(id: string): Promise<(HistoryEntry & { readonly payload: Uint8Array }) | null>;
  idsBeginning(table: IdTable, beginning: string, limit: number): Promise<readonly string[]>;
  /** The last event of each agent whose hook ever ran. */
  lastEvents(): Promise<readonly LastEvent[]>;
  /** When a hook last reported the session with this id, of any agent; null: never. */
  lastHook(sessionId: string): Promise<LastHook | null>;
  /** At most 1,000 names, the most frequent first, of the latest 50,000 events since then. */
  words(since: number): Promise<readonly ReceivedWord[]>;
  /** How waits received since then, Unix ms, were seen: of the latest 20,000. */
  waitsSeen(since: number): Promise<readonly WaitsSeen[]>;
  /** Over the events received from `from` (inclusive) to `to` (exclusive), Unix ms. */
  usage(query: { readonly from: number; readonly to: number }): Promise<UsageCounters>;
}

/**
 * Problems that the self-check looks for:
 *
 * - `undecided`: an event without a delivery and without a decision that gives the reason
 * - `without payload`: an event whose payload is gone
 * - `late`: a delivery that was due long ago although its channel can send
 * - `abandoned`: a delivery still marked as being sent long after its attempt must have ended
 * - `unexplained`: a delivery that was given up or cancelled without a reason
 * - `unfinished`: an alert that should have expired long ago
 */
export type SelfCheckProblem =
  | 'undecided'
  | 'without payload'
  | 'late'
  | 'abandoned'
  | 'unexplained'
  | 'unfinished';

export interface SelfCheckFinding {
  readonly problem: SelfCheckProblem;
  readonly count: number;
  /** Ids of the first of them: of events, or of the events of deliveries and alerts. */
  readonly eventIds: readonly string[];
}

export interface SelfCheck {
  readonly events: number;
  readonly findings: readonly SelfCheckFinding[];
}
