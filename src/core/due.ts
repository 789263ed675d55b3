import type { Alert } from './alert.ts';
import type { Decision } from './decision.ts';
import type { Delivery, HoldReason } from './delivery.ts';
import type { HookEvent } from './hook-event.ts';
import type { Mute } from './policy.ts';
import type { Session } from './session.ts';

/** What a channel was given lately; what is held back does not count. */
export interface Traffic {
  /**
   * When the latest message (1), the one before it (2) and so on went into the outbox of this channel, Unix ms; null
   * when there were fewer within the last hour.
   */
  readonly channel: (nth: number) => number | null;
  /** The same, of this session only. */
  readonly session: (nth: number) => number | null;
  /** Until when the channel takes nothing, since it asked for a pause or is out of order, Unix ms; 0: it takes all. */
  readonly pausedUntil: () => number;
}

/** The traffic of these times, Unix ms, the oldest first. */
export function trafficAt(
  channel: readonly number[],
  session: readonly number[],
  pausedUntil = 0,
): Traffic {
  return {
    channel: (nth) => channel.at(-nth) ?? null,
    session: (nth) => session.at(-nth) ?? null,
    pausedUntil: () => pausedUntil,
  };
}

export const noTraffic: Traffic = trafficAt([], []);

/** A held delivery that is due: somebody has to decide what becomes of it. */
export interface DueDelivery {
  readonly delivery: Delivery;
  readonly event: HookEvent;
  readonly session: Session | null;
  readonly alert: Alert | null;
  /** What is due as well of the same alert, as after a suspension: later steps, and later times of the same step. */
  readonly laterDue: readonly LaterDue[];
}

export type LaterDue = Pick<Delivery, 'channel' | 'step' | 'repetition' | 'delayMs' | 'condition'>;

/** Goes into the outbox. */
export interface Release {
  readonly type: 'release';
  /** To be shown without sound or urgency. */
  readonly quietly: boolean;
  /** Present where it is to be told as the turn of a session that still runs. */
  readonly stillRunning?: true;
  readonly decision: Decision | null;
}

/** Whether a session runs, by the word of the vendor's service; `unknown` where it has none. */
export type Running = 'yes' | 'no' | 'unknown';

/** What is known of this by the key of a session; null where nobody has asked yet. */
export type RunningOf = (sessionKey: string) => Running | null;

/** Whether a message may go to its channel: now, not yet, or not at all. */
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

/** What becomes of a due delivery. */
export type DueResult =
  | GateResult
  /** Told by the delivery with this id, which is released in the same round. */
  | { readonly type: 'join'; readonly carrier: string; readonly decision: Decision };

export interface DueMemory {
  /** Due held deliveries of one channel, oldest first. */
  readonly due: readonly DueDelivery[];
  readonly traffic: (due: DueDelivery) => Traffic;
  readonly mutes: readonly Mute[];
}

/** Answers one fate a due delivery, in their order. Pure and synchronous: it runs inside the store's transaction. */
export type DecideDue = (memory: DueMemory) => readonly DueResult[];
