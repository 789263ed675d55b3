import type { Attempt, ChannelState, Delivery, DeliveryState, HoldReason } from './delivery.ts';
import type { DecideDue } from './due.ts';
import type { HookEvent } from './hook-event.ts';
import type { Session } from './session.ts';

export interface WholeDelivery {
  readonly delivery: Delivery;
  readonly event: HookEvent;
  readonly session: Session | null;
  /** Further events combined into it, oldest first. */
  readonly also: readonly HookEvent[];
}

export interface ClaimedDelivery extends WholeDelivery {
  /** Proves the claim; a record with another fence is refused. */
  readonly fence: number;
}

export interface EndedClaim {
  readonly deliveryId: string;
  readonly fence: number;
  /** `pending`: it failed after another of its session that is `retrying`, and waits for that one. */
  readonly state: DeliveryState;
  /** Next due time; only with `retrying` and `pending`. */
  readonly dueAt?: number;
  /** What is sent would not be seen now; only with `pending`. `next-step`: the plan's next step is due now as well. */
  readonly hidden?: 'hold' | 'next-step';
  readonly reason: string | null;
  readonly ref?: string;
  readonly carry?: string | null;
  readonly possibleDuplicate?: boolean;
  /** True for a failure that counts against `maxAttempts`. */
  readonly counts?: boolean;
  readonly attempt: Attempt;
}

/** A shown notification of an alert that was acknowledged or is over. */
export interface Withdrawal {
  readonly delivery: Delivery;
  /** Null: its delivery was given up, but an attempt without a confirmation may have arrived. */
  readonly ref: string | null;
  readonly event: HookEvent;
  readonly session: Session | null;
  readonly cause: 'acknowledged' | 'over';
  /** Who acknowledged the alert, or why it is over, for channels that show it. */
  readonly reason: string;
  /** True if a newer message of the same session was or will be sent to the channel. */
  readonly succeeded: boolean;
}

/** Deliveries that can be sent, and the state of their channels; for the worker. */
export interface Outbox {
  /**
   * Claims up to `limit` due deliveries of `channel` until `now + leaseMs`: earliest due first, equal ones in the order
   * they were accepted. Those of one session to one channel never overtake each other: only the first `perSession`
   * (default 1) of them are handed out, in their order, none before those claimed earlier have ended, and while one is
   * `retrying`, due or not, the others are held back. The first one of each session comes before the second of any. Stops
   * once the messages take `maxBytes`. Those with an expired claim are returned in addition to the limits.
   */
  claim(query: {
    readonly channel: string;
    readonly now: number;
    readonly leaseMs: number;
    readonly limit: number;
    readonly perSession?: number;
    readonly maxBytes?: number;
  }): Promise<readonly ClaimedDelivery[]>;
  /** How many of these messages may be sent now, across processes. Absent: there is no other. */
  readonly takeTokens?: (query: {
    readonly channel: string;
    readonly burst: number;
    /** 0: without a limit. */
    readonly refillMs: number;
    readonly wanted: number;
  }) => Promise<{
    readonly granted: number;
    /** Until there may be more, ms. */
    readonly waitMs: number;
  }>;
  /** False, and nothing is written, if the claim was lost. A cancelled one is `sent` or stays so. */
  recordAttempt(ended: EndedClaim): Promise<boolean>;
  /** Gives up a claim without an attempt: the delivery is due again immediately. */
  release(deliveryId: string, fence: number): Promise<void>;
  /** Gives up claims other than these deliveries': a `claim` that failed may be written. */
  releaseLost(channel: string, underWay: readonly string[]): Promise<void>;
  /** At start: claims left by a daemon that died become due again, marked as possible duplicates. */
  recoverClaims(now: number): Promise<number>;
  /** After the clock was set back: nothing is due later than it would be. Returns how many. */
  shiftForClock(now: number): Promise<number>;
  /** By channel, when `claim` could next hand one out; not one behind another of its session. */
  dueTimes(): Promise<ReadonlyMap<string, number>>;
  /** Makes deliveries that wait for a retry on this channel, or until they are seen, due now, except claimed ones. Returns how many. */
  retryNow(channel: string, now: number): Promise<number>;
  /** Counts time in which a daemon ran and deliveries waited: by it they age (`waitedMs`). */
  addAwakeTime(ms: number): Promise<void>;
  /** Makes dead letters of up to `limit` deliveries that waited this long. Returns how many. */
  giveUp(query: {
    readonly channel: string;
    readonly waitedMs: number;
    readonly reason: string;
    readonly limit: number;
  }): Promise<number>;
  channelStates(): Promise<readonly ChannelState[]>;
  saveChannelState(state: ChannelState): Promise<void>;
}

/** Deliveries that wait for a time or a condition before a new decision. */
export interface HeldDeliveries {
  /** Decides about the held deliveries that are due, channel by channel. Returns how many were released. */
  releaseDue(now: number, decide: DecideDue): Promise<number>;
  /** Decides again: the first step now, a later one after its planned delay. Returns how many. */
  reevaluateHeld(heldFor: HoldReason): Promise<number>;
  /** When the next held delivery or alert expiry is due, Unix ms; null without one. */
  nextTimer(): Promise<number | null>;
  /** The sessions of the held deliveries that are due, which are checked before `releaseDue` decides. */
  dueSessions(now: number): Promise<readonly Session[]>;
}

/** Deliveries as people see and change them. */
export interface DeliveryQueue {
  list(query: {
    readonly limit: number;
    readonly states: readonly DeliveryState[];
  }): Promise<readonly Delivery[]>;
  /** Makes dead or cancelled deliveries due now, with their attempts reset. Returns how many. */
  retry(ids: readonly string[] | 'all-dead', now: number): Promise<number>;
  /** Cancels unsent and dead deliveries with a reason. Returns how many. */
  drop(ids: readonly string[] | 'all', reason: string): Promise<number>;
}

/** Notifications that channels still show. */
export interface ShownNotifications {
  /** The latest notifications of live alerts that a channel still shows, oldest first. */
  displayed(
    channel: string,
    limit: number,
  ): Promise<readonly (WholeDelivery & { readonly ref: string })[]>;
  /** Notifications about these events that a channel shows: sent, and with its reference. */
  displayedOf(
    eventIds: readonly string[],
  ): Promise<readonly (WholeDelivery & { readonly ref: string })[]>;
  /** Notifications to withdraw on a channel, oldest first; each is returned until it is finished. */
  withdrawals(channel: string, limit: number): Promise<readonly Withdrawal[]>;
  /** Returns these no more, unless they were marked for another withdrawal meanwhile. */
  finishWithdrawals(done: readonly Withdrawal[]): Promise<void>;
}
