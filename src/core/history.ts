import type { Decision } from './decision.ts';
import type { Attempt, Delivery } from './delivery.ts';
import type { AgentName, HookEvent, Kind } from './hook-event.ts';

/** One line of `hookbell history --json`. */
export interface HistoryEntry {
  readonly event: HookEvent;
  readonly sessionTitle: string | null;
  readonly decisions: readonly Decision[];
  /** How long the turn took that the event ended, ms; null where it ended none, or nobody saw it begin. */
  readonly turnMs: number | null;
  readonly deliveries: readonly (Delivery & {
    /** The event whose message contains this one as well; null for a message of its own. */
    readonly sentWith: string | null;
    readonly log: readonly Attempt[];
  })[];
}

/** Which events are wanted: all given conditions must hold. */
export interface EventFilter {
  /** Only events of these sessions. */
  readonly sessionKeys?: readonly string[];
  readonly agent?: AgentName;
  /** Only events that nobody was or will be told of: without deliveries, or with cancelled ones only. */
  readonly suppressed?: boolean;
  readonly project?: string;
  readonly kind?: Kind;
  /** Only events from this time on, Unix ms. */
  readonly since?: number;
  /** Only events of which a message was sent, on any other channel than these; or, with `orWaiting`, is still to be sent. */
  readonly notified?: { readonly exceptChannels: readonly string[]; readonly orWaiting: boolean };
}

export interface HistoryQuery extends EventFilter {
  readonly limit: number;
  /** Only events older than this one (its id). */
  readonly before?: string;
}

export interface FollowQuery extends EventFilter {
  readonly limit: number;
  /** Where to begin: with the newest, behind this event (its id), or where an earlier answer ended. */
  readonly from: 'newest' | { readonly event: string } | { readonly cursor: string };
}

export interface FollowedHistory {
  /** Oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** Behind the last of them, and behind all that the query passed over. */
  readonly cursor: string;
}

/** Where ids are looked up by their beginning. The queue is the deliveries that are not sent. */
export type IdTable = 'events' | 'deliveries' | 'queue' | 'mutes';
