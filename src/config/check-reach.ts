import type { JsonObject } from '../core/json-object.ts';
import type { Match } from '../core/policy.ts';
import { routeSchema } from './plan-schema.ts';
import type { Finding } from './problem.ts';

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
