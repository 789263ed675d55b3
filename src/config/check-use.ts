import type { StepsOption } from './plan-schema.ts';
import type { Finding } from './problem.ts';
import type { ConfigOptions } from './schema.ts';

/** Finds channels no route leads to and plans no route names: not wrong, but hardly meant. */
export function checkUse(options: ConfigOptions): Finding[] {
  const plans = new Set(options.routes?.map(({ plan }) => plan));
  const channels = channelsInUse(options);
  return [
    ...Object.keys(options.channels)
      .filter((name) => !channels.has(name))
      .map((name) => unused('channels', name, 'gets no notifications: no route leads to it')),
    ...Object.keys(options.plans)
      .filter((name) => !plans.has(name))
      .map((name) => unused('plans', name, 'is never used: no route names it')),
  ];
}

function channelsInUse({
  channels,
  plans,
  routes,
  quiet_hours,
  digest,
}: ConfigOptions): ReadonlySet<string> {
  // Without routes of its own, a configuration notifies all of its channels.
  if (routes === undefined) return new Set(Object.keys(channels));
  return new Set([
    ...(digest?.notify ?? []),
    ...(digest?.each ?? []),
    ...(quiet_hours ?? []).flatMap(({ meanwhile }) =>
      meanwhile.type === 'channels' ? meanwhile.channels : [],
    ),
    ...routes.flatMap(({ plan, notify }) => {
      if (notify !== undefined) return notify;
      const steps: StepsOption = (typeof plan === 'string' ? plans[plan] : plan) ?? [];
      return steps.flatMap((step) => step.notify);
    }),
  ]);
}

function unused(section: string, name: string, message: string): Finding {
  return { path: [section, name], at: 'key', message };
}
