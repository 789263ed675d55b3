import { isJsonObject, type JsonObject } from '../platform/json.ts';
import type { Match } from '../core/policy.ts';
import type { ConfiguredChannel } from './channel-schema.ts';
import { routeSchema, type StepsOption } from './plan-schema.ts';
import type { DocumentPath, Finding } from './problem.ts';
import type { ConfigOptions } from './schema.ts';

/** A variable that only a shell expands; a scheme such as "Bearer" may precede it. */
const unexpanded = /^(?:[A-Za-z]+ )?\$\{?([A-Za-z_]\w*)\}?$/;

/**
 * Finds well-formed values that cannot work: doubts of a channel about its options, and shell variables in place of
 * a secret. They are warnings, because the other channels work.
 *
 * @param secrets paths of secrets in plain text
 */
export function checkValues(
  document: JsonObject,
  channels: readonly ConfiguredChannel[],
  secrets: readonly DocumentPath[],
): readonly Finding[] {
  return [
    ...channels.flatMap(({ name, definition, options }) =>
      (definition.doubts?.(options) ?? []).map(({ key, message }): Finding => ({
        path: ['channels', name, key],
        at: 'value',
        message,
      })),
    ),
    ...secrets.flatMap((path): Finding[] => {
      const [, variable] = unexpanded.exec(textAt(document, path)) ?? [];
      if (variable === undefined) return [];
      const message = `contains a shell variable, which is not expanded: write { env: ${variable} } and put the whole value into that variable`;
      return [{ path, at: 'value', message }];
    }),
  ];
}

function textAt(document: JsonObject, path: DocumentPath): string {
  let value: unknown = document;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Finds channels and plans that no route uses: valid, but probably a mistake. */
export function checkUse(options: ConfigOptions): Finding[] {
  const plans = new Set(options.routes?.map(({ plan }) => plan));
  const channels = channelsInUse(options);
  return [
    ...Object.keys(options.channels)
      .filter((name) => !channels.has(name))
      .map((name) => unused('channels', name, 'receives no notifications: no route uses it')),
    ...Object.keys(options.plans)
      .filter((name) => !plans.has(name))
      .map((name) => unused('plans', name, 'is unused: no route names it')),
  ];
}

function channelsInUse({
  channels,
  plans,
  routes,
  quiet_hours,
  digest,
}: ConfigOptions): ReadonlySet<string> {
  // The built-in routes notify all channels.
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

/** Finds routes that no event can reach, because an earlier one without `also` matches all of their events. */
export function checkReach(document: JsonObject): Finding[] {
  // Routes are parsed one by one, so that an invalid route does not hide this problem of another.
  const list: readonly unknown[] = Array.isArray(document['routes']) ? document['routes'] : [];
  const routes = list.map((route) => routeSchema.safeParse(route).data ?? null);
  return routes.flatMap((route, index): Finding[] => {
    if (route === null) return [];
    const taker = routes.findIndex(
      (earlier, place) =>
        place < index && earlier !== null && !earlier.also && covers(earlier.match, route.match),
    );
    if (taker < 0) return [];
    const message = `can never be reached: routes[${taker}] matches all of its events, move it up or set "also: true" there`;
    return [{ path: ['routes', index], at: 'value', message }];
  });
}

/** True if every event that matches `narrow` also matches `wide`. Compares globs as text, so never a false alarm. */
function covers(wide: Match, narrow: Match): boolean {
  return (
    includesAll(wide.kind, narrow.kind) &&
    includesAll(wide.agent, narrow.agent) &&
    includesAll(wide.event, narrow.event) &&
    includesAll(wide.project, narrow.project) &&
    includesAll(wide.tool, narrow.tool) &&
    includesAll(wide.severity, narrow.severity) &&
    includesAll(wide.permissionMode, narrow.permissionMode) &&
    includesAll(wide.title, narrow.title) &&
    includesAll(wide.message, narrow.message) &&
    wide.hours === undefined &&
    isSame(wide.subagent, narrow.subagent) &&
    isSame(wide.attended, narrow.attended) &&
    (wide.longerThanMs === undefined ||
      (narrow.longerThanMs !== undefined && narrow.longerThanMs >= wide.longerThanMs))
  );
}

function includesAll(
  wide: readonly string[] | undefined,
  narrow: readonly string[] | undefined,
): boolean {
  if (wide === undefined) return true;
  return narrow !== undefined && narrow.every((value) => wide.includes(value));
}

function isSame(wide: boolean | undefined, narrow: boolean | undefined): boolean {
  return wide === undefined || wide === narrow;
}
