import type { HookRecord } from './hook-event.ts';

/** What became of an event that waited to be relayed. */
export interface RelaySettlement {
  readonly eventId: string;
  /** Why the other machine did not take it; null: it did. */
  readonly refusal: string | null;
}

/** The part of the store that keeps what waits to be relayed to another machine. */
export interface RelayOutbox {
  /**
   * Events that wait to be relayed, in the order in which they were accepted: up to `limit`, fewer where their payloads have
   * more than `maxBytes` together, but at least one.
   */
  relayBatch(query: {
    readonly limit: number;
    readonly maxBytes: number;
  }): Promise<readonly HookRecord[]>;
  /** They do not wait to be relayed any more; a decision of the event says why where the other machine did not take it. */
  settleRelayed(settled: readonly RelaySettlement[]): Promise<void>;
  /**
   * Those older than `keepMs` (left out: all) are not relayed any more, for a reason that is kept with each. They age by the
   * time that `Aging.countElapsedTime` has counted, which a wrong year does not move. Returns how many.
   */
  giveUpRelaying(query: { readonly keepMs?: number; readonly reason: string }): Promise<number>;
  /** How many wait to be relayed, and since when the first of them was received, Unix ms. */
  relayBacklog(): Promise<{ readonly count: number; readonly since: number | null }>;
}
