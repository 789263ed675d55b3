import type { StepCondition } from './policy.ts';

/** The channel that is always on and does not alert anyone: events sent only to it count as suppressed. */
export const INBOX = 'inbox';

/**
 * One message to one channel.
 *
 * - `pending`: due at `dueAt`, not yet tried. A claim in the store keeps two attempts apart.
 * - `retrying`: tried, and due again at `dueAt`.
 * - `sent`: the channel confirmed it.
 * - `dead`: given up, with a reason; `hookbell queue retry` brings it back to `pending`.
 * - `cancelled`: no longer needed (answered meanwhile, or cancelled by a user).
 */
export const deliveryStates = ['pending', 'retrying', 'sent', 'dead', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/**
 * Why a delivery that could be sent is held.
 *
 * - `step`: its step of the plan is not due yet.
 * - `quiet`, `mute`: people must not be disturbed now.
 * - `burst`, `budget`: too many others were sent before it.
 * - `presence`: the user's presence is checked first.
 * - `running`: the session still runs according to the vendor's service, or the service is asked first.
 * - `hidden`: it would not be seen where it is shown, such as in "do not disturb".
 * - `settle`: another program may answer the request before a person is needed.
 */
export const holdReasons = [
  'step',
  'quiet',
  'mute',
  'burst',
  'budget',
  'presence',
  'running',
  'hidden',
  'settle',
] as const;
export type HoldReason = (typeof holdReasons)[number];

export interface NewDelivery {
  /** UUIDv7; stable over all attempts. */
  readonly id: string;
  readonly channel: string;
  /** Address of the only person it is for, on a personal channel; null: all readers of the channel. */
  readonly recipient: string | null;
  readonly alertId: string | null;
  /** Step of the plan; counts from 0. */
  readonly step: number;
  /** Repetition of its step: 0 for the first time. */
  readonly repetition: number;
  /** Planned delay between its event and the first run of its step, ms. */
  readonly delayMs: number;
  /** Skipped if this does not hold when it is due. */
  readonly condition: StepCondition | null;
  /** When it is due to be sent or, while it is held, to be evaluated again. */
  readonly dueAt: number;
  /** Null: in the outbox. Only a pending delivery is held. */
  readonly heldFor: HoldReason | null;
  /** Shown without sound or urgency. */
  readonly quietly: boolean;
}

export interface Delivery extends NewDelivery {
  readonly eventId: string;
  readonly state: DeliveryState;
  /** True for the end of a turn whose session still runs according to the vendor's service. */
  readonly stillRunning: boolean;
  /** Further events combined into it, oldest first; empty for an ordinary one. */
  readonly alsoCovers: readonly string[];
  readonly attempts: number;
  /** Failed attempts that count against `maxAttempts`: those while others were sent. */
  readonly failures: number;
  /** How long it has been in the outbox while a daemon ran, ms: neither sleep nor a set clock adds to it. */
  readonly waitedMs: number;
  /** Why it is not sent (yet), or a note on how it was sent. */
  readonly reason: string | null;
  readonly ref: string | null;
  readonly carry: string | null;
  readonly possibleDuplicate: boolean;
  readonly createdAt: number;
  readonly sentAt: number | null;
}

export interface Attempt {
  /** Counts from 1. */
  readonly number: number;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: 'delivered' | 'retry' | 'failed' | 'unknown';
  readonly reason: string | null;
}

/**
 * The memory of a channel as a whole; survives a restart.
 *
 * Circuit: `closed` sends; `open` sends nothing until `openUntil` (without an end if null), then one probe goes through
 * (`half-open`), whose outcome closes or opens it again.
 */
export interface ChannelState {
  readonly channel: string;
  /** Earliest time of the next attempt, Unix ms: set by Retry-After. */
  readonly notBefore: number;
  readonly circuit: 'closed' | 'open' | 'half-open';
  readonly openUntil: number | null;
  /** Consecutive failed attempts. */
  readonly failures: number;
  readonly lastOutcome: 'delivered' | 'retry' | 'failed' | null;
  readonly lastReason: string | null;
  readonly lastAt: number | null;
  /** How long it was missing from the configuration while a daemon ran and deliveries waited for it, ms. */
  readonly missingMs: number;
}
