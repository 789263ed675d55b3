import { pathOf } from './caller.ts';
import { checkParameters } from './check-parameters.ts';
import type { Route } from './route.ts';
import { placeParameters } from './route.ts';
import type { RouteId } from './routes.ts';
import { routes } from './routes.ts';

/** A request as it would be made, without address and credential. */
export interface PlannedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** To be sent as JSON. */
  readonly body: unknown;
}

/**
 * The request of a route, checked like its typed call and not sent. A typed call may make more than one: for long
 * ranges, for more pages, or to see what became of a write.
 *
 * @throws UsageError when a parameter cannot be right
 */
export function planRequest(
  id: RouteId,
  unchecked: unknown,
  { readinessPath }: { readonly readinessPath?: string | undefined } = {},
): PlannedRequest {
  const route: Route = routes[id];
  const parameters = checkParameters(route, unchecked);
  const template = id === 'readiness.list' ? (readinessPath ?? route.path) : route.path;
  return {
    method: route.method,
    path: pathOf(template, route, parameters),
    ...placeParameters(route, parameters),
  };
}
