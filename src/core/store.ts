import type { Aging, Counts, Quarantined } from './store-aging.ts';
import type { Alert, Answered, Cancellation, Snooze } from './alert.ts';
import type { Audit } from './audit.ts';
import type { Decision } from './decision.ts';
import type {
  Attempt,
  ChannelState,
  Delivery,
  DeliveryState,
  HoldReason,
  NewDelivery,
} from './delivery.ts';
import type {
  FollowedHistory,
  FollowQuery,
  HistoryEntry,
  HistoryQuery,
  IdTable,
} from './history.ts';
import type { HookEvent, HookRecord } from './hook-event.ts';
import type { LastEvent, LastHook } from './source-event.ts';
import type { LookedUp } from './looked-up.ts';
import type { Mute } from './policy.ts';
import type { RelayOutbox } from './relay.ts';
import type { ReplyLinkStore } from './reply-link.ts';
import type { Session, SessionState } from './session.ts';
import type { UsageCounters } from './metrics.ts';
import type { DecideDue, Traffic } from './due.ts';
import type { TranscriptStore } from './transcript-store.ts';

/** The stored state that the decisions may use. */
export interface Memory {
  readonly session: Session | null;
  /** The live alert of the session, if any. */
  readonly alert: Alert | null;
  /** The event that opened it; null without an alert. */
  readonly question?: () => HookEvent | null;
  /** An earlier event with the same duplicate key, within its window. */
  readonly duplicateOf: string | null;
  readonly mutes: readonly Mute[];
  /** The session of the same agent in the same directory that was prompted and had the latest event. */
  readonly sibling?: () => Session | null;
  /** Recent traffic of each channel, and of this session in it. */
  readonly traffic: (channel: string) => Traffic;
}

/** The changes of an event, written in one transaction with it. */
export interface Effects {
  /** The event to store, with its meaning refined by earlier events. */
  readonly event?: HookEvent;
  /** The session after the event; null: unchanged. */
  readonly session: Session | null;
  /** Alerts opened or changed by the event. */
  readonly alerts: readonly Alert[];
  readonly decisions: readonly Decision[];
  /** Length of the turn that the event ended, ms; null if it ended none, or its start was not seen. */
  readonly turnMs: number | null;
  readonly deliveries: readonly NewDelivery[];
  /** Whether the event is queued for the relay to another machine. */
  readonly relay: boolean;
  readonly cancel: readonly Cancellation[];
  /** Requests that were answered before a person was needed. */
  readonly answered?: Answered;
  /** Closed alerts: their notifications are withdrawn or updated where a channel can. */
  readonly withdraw: readonly { readonly alertId: string; readonly reason: string }[];
}

/** A session that ended without an event. */
export interface SessionEnd {
  readonly key: string;
  /** Its last event when its end was detected: a newer one is a sign of life. */
  readonly lastEventId: string;
  readonly state: Extract<SessionState, 'done' | 'ended'>;
  readonly at: number;
  /** A sentence for people. */
  readonly reason: string;
  /** Channels that still get their deliveries. */
  readonly exceptChannels: readonly string[];
}

/** A shown notification of a closed alert. */
export interface Withdrawal {
  readonly delivery: Delivery;
  readonly ref: string;
  readonly event: HookEvent;
  readonly session: Session | null;
  /** Why the alert is over, for channels that show it. */
  readonly reason: string;
  /** True if a newer message of the same session was or will be sent to the channel. */
  readonly succeeded: boolean;
}

/** Pure and synchronous: it runs inside the store's transaction. */
export type Decide = (memory: Memory, event: HookEvent) => Effects;
export type Accepted = 'committed' | 'known';

/** A delivery with everything its notification needs. */
export interface WholeDelivery {
  readonly delivery: Delivery;
  readonly event: HookEvent;
  readonly session: Session | null;
  /** Further events combined into it, oldest first. */
  readonly also: readonly HookEvent[];
}

/** A delivery handed to the worker. */
export interface ClaimedDelivery extends WholeDelivery {
  /** Proves the claim; a settlement with another fence is refused. */
  readonly fence: number;
}

export interface Settlement {
  readonly deliveryId: string;
  readonly fence: number;
  /** `pending`: it failed after another of its session that is `retrying`, and waits for that one. */
  readonly state: DeliveryState;
  /** Next due time; only with `retrying` and `pending`. */
  readonly dueAt?: number;
  readonly reason: string | null;
  readonly ref?: string;
  readonly carry?: string | null;
  readonly possibleDuplicate?: boolean;
  /** True for a failure that counts against `maxAttempts`. */
  readonly counts?: boolean;
  readonly attempt: Attempt;
}

/**
 * The state of hookbell. All methods are asynchronous although SQLite is not, so that a store on a server can take its
 * place; each is one transaction.
 *
 * A full disk, an I/O error or damage rejects with `StoreError`, and nothing is written.
 */
export interface Store extends ReplyLinkStore, RelayOutbox, Aging, TranscriptStore {
  /**
   * Commits events in their order: for each one not yet known, loads its memory, calls `decide`, and writes event and
   * effects, all in one transaction that is on disk when the promise resolves. Returns one verdict per record.
   */
  accept(records: readonly HookRecord[], decide: Decide): Promise<readonly Accepted[]>;

  /**
   * Claims up to `limit` due deliveries of `channel` until `now + leaseMs`: earliest due first, equal ones in the order
   * they were accepted. Those of one session to one channel never overtake each other: only the first `perSession`
   * (default 1) of them are handed out, in their order, none before those claimed earlier are settled, and while one is
   * `retrying`, due or not, the others are held back. Stops once the messages take `maxBytes`. Those with an expired
   * claim are returned in addition to the limits.
   */
  claim(query: {
    readonly channel: string;
    readonly now: number;
    readonly leaseMs: number;
    readonly limit: number;
    readonly perSession?: number;
    readonly maxBytes?: number;
  }): Promise<readonly ClaimedDelivery[]>;
  /**
   * Records the end of an attempt. False if the claim was lost meanwhile: then nothing is written. A delivery that was
   * cancelled during the attempt is `sent` if that succeeded, otherwise `cancelled`, whatever state is given.
   */
  settle(settlement: Settlement): Promise<boolean>;
  /** Gives up a claim without an attempt: the delivery is due again immediately. */
  release(deliveryId: string, fence: number): Promise<void>;
  /**
   * Gives up claims of a channel that its worker does not know, after a rejected `claim`, which may have been written
   * anyway, as when the disk fails a commit. Nothing was sent under them.
   *
   * @param underWay ids of the deliveries whose claims are in use
   */
  releaseLost(channel: string, underWay: readonly string[]): Promise<void>;
  /** At start: claims left by a daemon that died become due again, marked as possible duplicates. */
  recoverClaims(now: number): Promise<number>;
  /**
   * The clock was set back: unsent deliveries that seem to be made in the future are due as long after `now` as they
   * were after their making, and no retry is later than the longest backoff. Returns how many were moved.
   */
  followClock(now: number): Promise<number>;
  /**
   * For each channel with deliveries in the outbox: when `claim` could next hand one out. A claimed one counts from the
   * end of its lease; one held back by another of its session does not count.
   */
  dueTimes(): Promise<ReadonlyMap<string, number>>;

  /** Decides about the held deliveries that are due, channel by channel. Returns how many were released. */
  fire(now: number, decide: DecideDue): Promise<number>;
  /**
   * Reschedules deliveries held for this reason for a new decision: the first step immediately, a later one after its
   * planned delay from now, and none later than already due. Returns how many.
   */
  decideAgain(heldFor: HoldReason): Promise<number>;
  /** When the next held delivery or alert expiry is due, Unix ms; null without one. */
  nextTimer(): Promise<number | null>;
  /** The sessions of the held deliveries that are due, which are checked before `fire` decides. */
  dueSessions(now: number): Promise<readonly Session[]>;
  /**
   * Live alerts whose time is over become `expired`: their unsent deliveries to people are cancelled. Returns how many.
   */
  expireAlerts(query: {
    readonly now: number;
    readonly exceptChannels: readonly string[];
  }): Promise<number>;
  /**
   * Open alerts become `acknowledged`: their unsent deliveries to people are cancelled, and a decision of their event
   * records by what. `of`: all, that of a session, or those of a delivery.
   */
  acknowledge(query: {
    readonly of: 'all' | { readonly sessionKey: string } | { readonly deliveryId: string };
    readonly by: string;
    readonly now: number;
    readonly exceptChannels: readonly string[];
  }): Promise<readonly Alert[]>;
  /** Snoozes the live alert of a session. Returns the channels that notify again; null without an alert. */
  snooze(query: Snooze): Promise<readonly string[] | null>;
  /**
   * Ends a session: its live alert is resolved, its unsent deliveries to people are cancelled and its notifications
   * withdrawn; the reason is a decision of its last event. False if it has had another event since, or is unknown: then
   * nothing is written.
   */
  endSession(end: SessionEnd): Promise<boolean>;
  /** Live alerts, oldest first. */
  liveAlerts(): Promise<readonly Alert[]>;
  /** Live alerts of these sessions, unordered. */
  liveAlertsOf(sessionKeys: readonly string[]): Promise<readonly Alert[]>;

  /**
   * Notifications of live alerts that a channel still shows, not replaced by a newer one of the session: the latest,
   * oldest first.
   */
  standing(
    channel: string,
    limit: number,
  ): Promise<readonly (WholeDelivery & { readonly ref: string })[]>;
  /** Notifications to withdraw on a channel; each is returned once. */
  takeWithdrawals(channel: string, limit: number): Promise<readonly Withdrawal[]>;

  /**
   * Matching deliveries in the outbox without an attempt are decided again; excepted channels still get their
   * deliveries.
   */
  addMute(mute: Mute, exceptChannels: readonly string[]): Promise<void>;
  /** Deliveries held by mutes are decided again. Returns how many mutes were removed. */
  removeMutes(ids: readonly string[] | 'all'): Promise<number>;
  /** The active mutes. */
  mutes(now: number): Promise<readonly Mute[]>;

  channelStates(): Promise<readonly ChannelState[]>;
  saveChannelState(state: ChannelState): Promise<void>;

  history(query: HistoryQuery): Promise<readonly HistoryEntry[]>;
  follow(query: FollowQuery): Promise<FollowedHistory>;
  /** The ids with this prefix, in order. */
  idsBeginning(table: IdTable, beginning: string, limit: number): Promise<readonly string[]>;
  /** The event with this id and its payload; "last" is the newest. */
  event(id: string): Promise<(HistoryEntry & { readonly payload: Uint8Array }) | null>;
  /** Waiting sessions first, longest waiting on top; then the others, latest event first. */
  sessions(query: {
    readonly limit: number;
    readonly states?: readonly SessionState[];
  }): Promise<readonly Session[]>;
  /** The keys of the sessions with this id that run on other machines. */
  sessionsElsewhere(sessionId: string): Promise<readonly string[]>;
  /**
   * Changes the looked-up details of a session, given the stored ones; has no effect on an unknown session. `change` is
   * pure and synchronous, because it runs inside the transaction.
   */
  noteLookedUp(sessionKey: string, change: (before: LookedUp | null) => LookedUp): Promise<void>;
  /** In order of due time. */
  queue(query: {
    readonly limit: number;
    readonly states: readonly DeliveryState[];
  }): Promise<readonly Delivery[]>;
  /** Makes dead or cancelled deliveries due now, with their attempts reset. Returns how many. */
  retryDeliveries(ids: readonly string[] | 'all-dead', now: number): Promise<number>;
  /** Cancels unsent and dead deliveries with a reason. Returns how many. */
  dropDeliveries(ids: readonly string[] | 'all', reason: string): Promise<number>;
  /** Adds a later decision to a committed event. */
  addDecision(eventId: string, decision: Decision): Promise<void>;
  counts(): Promise<Counts>;
  /** Finds events that are neither finished nor scheduled, which must not exist. */
  audit(now: number): Promise<Audit>;
  /** Over the events received from `from` (inclusive) to `to` (exclusive), Unix ms. */
  tally(query: { readonly from: number; readonly to: number }): Promise<UsageCounters>;
  /** The last event of each agent whose hook ever ran. */
  lastEvents(): Promise<readonly LastEvent[]>;
  /** When a hook last reported the session with this id, of any agent; null: never. */
  lastHook(sessionId: string): Promise<LastHook | null>;

  addQuarantined(entry: Quarantined): Promise<void>;
  quarantined(limit: number): Promise<readonly Quarantined[]>;

  close(): Promise<void>;
}
