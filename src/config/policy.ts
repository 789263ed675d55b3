import type { HoldStopPolicy, Plan, Policy, RelayPolicy, Route, Step } from '../core/policy.ts';
import { parseRelayAddress } from '../core/relay.ts';
import type { ApiOptions } from './api-schema.ts';
import type { ListenConfig, RelayConfig } from './config.ts';
import type { RouteOption, StepsOption } from './plan-schema.ts';
import type { ConfigOptions } from './schema.ts';

const DEFAULT_HOLD_MS = 20_000;

/** How long the end of a turn waits for a session that still runs; null where it does not, or where nobody can be asked. */
export function holdStopOf(api: ApiOptions | undefined): HoldStopPolicy | null {
  const hold = api?.hold_stop_while_running ?? false;
  if (api === undefined || hold === false || !canAsk(api)) return null;
  return { forMs: hold === true ? DEFAULT_HOLD_MS : hold, afterwards: api.hold_stop_then };
}

function canAsk({ base_url, key, jwt }: ApiOptions): boolean {
  return base_url !== undefined && (key !== undefined || jwt !== undefined);
}

/** A route with the name `explain` shows. */
export interface NamedRoute {
  readonly name: string;
  readonly option: RouteOption;
}

/**
 * Makes the policy: plans written inside a route get the route's name, and the inbox joins the first step of every
 * plan, so that whatever was told is also found there.
 */
export function makePolicy(
  plans: Readonly<Record<string, StepsOption>>,
  routes: readonly NamedRoute[],
  rest: Omit<Policy, 'routes' | 'plans'>,
): Policy {
  const named = Object.entries(plans).map(([name, steps]) => makePlan(name, steps));
  const inline = routes.flatMap(({ name, option }) => {
    const steps = stepsOf(option);
    return steps === null ? [] : [makePlan(name, steps)];
  });
  const all: Plan[] = [{ name: 'none', steps: [] }, ...named, ...inline];
  return {
    routes: routes.map(({ name, option }): Route => ({
      name,
      match: option.match,
      plan: typeof option.plan === 'string' ? option.plan : name,
      also: option.also,
    })),
    plans: Object.fromEntries(all.map((plan) => [plan.name, plan])),
    ...rest,
  };
}

function stepsOf({ plan, notify }: RouteOption): StepsOption | null {
  if (notify !== undefined) return [{ after: 0, notify }];
  return plan === undefined || typeof plan === 'string' ? null : plan;
}

function makePlan(name: string, options: StepsOption): Plan {
  const steps = options.map(({ after, notify, repeat, if: condition }, index): Step => {
    const channels = typeof notify === 'string' ? [notify] : notify;
    return {
      afterMs: after,
      notify: [...new Set(index === 0 ? [...channels, 'inbox'] : channels)],
      repeat: repeat === undefined ? null : { everyMs: repeat.every, atMost: repeat.at_most },
      condition: condition ?? null,
    };
  });
  return { name, steps };
}

/** What the section about relaying means; null where there is none. */
export function relayConfigOf({ relay }: ConfigOptions): RelayConfig | null {
  if (relay === undefined) return null;
  const address = parseRelayAddress(relay.to);
  if (typeof address === 'string') throw new Error('The schema took what is no address');
  const { to, token, certificate = null } = relay;
  return { to, address, token, certificate };
}

/** What of it the decisions know. */
export function relayPolicyOf({ relay }: ConfigOptions): RelayPolicy | null {
  return relay === undefined ? null : { to: relay.to, ringHere: relay.ring_here };
}

/** What the section about other machines means; null where there is none. */
export function listenConfigOf({ listen }: ConfigOptions): ListenConfig | null {
  if (listen === undefined) return null;
  const { socket = null, port, host = '127.0.0.1', certificate, key } = listen;
  return {
    socket,
    tcp: port === undefined ? null : { host, port },
    tls: certificate === undefined || key === undefined ? null : { certificate, key },
  };
}
