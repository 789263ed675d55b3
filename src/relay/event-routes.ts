import type { Log } from '../platform/log.ts';
import type { Clock } from '../platform/time.ts';
import { createAuthenticator } from './authenticator.ts';
import { answerJson, type Entrance, type RelayRoutes } from './entrance.ts';
import type { PairedMachine } from './machines.ts';
import { Batch, EVENTS, HELLO, MAX_BODY, type Verdicts } from './wire.ts';

export interface EventRoutesOptions {
  /** Whether it is a hub, through which people answer. */
  readonly isHub?: boolean;
  /** The version of the policy for machines; undefined: none was ever set. */
  readonly policy?: () => number | undefined;
  readonly take: (
    machine: string,
    events: readonly { readonly id: string }[],
  ) => Promise<readonly Verdicts['results'][number][]>;
  readonly log: Log;
}

/** The requests with which a machine relays its events: a greeting, and a batch. */
export function eventRoutes({ take, log, policy, isHub = false }: EventRoutesOptions): RelayRoutes {
  return {
    [`GET ${HELLO}`]: {
      mostBytes: 0,
      handle: ({ machine }) =>
        Promise.resolve({
          status: 200,
          body: { version: 1, machine, ...(isHub && { hub: true }) },
        }),
    },
    [`POST ${EVENTS}`]: {
      mostBytes: MAX_BODY,
      handle: ({ machine }, body) =>
        answerJson(body, Batch, {
          async handle({ events }) {
            const results = await take(machine, events);
            return { status: 200, body: { version: 1, results, policy: policy?.() } };
          },
          onBusy: (err) => log.warn({ machine, err }, 'Cannot accept relayed events yet'),
        }),
    },
  };
}

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
