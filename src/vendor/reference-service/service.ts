import type { FaultRules } from './faults/rules.ts';
import type { MockClock } from './mock-clock.ts';
import type { LoggedRequest } from './http/listen.ts';
import type { World } from './world.ts';

/** The running service: what one request shares with the next. */
export interface Service {
  /** Replaced by a reset. */
  world: World;
  readonly clock: MockClock;
  readonly faults: FaultRules;
  /** The last requests, oldest first. */
  readonly log: LoggedRequest[];
  /** How many those are at most. */
  readonly remembered: number;
  /** Requests since the start or the last reset. */
  received: number;
  /** Errors of readiness and v0 so far: their bodies take turns. */
  errors: number;
  /** Aborted when the service ends. */
  readonly signal: AbortSignal;
}
