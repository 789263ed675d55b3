import type { Kind } from './hook-event.ts';
import type { Plan } from './policy.ts';

/**
 * "This session wants you, because …". At most one alert of a session is live (`open` or `acknowledged`).
 *
 * - `open` → `acknowledged`: a person said "seen"; later steps of the plan fall silent.
 * - `acknowledged` → `open`: a person snoozed it, so it notifies again later.
 * - `open`, `acknowledged` → `resolved`: the session showed a sign of life, or a newer reason took over.
 * - `open`, `acknowledged` → `expired`: nobody reacted within the policy's time.
 */
export const alertStates = ['open', 'acknowledged', 'resolved', 'expired'] as const;
export type AlertState = (typeof alertStates)[number];

export interface Alert {
  readonly id: string;
  readonly sessionKey: string;
  readonly state: AlertState;
  /** The kind of the event that opened it. */
  readonly kind: Kind;
  /** The agent's own name of that event. */
  readonly event: string;
  /** What it is about; the same subject does not ring again, another one does. */
  readonly subject: string | null;
  /** The event that opened it. */
  readonly eventId: string;
  readonly openedAt: number;
  /** When it is given up if nobody reacts, Unix ms. */
  readonly expiresAt: number;
  readonly closedAt: number | null;
  /** Who said "seen" and when; null before. */
  readonly acknowledgedAt: number | null;
  /** Until when a person snoozed it last, Unix ms; null: never, or acknowledged since. */
  readonly snoozedUntil: number | null;
  /** The event id that closed it, or "time" where it expired or its session was found to be over. */
  readonly closedBy: string | null;
  /** The plan as it was when the alert opened: a later config edit does not change it. */
  readonly plan: Plan;
}

/** True while somebody may still have to react: at most one alert of a session is live. */
export function isLive({ state }: Pick<Alert, 'state'>): boolean {
  return state === 'open' || state === 'acknowledged';
}

/** Unsent deliveries of an alert that are no longer wanted. */
export interface Cancellation {
  readonly alertId: string;
  /** This step of the plan and all later ones. */
  readonly fromStep: number;
  /** Channels that are not touched. */
  readonly exceptChannels: readonly string[];
  readonly reason: string;
}

/** Deliveries that are held to settle and are not wanted any more, on every channel. */
export interface Answered {
  /** Of this alert; null: of every request of the session until then. */
  readonly alertId: string | null;
  readonly sessionKey: string;
  /** When the sign of life was, Unix ms: later requests are others. */
  readonly at: number;
  readonly reason: string;
}

/** A request that was answered although no event said so. */
export interface RequestAnswer {
  readonly eventId: string;
  readonly sessionKey: string;
  /** When it was answered, Unix ms. */
  readonly at: number;
  /** Whether the answer broke the turn off. */
  readonly isTurnOver: boolean;
  /** How that is known: a clause that goes on after "Answered". */
  readonly reason: string;
  /** Channels that keep what they are owed. */
  readonly exceptChannels: readonly string[];
}

/** The live alert of a session is to be quiet, and to notify again at `until`, Unix ms. */
export interface Snooze {
  readonly sessionKey: string;
  readonly until: number;
  readonly now: number;
  /** Channels that programs read: they got the event and need no second copy. */
  readonly exceptChannels: readonly string[];
  readonly newId: () => string;
}
