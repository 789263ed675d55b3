import type { StepCondition } from './policy.ts';

/** The channel that is always on and reaches nobody by itself: what only it was told of counts as suppressed. */
export const INBOX = 'inbox';

/**
 * One message to one channel.
 *
 * - `pending`: due at `dueAt`, not yet tried. A claim (`claimedUntil`) keeps two attempts apart.
 * - `retrying`: tried, and due again at `dueAt`.
 * - `sent`: the channel said it has it.
 * - `dead`: given up, with a reason; `hookbell queue retry` brings it back to `pending`.
 * - `cancelled`: no longer wanted (answered meanwhile, or dropped by a person).
 */
export const deliveryStates = ['pending', 'retrying', 'sent', 'dead', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/**
 * Why a delivery does not go to its channel yet although nothing is wrong with it.
 *
 * - `step`: its step of the plan is not due yet.
 * - `quiet`, `mute`: people are not to be disturbed now.
 * - `burst`, `budget`: too many others went before it.
 * - `presence`: it has to be seen first whether the person looks at the terminal anyway.
 * - `running`: the vendor's service says, or has to say first, whether the session still runs.
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
  'settle',
] as const;
export type HoldReason = (typeof holdReasons)[number];

export interface Delivery {
  /** UUIDv7; stable over all attempts. */
  readonly id: string;
  readonly eventId: string;
  readonly alertId: string | null;
  /** Which step of the plan asked for it; counts from 0. */
  readonly step: number;
  readonly channel: string;
  readonly state: DeliveryState;
  /** When it is due: to be sent, or, while it is held, to be decided upon again. */
  readonly dueAt: number;
  /** Null: it is in the outbox. Only a pending delivery is held. */
  readonly heldFor: HoldReason | null;
  /** To be shown without sound or urgency. */
  readonly quietly: boolean;
  /** True for the end of a turn of a session that the vendor's service says still runs. */
  readonly stillRunning: boolean;
  /** How often its step was done before: 0 for the first time. */
  readonly repetition: number;
  /** How long after its event the plan wanted its step for the first time, ms. */
  readonly delayMs: number;
  /** It is left out where this does not hold when it is due. */
  readonly condition: StepCondition | null;
  /** The events it tells of besides its own, oldest first; empty for an ordinary one. */
  readonly alsoTells: readonly string[];
  readonly attempts: number;
  /** Failed attempts that count against `maxAttempts`: those made while others got through. */
  readonly failures: number;
  /** How long it has been in the outbox while a daemon ran, ms: neither sleep nor a set clock adds to it. */
  readonly waitedMs: number;
  /** Why it is not sent (yet), or a remark on how it was. */
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

/** What an event asks for; the store makes a `Delivery` of it. */
export interface NewDelivery {
  readonly id: string;
  readonly channel: string;
  readonly alertId: string | null;
  readonly step: number;
  readonly repetition: number;
  readonly delayMs: number;
  readonly condition: StepCondition | null;
  readonly dueAt: number;
  readonly heldFor: HoldReason | null;
  /** To be shown without sound or urgency. */
  readonly quietly: boolean;
}

/**
 * The memory of a channel as a whole; survives a restart.
 *
 * Circuit: `closed` sends; `open` sends nothing until `openUntil` (for ever if null), then one probe goes
 * through (`half-open`), whose outcome closes or opens it again.
 */
export interface ChannelState {
  readonly channel: string;
  /** Nothing is sent before, Unix ms: set by Retry-After. */
  readonly notBefore: number;
  readonly circuit: 'closed' | 'open' | 'half-open';
  readonly openUntil: number | null;
  /** Failed attempts in a row. */
  readonly failures: number;
  readonly lastOutcome: 'delivered' | 'retry' | 'failed' | null;
  readonly lastReason: string | null;
  readonly lastAt: number | null;
  /** How long it has been missing from the configuration while a daemon ran and something waited for it, ms. */
  readonly missingMs: number;
}
