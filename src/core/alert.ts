import type { HookEvent, Kind } from './hook-event.ts';
import type { Plan } from './policy.ts';
import type { SessionState } from './session.ts';

/**
 * "This session wants you, because …". At most one alert of a session is live (`open` or `acknowledged`).
 *
 * - `open` → `acknowledged`: a person acknowledged it; later steps of the plan are not sent.
 * - `acknowledged` → `open`: a person snoozed it, so it notifies again later.
 * - `open`, `acknowledged` → `resolved`: the session showed a sign of life, or a newer reason took over.
 * - `open`, `acknowledged` → `expired`: no one reacted within the policy's time.
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
  /** What it is about; the same subject does not notify again, another one does. */
  readonly subject: string | null;
  /** The event that opened it. */
  readonly eventId: string;
  readonly openedAt: number;
  /** When it expires without a reaction, Unix ms. */
  readonly expiresAt: number;
  readonly closedAt: number | null;
  /** When it was acknowledged, Unix ms; null before. */
  readonly acknowledgedAt: number | null;
  /** End of the last snooze, Unix ms; null: never snoozed, or acknowledged since. */
  readonly snoozedUntil: number | null;
  /** The id of the event that closed it, or "time" if it expired or its session was found to be over. */
  readonly closedBy: string | null;
  /** The plan as it was when the alert opened: a later config edit does not change it. */
  readonly plan: Plan;
}

/** True while a person may still have to react: at most one alert of a session is live. */
export function isLive({ state }: Pick<Alert, 'state'>): boolean {
  return state === 'open' || state === 'acknowledged';
}

/** Unsent deliveries of an alert to cancel. */
export interface Cancellation {
  readonly alertId: string;
  /** This step of the plan and all later ones. */
  readonly fromStep: number;
  /** Channels whose deliveries stay. */
  readonly exceptChannels: readonly string[];
  readonly reason: string;
}

/** Settling deliveries to cancel, on every channel. */
export interface Answered {
  /** Of this alert; null: of every request of the session until `at`. */
  readonly alertId: string | null;
  readonly sessionKey: string;
  /** Time of the sign of life, Unix ms: later requests are not answered by it. */
  readonly at: number;
  readonly reason: string;
}

/** A request that was answered without an event. */
export interface RequestAnswer {
  readonly eventId: string;
  readonly sessionKey: string;
  /** When it was answered, Unix ms. */
  readonly at: number;
  /** Whether the answer aborted the turn. */
  readonly isTurnOver: boolean;
  /** Evidence of the answer: a clause that continues "Answered". */
  readonly reason: string;
  /** Through which it was answered, such as "command line"; null: at the terminal. */
  readonly via: string | null;
  /** Channels that still get their deliveries. */
  readonly exceptChannels: readonly string[];
}

/** Silences the live alert of a session, which notifies again at `until`, Unix ms. */
export interface Snooze {
  readonly sessionKey: string;
  readonly until: number;
  readonly now: number;
  /** Channels that programs read: they got the event and need no second copy. */
  readonly exceptChannels: readonly string[];
  readonly newId: () => string;
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

/** The part of the store with the alerts. */
export interface AlertStore {
  /** Live alerts, oldest first. */
  live(): Promise<readonly Alert[]>;
  /** Live alerts of these sessions, unordered. */
  liveOf(sessionKeys: readonly string[]): Promise<readonly Alert[]>;
  /**
   * Live alerts whose time is over become `expired`: their unsent deliveries to people are cancelled. Returns how many.
   */
  expire(query: {
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
  /** Requests of this machine that are not answered, also acknowledged ones, with a transcript, newest first; only of these sessions, if given. */
  openRequests(query: {
    readonly limit: number;
    readonly sessionKeys?: readonly string[];
  }): Promise<readonly HookEvent[]>;
  /**
   * Resolves the live alert of a request, as `endSession` does, while the session goes on. False if the alert is
   * already closed: then nothing is written.
   */
  answerRequest(answer: RequestAnswer): Promise<boolean>;
  /**
   * Ends a session: its live alert is resolved, its unsent deliveries to people are cancelled and its notifications
   * withdrawn; the reason is a decision of its last event. False if it has had another event since, or is unknown: then
   * nothing is written.
   */
  endSession(end: SessionEnd): Promise<boolean>;
}
