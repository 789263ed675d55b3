import type { Pace } from './pace.ts';

/** The computers of the service, and what is told of them. */
export interface ComputerWatchPolicy {
  readonly pace: Pace;
  /** One that is being set up for longer than this is told of. */
  readonly provisioningMs: number;
}
