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
  readonly kind: Kind;
  /** The agent's own name of that event. */
  readonly event: string;
  /** What it is about; the same subject does not notify again, another one does. */
  readonly subject: string | null;
  readonly eventId: string;
  readonly openedAt: number;
  readonly expiresAt: number;
  readonly closedAt: number | null;
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
  readonly at: number;
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

interface Acknowledgement extends Pick<Snooze, 'now' | 'exceptChannels'> {
  readonly of: 'all' | { readonly sessionKey: string } | { readonly deliveryId: string };
  readonly by: string;
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

export interface AlertStore {
  /** Live alerts, oldest first. */
  live(): Promise<readonly Alert[]>;
  /** Live alerts of these sessions, unordered. */
  liveOf(sessionKeys: readonly string[]): Promise<readonly Alert[]>;
  /** Live alerts expire whose time is over: no further deliveries to people. Returns how many. */
  expire(query: Pick<Snooze, 'now' | 'exceptChannels'>): Promise<number>;
  /** Open alerts become `acknowledged`, without further deliveries to people; `by`: what. */
  acknowledge(query: Acknowledgement): Promise<readonly Alert[]>;
  /** Snoozes the live alert of a session. Returns the channels that notify again; null without an alert. */
  snooze(query: Snooze): Promise<readonly string[] | null>;
  /** Unanswered requests of this machine, also acknowledged, with a transcript, newest first. */
  openRequests(query: {
    readonly limit: number;
    readonly sessionKeys?: readonly string[];
  }): Promise<readonly HookEvent[]>;
  /** Resolves the live alert of a request, while the session goes on. False: it was closed. */
  answerRequest(answer: RequestAnswer): Promise<boolean>;
  /** Resolves its live alert and withdraws its notifications. False: unknown, or it goes on. */
  endSession(end: SessionEnd): Promise<boolean>;
}
