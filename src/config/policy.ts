import type { HoldStopPolicy, Plan, Policy, RelayPolicy, Route, Step } from '../core/policy.ts';
import { parseRelayAddress } from '../core/relay.ts';
import type { ApiOptions } from './api-schema.ts';
import type { ListenConfig, RelayConfig } from './config.ts';
import type { RouteOption, StepsOption } from './plan-schema.ts';
import type { ConfigOptions } from './schema.ts';

const DEFAULT_HOLD_MS = 20_000;

/** How long to hold the end of a turn while the session still runs; null if off, or if the service cannot be queried. */
export function holdStopOf(api: ApiOptions | undefined): HoldStopPolicy | null {
  const hold = api?.hold_stop_while_running ?? false;
  if (api === undefined || hold === false || !canAsk(api)) return null;
  return { forMs: hold === true ? DEFAULT_HOLD_MS : hold, afterwards: api.hold_stop_then };
}

function canAsk({ base_url, key, jwt }: ApiOptions): boolean {
  return base_url !== undefined && (key !== undefined || jwt !== undefined);
}

/** A route with its name in `explain`. */
export interface NamedRoute {
  readonly name: string;
  readonly option: RouteOption;
}

/**
 * Builds the policy. Inline plans get the name of their route, and the inbox joins the first step of every plan, so
 * that it contains every notification.
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

/** The target of the section `relay`; null if unset. */
export function relayConfigOf({ relay }: ConfigOptions): RelayConfig | null {
  if (relay === undefined) return null;
  const address = parseRelayAddress(relay.to);
  if (typeof address === 'string') throw new Error('The schema accepted an invalid address');
  const { to, token, certificate = null } = relay;
  return { to, address, token, certificate };
}

/** The part of `relay` that decisions use. */
export function relayPolicyOf({ relay }: ConfigOptions): RelayPolicy | null {
  return relay === undefined ? null : { to: relay.to, ringHere: relay.ring_here };
}

/** The addresses of the section `listen`; null if unset. */
export function listenConfigOf({ listen }: ConfigOptions): ListenConfig | null {
  if (listen === undefined) return null;
  const { socket = null, port, host = '127.0.0.1', certificate, key } = listen;
  return {
    socket,
    tcp: port === undefined ? null : { host, port },
    tls: certificate === undefined || key === undefined ? null : { certificate, key },
  };
}
