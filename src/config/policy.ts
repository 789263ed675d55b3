import type { Plan, Policy, Route, Step } from '../core/policy.ts';
import type { RouteOption, StepsOption } from './plan-schema.ts';

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
