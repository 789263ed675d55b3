import type { AnalyticsOptions } from './analytics/resource.ts';
import { pathOf } from './caller.ts';
import type { Client } from './client.ts';
import type { SetLimitsOptions } from './organization/set-limits.ts';
import type { Paged, PagedOptions } from './pagination.ts';
import { placeParameters, type Route } from './route.ts';
import { type RouteId, routes } from './routes.ts';
import { checkParameters } from './schema-parts.ts';

export type RouteOptions = AnalyticsOptions & PagedOptions & SetLimitsOptions;

/**
 * Makes the typed call of any route, with parameters of unknown type as a command line has them.
 *
 * @returns what the method returns; for a paged list the list itself, with no request sent yet
 * @throws UsageError when a parameter is invalid; ApiError as the method does
 */
export function callRoute(
  api: Client,
  id: RouteId,
  parameters: unknown,
  options: RouteOptions = {},
): Promise<unknown> | Paged<unknown> {
  const { analytics, readiness, sessions, computers, organization } = api;
  switch (id) {
    case 'analytics.tokens': {
      const { group_by, ...range } = checkParameters(routes[id], parameters);
      return group_by === undefined
        ? analytics.tokens(range, options)
        : analytics.tokens({ ...range, group_by }, options);
    }
    case 'analytics.tools': {
      const { group_by, ...range } = checkParameters(routes[id], parameters);
      return group_by === undefined
        ? analytics.tools(range, options)
        : analytics.tools({ ...range, group_by }, options);
    }
    case 'analytics.activity': {
      const { group_by, ...range } = checkParameters(routes[id], parameters);
      return group_by === undefined
        ? analytics.activity(range, options)
        : analytics.activity({ ...range, group_by }, options);
    }
    case 'analytics.productivity':
      return analytics.productivity(checkParameters(routes[id], parameters), options);
    case 'analytics.users':
      return analytics.users(checkParameters(routes[id], parameters), options);
    case 'readiness.list':
      return readiness.list(checkParameters(routes[id], parameters), options);
    case 'sessions.list':
      return sessions.list(checkParameters(routes[id], parameters), options);
    case 'sessions.get':
      return sessions.get(checkParameters(routes[id], parameters), options);
    case 'sessions.update':
      return sessions.update(checkParameters(routes[id], parameters), options);
    case 'sessions.addMessage':
      return sessions.addMessage(checkParameters(routes[id], parameters), options);
    case 'sessions.getMessage':
      return sessions.getMessage(checkParameters(routes[id], parameters), options);
    case 'computers.list':
      checkParameters(routes[id], parameters);
      return computers.list(options);
    case 'computers.get':
      return computers.get(checkParameters(routes[id], parameters), options);
    case 'computers.byName':
      return computers.byName(checkParameters(routes[id], parameters), options);
    case 'computers.update':
      return computers.update(checkParameters(routes[id], parameters), options);
    case 'computers.installDeps':
      return computers.installDeps(checkParameters(routes[id], parameters), options);
    case 'org.users':
      return organization.users(checkParameters(routes[id], parameters), options);
    case 'org.history':
      return organization.history(checkParameters(routes[id], parameters), options);
    case 'org.setLimits':
      return organization.setLimits(checkParameters(routes[id], parameters).users, options);
  }
}

/** A request without address and credential. */
export interface PlannedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body: unknown;
}

/**
 * The request of a route, checked like its typed call and not sent. A typed call may make more than one: for long
 * ranges, for more pages, or to check the outcome of a write.
 *
 * @throws UsageError when a parameter is invalid
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
