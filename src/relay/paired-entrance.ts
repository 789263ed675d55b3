import type { Clock } from '../platform/time.ts';
import { createAuthenticator } from './authenticator.ts';
import type { Entrance } from './entrance.ts';
import { eventRoutes, type EventRoutesOptions } from './event-routes.ts';
import type { PairedMachine } from './machines.ts';

export interface PairedEntranceOptions extends EventRoutesOptions {
  /** Read again for each request, so that a revoked machine is refused immediately. */
  readonly machines: () => Promise<readonly PairedMachine[]>;
  readonly now: Clock;
}

/** Accepts the events of the machines that were paired with this one. */
export function pairedEntrance(options: PairedEntranceOptions): Entrance {
  const authenticator = createAuthenticator(options.now);
  return {
    admit: async (claim) => authenticator.admit(claim, await options.machines()),
    routes: eventRoutes(options),
    openRoutes: {},
  };
}
