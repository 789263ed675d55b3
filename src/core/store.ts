import type { Aging, Counts, Quarantined } from './store-aging.ts';
import type { Alert, Answered, Cancellation, RequestAnswer, Snooze } from './alert.ts';
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

/** What the decisions may know besides the event and the policy. */
export interface Memory {
  readonly session: Session | null;
  /** The live alert of the session, if any. */
  readonly alert: Alert | null;
  /** The event that opened it; null where there is none. */
  readonly question?: () => HookEvent | null;
  /** An earlier event with the same duplicate key, within its window. */
  readonly duplicateOf: string | null;
  readonly mutes: readonly Mute[];
  /** The session of the same agent in the same directory, with a prompt of its own, that was heard last. */
  readonly sibling?: () => Session | null;
  /** What each channel, and this session in it, was told lately. */
  readonly traffic: (channel: string) => Traffic;
}

/** What an event changes. Written in one transaction with the event itself. */
export interface Effects {
  /** The event as it is to be kept, where what came before changes what it means. */
  readonly event?: HookEvent;
  /** The session as it is now, or null where the event must not touch it. */
  readonly session: Session | null;
  /** Alerts opened or changed, as they are now. */
  readonly alerts: readonly Alert[];
  readonly decisions: readonly Decision[];
  /** How long the turn took that the event ended, ms; null where it ended none, or nobody saw it begin. */
  readonly turnMs: number | null;
  readonly deliveries: readonly NewDelivery[];
  /** Whether it waits to be relayed to another machine from now on. */
  readonly relay: boolean;
  readonly cancel: readonly Cancellation[];
  /** Requests that were answered before a person was needed. */
  readonly answered?: Answered;
  /** Alerts that are over: what was shown of them is taken back or changed where a channel can. */
  readonly withdraw: readonly { readonly alertId: string; readonly reason: string }[];
}

/** A session that is over although no event said so. */
export interface SessionEnd {
  readonly key: string;
  /** Its last event when that was found out: a newer one is a sign of life. */
  readonly lastEventId: string;
  readonly state: Extract<SessionState, 'done' | 'ended'>;
  readonly at: number;
  /** A sentence for people. */
  readonly reason: string;
  /** Channels that keep what they are owed. */
  readonly exceptChannels: readonly string[];
}

/** Something a channel has shown and that is over now. */
export interface Withdrawal {
  readonly delivery: Delivery;
  readonly ref: string;
  readonly event: HookEvent;
  readonly session: Session | null;
  /** Why it is over, for channels that show it. */
  readonly reason: string;
  /** True where a newer message of the same session was or will be sent to the channel. */
  readonly succeeded: boolean;
}

/** Pure and synchronous: it runs inside the store's transaction. */
export type Decide = (memory: Memory, event: HookEvent) => Effects;
export type Accepted = 'committed' | 'known';

/** A delivery with all that its notification is made of. */
export interface WholeDelivery {
  readonly delivery: Delivery;
  readonly event: HookEvent;
  readonly session: Session | null;
  /** The events it tells of besides its own, oldest first. */
  readonly also: readonly HookEvent[];
}

/** One that is handed to the worker. */
export interface ClaimedDelivery extends WholeDelivery {
  /** Proves the claim; a settlement with another fence is refused. */
  readonly fence: number;
}

export interface Settlement {
  readonly deliveryId: string;
  readonly fence: number;
  /** `pending`: it failed behind another of its session that is `retrying`, and waits for that one. */
  readonly state: DeliveryState;
  /** When it is due again; only with `retrying` and `pending`. */
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
 * Everything hookbell remembers. All methods are asynchronous although SQLite is not, so that a store on a
 * server can take its place; each is one transaction.
 *
 * Full disk, I/O error and damage reject with `StoreError`; nothing was written then.
 */
export interface Store extends ReplyLinkStore, RelayOutbox, Aging {
  /**
   * Commits events in their order: for each one not yet known, loads its memory, calls `decide`, and writes event and
   * effects, all in one transaction that is on disk when the promise resolves. Answers one verdict a record.
   */
  accept(records: readonly HookRecord[], decide: Decide): Promise<readonly Accepted[]>;

  /**
   * Claims up to `limit` due deliveries of `channel` until `now + leaseMs`: earliest due first, equal ones in the order
   * they were accepted. Those of one session to one channel never overtake each other: only the first `perSession` (1
   * where it is left out) of them are handed out, in their order, none before those claimed earlier are settled, and while
   * one is `retrying`, due or not, the others are held back. Stops once the messages take `maxBytes`. Those whose claim
   * ran out come on top of the limits.
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
   * cancelled during the attempt is `sent` if that succeeded, else `cancelled`, whatever state is asked for.
   */
  settle(settlement: Settlement): Promise<boolean>;
  /** Gives up a claim without an attempt: the delivery is due again at once. */
  release(deliveryId: string, fence: number): Promise<void>;
  /**
   * After a `claim` that was rejected: it may have been written all the same, as when a disk answers a commit with an
   * error. Gives up the claims of a channel that nobody knows of; nothing was sent under them.
   *
   * @param underWay ids of the deliveries whose claims are in use
   */
  releaseLost(channel: string, underWay: readonly string[]): Promise<void>;
  /** At start: claims left by a daemon that died become due again, marked as possible duplicates. */
  recoverClaims(now: number): Promise<number>;
  /**
   * The clock was set back: unsent deliveries that seem to be made in the future are due as long after `now` as they
   * were after their making, and none waits longer for its next attempt than any ever does. Answers how many were moved.
   */
  followClock(now: number): Promise<number>;
  /**
   * For each channel with deliveries in the outbox: when `claim` could next hand one out. A claimed one counts from the end of
   * its lease, one held back by another of its session not at all.
   */
  dueTimes(): Promise<ReadonlyMap<string, number>>;

  /** Decides what becomes of the held deliveries that are due, channel by channel. Answers how many were released. */
  fire(now: number, decide: DecideDue): Promise<number>;
  /**
   * What is held for this reason is to be decided upon again: the first step at once, a later one as long from now as its
   * plan wants it after the event, and nothing later than it is due anyway. Answers how many.
   */
  decideAgain(heldFor: HoldReason): Promise<number>;
  /** When the earliest held delivery or expiring alert is due, Unix ms; null: none. */
  nextTimer(): Promise<number | null>;
  /** The sessions of the held deliveries that are due: what has to be known before `fire` can decide. */
  dueSessions(now: number): Promise<readonly Session[]>;
  /** Live alerts whose time is over become `expired`: their unsent deliveries to people are cancelled. Answers how many. */
  expireAlerts(query: {
    readonly now: number;
    readonly exceptChannels: readonly string[];
  }): Promise<number>;
  /**
   * Open alerts become `acknowledged`: their unsent deliveries to people are cancelled, and a decision of their event
   * says by what. `of`: all, that of a session, or those a delivery tells of.
   */
  acknowledge(query: {
    readonly of: 'all' | { readonly sessionKey: string } | { readonly deliveryId: string };
    readonly by: string;
    readonly now: number;
    readonly exceptChannels: readonly string[];
  }): Promise<readonly Alert[]>;
  /** Keeps the live alert of a session quiet for a while. Returns the channels that notify again; null without an alert. */
  snooze(query: Snooze): Promise<readonly string[] | null>;
  /**
   * Ends a session: its live alert is resolved, what people were not told yet is cancelled and what they were shown is
   * withdrawn; the reason is a decision of its last event. False where it has had another event since, or is not known:
   * then nothing is written.
   */
  endSession(end: SessionEnd): Promise<boolean>;
  /** Requests of this machine that are open and name a transcript, newest first; of these sessions alone, where some are named. */
  openRequests(query: {
    readonly limit: number;
    readonly sessionKeys?: readonly string[];
  }): Promise<readonly HookEvent[]>;
  /**
   * Resolves the live alert of a request, as `endSession` does, while the session goes on. False where it has no such alert any
   * more: then nothing is written.
   */
  answerRequest(answer: RequestAnswer): Promise<boolean>;
  /** Live alerts, oldest first. */
  liveAlerts(): Promise<readonly Alert[]>;
  /** Those of these sessions, in any order. */
  liveAlertsOf(sessionKeys: readonly string[]): Promise<readonly Alert[]>;

  /** What a channel shows of live alerts, as far as nothing newer of the session took its place: the latest, oldest first. */
  standing(
    channel: string,
    limit: number,
  ): Promise<readonly (WholeDelivery & { readonly ref: string })[]>;
  /** What is to be taken back on a channel; each is handed out once. */
  takeWithdrawals(channel: string, limit: number): Promise<readonly Withdrawal[]>;

  /**
   * What it concerns and waits in the outbox, not tried yet, is decided upon again; channels that are excepted get what
   * they are owed.
   */
  addMute(mute: Mute, exceptChannels: readonly string[]): Promise<void>;
  /** What was held because of mutes is decided upon again. Answers how many mutes were removed. */
  removeMutes(ids: readonly string[] | 'all'): Promise<number>;
  /** Those that still hold. */
  mutes(now: number): Promise<readonly Mute[]>;

  channelStates(): Promise<readonly ChannelState[]>;
  saveChannelState(state: ChannelState): Promise<void>;

  history(query: HistoryQuery): Promise<readonly HistoryEntry[]>;
  follow(query: FollowQuery): Promise<FollowedHistory>;
  /** The ids that begin with this, in their order. */
  idsBeginning(table: IdTable, beginning: string, limit: number): Promise<readonly string[]>;
  /** The event with this id, with its payload; "last" is the newest of all. */
  event(id: string): Promise<(HistoryEntry & { readonly payload: Uint8Array }) | null>;
  /** Waiting sessions first, longest waiting on top; then the others, latest event first. */
  sessions(query: {
    readonly limit: number;
    readonly states?: readonly SessionState[];
  }): Promise<readonly Session[]>;
  /** The keys of the sessions with this id that run on other machines. */
  sessionsElsewhere(sessionId: string): Promise<readonly string[]>;
  /**
   * Changes what was found out about a session, by what is kept of it; without effect where the session is not known.
   * `change` is pure and synchronous, as it runs inside the transaction.
   */
  noteLookedUp(sessionKey: string, change: (before: LookedUp | null) => LookedUp): Promise<void>;
  /** In the order of their due times. */
  queue(query: {
    readonly limit: number;
    readonly states: readonly DeliveryState[];
  }): Promise<readonly Delivery[]>;
  /** Makes dead or cancelled deliveries due now, with all their attempts before them again. Answers how many. */
  retryDeliveries(ids: readonly string[] | 'all-dead', now: number): Promise<number>;
  /** Cancels unsent and dead deliveries with a reason. Answers how many. */
  dropDeliveries(ids: readonly string[] | 'all', reason: string): Promise<number>;
  /** Adds a decision to a committed event: what the rim decided later. */
  addDecision(eventId: string, decision: Decision): Promise<void>;
  counts(): Promise<Counts>;
  /** Looks for events without an end or a time: there must be none. */
  audit(now: number): Promise<Audit>;
  /** Over the events received from `from` (inclusive) to `to` (exclusive), Unix ms. */
  tally(query: { readonly from: number; readonly to: number }): Promise<UsageCounters>;
  /** Of each agent whose hook ever told of anything. */
  lastEvents(): Promise<readonly LastEvent[]>;
  /** When a hook last told of the session of this id, whichever agent's it is; null: none did. */
  lastHook(sessionId: string): Promise<LastHook | null>;

  addQuarantined(entry: Quarantined): Promise<void>;
  quarantined(limit: number): Promise<readonly Quarantined[]>;

  close(): Promise<void>;
}
