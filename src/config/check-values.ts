import { isJsonObject, type JsonObject } from '../platform/json.ts';
import type { Match } from '../core/policy.ts';
import type { ConfiguredChannel } from './channel-schema.ts';
import { routeSchema, type StepsOption } from './plan-schema.ts';
import type { DocumentPath, Finding } from './problem.ts';
import type { ConfigOptions } from './schema.ts';

/** A shell would put the value of a variable in its place; a scheme such as "Bearer" may come before it. */
const unexpanded = /^(?:[A-Za-z]+ )?\$\{?([A-Za-z_]\w*)\}?$/;

/**
 * Finds values that are well-formed and cannot work: what a channel says of its own options, and variables of a shell where a
 * secret is expected. They are warnings, since the other channels work.
 *
 * @param secrets where a secret is written out
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
      const message = `holds a variable, which is not expanded: write { env: ${variable} }, with the whole value in that variable`;
      return [{ path, at: 'value', message }];
    }),
  ];
}

function textAt(document: JsonObject, path: DocumentPath): string {
  let value: unknown = document;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  return typeof value === 'string' ? value : '';
}

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

/** Finds routes no event can get to, because an earlier one without `also` takes all of theirs. */
export function checkReach(document: JsonObject): Finding[] {
  // Each route is read for itself, so that a mistake in one does not hide this of another.
  const list: readonly unknown[] = Array.isArray(document['routes']) ? document['routes'] : [];
  const routes = list.map((route) => routeSchema.safeParse(route).data ?? null);
  return routes.flatMap((route, index): Finding[] => {
    if (route === null) return [];
    const taker = routes.findIndex(
      (earlier, place) =>
        place < index && earlier !== null && !earlier.also && covers(earlier.match, route.match),
    );
    if (taker < 0) return [];
    const message = `can never be reached: routes[${taker}] takes every event it fits, move it up or write "also: true" there`;
    return [{ path: ['routes', index], at: 'value', message }];
  });
}

/** True when whatever fits `narrow` also fits `wide`. Globs are compared as text: never a false alarm. */
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
