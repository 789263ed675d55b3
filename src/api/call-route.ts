import type { AnalyticsOptions } from './analytics/resource.ts';
import { checkParameters } from './check-parameters.ts';
import type { Client } from './client.ts';
import type { SetLimitsOptions } from './organization/set-limits.ts';
import type { Paged, PagedOptions } from './pagination.ts';
import type { RouteId } from './routes.ts';
import { routes } from './routes.ts';

export type RouteOptions = AnalyticsOptions & PagedOptions & SetLimitsOptions;

/**
 * Makes the typed call of any route, with parameters of unknown type as a command line has them.
 *
 * @returns what the method returns; of a list in pages the list itself, of which nothing is asked yet
 * @throws UsageError when a parameter cannot be right; ApiError as the method does
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
