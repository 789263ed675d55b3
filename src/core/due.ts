import type { Alert } from './alert.ts';
import type { Decision } from './decision.ts';
import type { Delivery, HoldReason } from './delivery.ts';
import { type HookEvent, isWaiting, type Kind } from './hook-event.ts';
import type { Mute } from './policy.ts';
import type { Session } from './session.ts';

/** The messages that count: those that say that a session waits for a person, the others, or all. */
export type Counted = 'waits' | 'news' | 'all';

export function isOfTraffic(kind: Kind, counted: Counted): boolean {
  return counted === 'all' || isWaiting(kind) === (counted === 'waits');
}

/** Recent traffic of a channel, without held deliveries; of a personal channel, only what went to one recipient. */
export interface Traffic {
  /**
   * When the latest message (1), the one before it (2) and so on went into the outbox of this channel, Unix ms; null
   * when there were fewer within the last hour.
   */
  readonly channel: (nth: number, counted: Counted) => number | null;
  /** As `channel`, for this session only. */
  readonly session: (nth: number, counted: Counted) => number | null;
  /** Until when the channel is unavailable, because it requested a pause or is broken, Unix ms; 0: it is available. */
  readonly pausedUntil: () => number;
}

export const noTraffic: Traffic = {
  channel: () => null,
  session: () => null,
  pausedUntil: () => 0,
};

export interface DueDelivery {
  readonly delivery: Delivery;
  readonly event: HookEvent;
  readonly session: Session | null;
  readonly alert: Alert | null;
  /** Other due deliveries of the alert, as after a suspension: later steps and repetitions. */
  readonly laterDue: readonly LaterDue[];
}

export type LaterDue = Pick<
  Delivery,
  'channel' | 'recipient' | 'step' | 'repetition' | 'delayMs' | 'condition'
>;

/** Goes into the outbox. */
export interface Release {
  readonly type: 'release';
  readonly quietly: boolean;
  /** Set if it is sent as the turn of a session that still runs. */
  readonly stillRunning?: true;
  readonly decision: Decision | null;
}

/** Whether a session runs according to the vendor's service; `unknown` without an answer. */
export type Running = 'yes' | 'no' | 'unknown';

/** The answer by session key; null if the service was not asked yet. */
export type RunningOf = (sessionKey: string) => Running | null;

/** Whether a message may be sent: now, not yet, or not at all. */
export type GateResult =
  | Release
  | {
      readonly type: 'hold';
      readonly heldFor: HoldReason;
      /** Unix ms. */
      readonly until: number;
      readonly decision: Decision;
    }
  | { readonly type: 'cancel'; readonly decision: Decision };

export type DueResult =
  | GateResult
  /** Combined into the delivery with this id, which is released in the same round. */
  | { readonly type: 'join'; readonly carrier: string; readonly decision: Decision };

export interface DueMemory {
  /** Due held deliveries of one channel, oldest first. */
  readonly due: readonly DueDelivery[];
  readonly traffic: (due: DueDelivery) => Traffic;
  readonly mutes: readonly Mute[];
}

/** Returns one result per due delivery, in order. Pure: it runs inside a transaction. */
export type DecideDue = (memory: DueMemory) => readonly DueResult[];
