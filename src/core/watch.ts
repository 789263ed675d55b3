import type { PollInterval } from './pace.ts';

/** The computers of the service, and what is told of them. */
export interface ComputerWatchPolicy {
  readonly pace: PollInterval;
  /** One that is being set up for longer than this is told of. */
  readonly provisioningMs: number;
}

/** Which readiness reports are watched, and how often. */
export interface ReadinessWatchPolicy {
  readonly pace: PollInterval;
  /** Addresses of repositories, or the ends of these such as "acme/api"; empty: all. */
  readonly repositories: readonly string[];
}

/** How often the enterprise controls are looked at. */
export interface ControlsWatchPolicy {
  readonly pace: PollInterval;
}

/** The sessions of the service that no hook here tells of. */
export interface SessionPollPolicy {
  readonly pace: PollInterval;
  /** One that is pending for longer than this is told of. */
  readonly pendingMs: number;
  /** So many are looked at, in the service's order. */
  readonly most: number;
  /** One of these tags; null: any or none. */
  readonly tags: readonly string[] | null;
  /** Ids of computers; null: any or none. */
  readonly computers: readonly string[] | null;
  /** Address of a session's page, with "{session_id}" in it; null: none is shown. */
  readonly link: string | null;
}
