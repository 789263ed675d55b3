import type { Alert, AlertStore, Answered, Cancellation } from './alert.ts';
import type { Decision } from './decision.ts';
import type { NewDelivery } from './delivery.ts';
import type { Traffic } from './due.ts';
import type { HistoryStore } from './history.ts';
import type { HookEvent, HookRecord } from './hook-event.ts';
import type { DeliveryQueue, HeldDeliveries, Outbox, ShownNotifications } from './outbox.ts';
import type { Mute, MuteStore } from './policy.ts';
import type { RelayOutbox } from './relay.ts';
import type { QuestionStore } from './question.ts';
import type { ReplyLinkStore } from './notification.ts';
import type { Session, SessionStore } from './session.ts';
import type { QuarantineStore, Upkeep } from './store-aging.ts';
import type { OpenWait, WaitChange, WaitStore } from './waiting.ts';

export interface Memory {
  readonly session: Session | null;
  readonly alert: Alert | null;
  /** The event that opened it; null without an alert. */
  readonly question?: () => HookEvent | null;
  /** The latest closed alert of the session about this subject. */
  readonly earlier?: (subject: string) => Alert | null;
  /** An earlier event with the same duplicate key, within its window. */
  readonly duplicateOf: string | null;
  readonly mutes: readonly Mute[];
  /** The session of the same agent in the same directory that was prompted and had the latest event. */
  readonly sibling?: () => Session | null;
  /** Sessions of the same agent and machine that a usage limit stopped, and when one of them last ended a turn. */
  readonly limits?: () => LimitMemory;
  /** Recent traffic of each channel to this recipient, and of this session in it. */
  readonly traffic: (channel: string, recipient: string | null) => Traffic;
  /** The open wait of the session; null without one. Left out: waiting time is not tracked. */
  readonly wait?: () => OpenWait | null;
}

export interface LimitMemory {
  readonly sessions: readonly Session[];
  /** Unix ms; null: not known. */
  readonly succeededAt: number | null;
}

/** The changes of an event, written in one transaction with it. */
export interface Effects {
  /** The event to store, with its meaning refined by earlier events. */
  readonly event?: HookEvent;
  readonly session: Session | null;
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
  /** The change of the session's waits; null: none. */
  readonly wait?: WaitChange | null;
  /** Closed alerts: their notifications are withdrawn or updated where a channel can. */
  readonly withdraw: readonly { readonly alertId: string; readonly reason: string }[];
}

/** Pure and synchronous: it runs inside the store's transaction. */
export type Decide = (memory: Memory, event: HookEvent) => Effects;

/** How events that no hook of this machine has sent are committed: like those of hooks. */
export interface EventSink {
  readonly decide: Decide;
  /** Redacts secrets. */
  readonly prepare: (record: HookRecord) => HookRecord;
  readonly onCommitted: () => void;
}
/** `revoked`: the machine of the event may no longer send any, and nothing was stored. */
export type Accepted = 'committed' | 'known' | 'revoked';

export interface EventStore {
  /** In their order: each unknown event is decided and written, and all are on disk on return. */
  accept(records: readonly HookRecord[], decide: Decide): Promise<readonly Accepted[]>;
  addDecision(eventId: string, decision: Decision): Promise<void>;
}

/**
 * The state of hookbell, by family; a part takes only the families it uses. All methods are asynchronous although SQLite
 * is not, so that a store on a server can take its place; each is one transaction.
 *
 * A full disk, an I/O error or damage rejects with `StoreError`, and nothing is written.
 */
export interface Store {
  readonly events: EventStore;
  readonly alerts: AlertStore;
  readonly sessions: SessionStore;
  readonly history: HistoryStore;
  readonly outbox: Outbox;
  readonly held: HeldDeliveries;
  readonly queue: DeliveryQueue;
  readonly shown: ShownNotifications;
  readonly mutes: MuteStore;
  readonly relay: RelayOutbox;
  readonly replyLinks: ReplyLinkStore;
  readonly questions: QuestionStore;
  readonly quarantine: QuarantineStore;
  readonly waits: WaitStore;
  readonly upkeep: Upkeep;
  close(): Promise<void>;
}
