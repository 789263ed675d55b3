import { z } from 'zod';

import type { Addressee } from '../core/hub/directory.ts';
import type { Plan, Policy, Step } from '../core/policy.ts';
import { PERSONAL_DIGEST } from '../core/source-event.ts';
import { matchSchema } from './match-schema.ts';
import { parseOptions } from './problem.ts';
import type { digestSchema } from './report-schema.ts';
import { duration, hourRange, oneOrMore, orNull } from './units.ts';

const GROUP = 'group:';
const ADDRESSEE = /^(?:owner|group:[A-Za-z0-9][\w.-]{0,63}|(?!group:)[^@\s]+@[^@\s]+)$/;
const EACH_MS = 5 * 60_000;

const name = z.string().min(1);
const channels = oneOrMore(name);

const step = z
  .strictObject({
    after: duration()
      .prefault('0s')
      .describe('Delay after the alert opened; not sent if it was answered before'),
    notify: channels.describe('Names of channels'),
    repeat: orNull(
      z
        .strictObject({
          every: duration({ min: '1s' }).describe('Interval between notifications'),
          at_most: z
            .int()
            .min(2)
            .max(100)
            .describe('Total number of notifications, including the first'),
        })
        .transform(({ every: everyMs, at_most: atMost }) => ({ everyMs, atMost })),
    ).describe('Repeat the notification until someone reacts'),
    if: orNull(
      z.strictObject({
        presence: z
          .enum(['here', 'away'])
          .exactOptional()
          .describe('Whether you are at this machine; an unknown presence matches'),
        hours: hourRange.exactOptional().describe('Only within these hours of the day'),
        attended: z.boolean().exactOptional().describe('Whether the session is interactive'),
      }),
    ).describe('Conditions checked when the step is due; unless all of them hold, it is skipped'),
    to: z
      .string()
      .regex(ADDRESSEE, {
        error: 'is none of "owner", "group:NAME" and the address of a person',
      })
      .default('owner')
      .describe(
        'Whom channels that write to one person notify, at a hub: the "owner" of the machine, "group:NAME" in its order, or an address',
      ),
    each: duration({ min: '1s' })
      .optional()
      .describe('Interval between the members of the group; 5m by default'),
  })
  .superRefine(({ to, each }, context) => {
    if (each === undefined || to.startsWith(GROUP)) return;
    const message = 'is the interval between the members of a group, and "to" names none';
    context.addIssue({ code: 'custom', path: ['each'], message });
  })
  .transform(({ after: afterMs, notify, repeat, if: condition, to, each }): Step => ({
    afterMs,
    notify,
    repeat,
    condition,
    ...(to !== 'owner' && { to: addresseeOf(to, each ?? EACH_MS) }),
  }));

function addresseeOf(to: string, eachMs: number): Addressee {
  if (to.startsWith(GROUP)) return { type: 'group', name: to.slice(GROUP.length), eachMs };
  return { type: 'person', email: to.toLowerCase() };
}

/** Steps of a plan, in the order of their delays. */
export const stepsSchema = z
  .array(step)
  .min(1)
  .superRefine((steps, context) => {
    for (const [index, { afterMs }] of steps.entries()) {
      const before = steps[index - 1]?.afterMs;
      // An invalid duration cannot be compared, and is reported already.
      if (before === undefined || !(afterMs <= before)) continue;
      const message = 'is not later than "after" of the previous step';
      context.addIssue({ code: 'custom', path: [index, 'after'], message });
    }
  });

/** Conditions on events, and the plan for them; `notify` is parsed to a single step. */
export const routeSchema = z
  .strictObject({
    match: matchSchema
      .prefault({})
      .describe('Conditions that must all hold; without any, every event matches'),
    plan: z
      .union([name, stepsSchema])
      .optional()
      .describe('Name of a plan, or its steps; "none" sends nothing'),
    notify: channels.optional().describe('Channels to notify immediately, instead of a plan'),
    also: z.boolean().default(false).describe('Continue with the next route'),
  })
  .superRefine(({ plan, notify }, context) => {
    if ((plan === undefined) !== (notify === undefined)) return;
    const message =
      plan === undefined
        ? 'has neither "plan" nor "notify", expected one'
        : 'has both "plan" and "notify", expected one';
    context.addIssue({ code: 'custom', path: [], message });
  })
  .transform(({ match, plan, notify = [], also }) => ({
    match,
    plan: plan ?? [{ afterMs: 0, notify, repeat: null, condition: null }],
    also,
  }));
type RouteOption = z.output<typeof routeSchema>;

interface RoutingOptions {
  readonly plans: Readonly<Record<string, readonly Step[]>>;
  /** Null: the built-in ones. */
  readonly routes: readonly RouteOption[] | null;
  readonly digest: z.output<typeof digestSchema> | null;
}

/** Inline plans get the name of their route, and the inbox joins the first step of every plan. */
export function routingOf(
  options: RoutingOptions,
  configured: readonly string[],
): Pick<Policy, 'routes' | 'plans'> {
  const routes = namedRoutes(options, configured).map(({ name: route, option }) => ({
    route,
    ...option,
  }));
  const plans: readonly (readonly [string, readonly Step[]])[] = [
    ...Object.entries(options.plans),
    ...routes.flatMap(({ route, plan }) =>
      typeof plan === 'string' ? [] : [[route, plan] as const],
    ),
  ];
  return {
    routes: routes.map(({ route, match, plan, also }) => ({
      name: route,
      match,
      plan: typeof plan === 'string' ? plan : route,
      also,
    })),
    plans: Object.fromEntries([['none', { name: 'none', steps: [] }], ...plans.map(planOf)]),
  };
}

function planOf([plan, steps]: readonly [string, readonly Step[]]): [string, Plan] {
  const withInbox = steps.map(({ notify, ...same }, index): Step => ({
    ...same,
    notify: [...new Set(index === 0 ? [...notify, 'inbox'] : notify)],
  }));
  return [plan, { name: plan, steps: withInbox }];
}

/** Names of the built-in routes in `explain`, in the order of `defaultRoutes`. */
const defaultRouteNames = ['default: waiting and failures', 'default: long turns'] as const;

/** Requests to a person, failures, and finished turns longer than 20 s; every other event is silent. */
export function defaultRoutes(configured: readonly string[]) {
  const notify = configured.length === 0 ? ['inbox'] : configured;
  return [
    { match: { severity: ['warning', 'critical'] }, notify },
    { match: { kind: 'turn.done', longer_than: '20s' }, notify },
  ];
}

/** A route with its name in `explain`. */
interface NamedRoute {
  readonly name: string;
  readonly option: RouteOption;
}

function namedRoutes(
  { routes, digest }: RoutingOptions,
  configured: readonly string[],
): readonly NamedRoute[] {
  const configuredRoutes =
    routes?.map((option, index) => ({ name: `routes[${index}]`, option })) ??
    defaultRoutes(configured).map((route, index) =>
      readRoute(defaultRouteNames[index] ?? 'default', route),
    );
  if (digest === null) return configuredRoutes;
  const { each, notify } = digest;
  const toEveryone = readRoute('digest', { match: { kind: 'digest' }, notify });
  if (each.length === 0) return [toEveryone, ...configuredRoutes];
  // A personal digest is only for its recipient, so it has a separate route.
  const personal = { match: { event: PERSONAL_DIGEST }, notify: each };
  return [readRoute('digest.each', personal), toEveryone, ...configuredRoutes];
}

function readRoute(route: string, option: unknown): NamedRoute {
  return { name: route, option: routeSchema.parse(option, parseOptions) };
}
