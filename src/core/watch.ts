import type { Pace } from './pace.ts';

/** The computers of the service, and what is told of them. */
export interface ComputerWatchPolicy {
  readonly pace: Pace;
  /** One that is being set up for longer than this is told of. */
  readonly provisioningMs: number;
}

/** Which readiness reports are watched, and how often. */
export interface ReadinessWatchPolicy {
  readonly pace: Pace;
  /** Addresses of repositories, or the ends of these such as "acme/api"; empty: all. */
  readonly repositories: readonly string[];
}

/** How often the enterprise controls are looked at. */
export interface ControlsWatchPolicy {
  readonly pace: Pace;
}
