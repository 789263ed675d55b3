import type { Decision } from './decision.ts';
import type { Attempt, Delivery } from './delivery.ts';
import type { AgentName, HookEvent } from './hook-event.ts';

/** One line of `hookbell history --json`. */
export interface HistoryEntry {
  readonly event: HookEvent;
  readonly sessionTitle: string | null;
  readonly decisions: readonly Decision[];
  /** How long the turn took that the event ended, ms; null where it ended none, or nobody saw it begin. */
  readonly turnMs: number | null;
  readonly deliveries: readonly (Delivery & { readonly log: readonly Attempt[] })[];
}

export interface HistoryQuery {
  readonly limit: number;
  /** Only events older than this one (its id). */
  readonly before?: string;
  /** Only events of these sessions. */
  readonly sessionKeys?: readonly string[];
  readonly agent?: AgentName;
  /** Only events that nobody was or will be told of: without deliveries, or with cancelled ones only. */
  readonly suppressed?: boolean;
}
