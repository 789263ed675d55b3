import type { z } from 'zod';

import { analyticsRoutes } from './analytics/analytics-routes.ts';
import { pathOf } from './request-caller.ts';
import { computerRoutes } from './computers.ts';
import { controlHistoryRoutes } from './controls.ts';
import { messageRoutes } from './messages.ts';
import { organizationRoutes } from './organization.ts';
import { readinessRoutes } from './readiness.ts';
import { checkParameters, placeParameters, type ServiceRoute } from './define-routes.ts';
import { sessionRoutes } from './sessions.ts';
import { limitRoutes } from './set-limits.ts';

/** All operations of the service. */
export const routes = {
  ...analyticsRoutes,
  ...readinessRoutes,
  ...sessionRoutes,
  ...messageRoutes,
  ...computerRoutes,
  ...organizationRoutes,
  ...controlHistoryRoutes,
  ...limitRoutes,
};

export type RouteId = keyof typeof routes;

/** A route of the table. */
export type AnyRoute = (typeof routes)[RouteId];

/** The parameters of a typed call. */
export type ParametersOf<Id extends RouteId> = z.input<(typeof routes)[Id]['parameters']>;

/** A request without address and credential. */
export interface PlannedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body: unknown;
}

/** The first request of a typed call, checked and not sent. @throws UsageError when a parameter is invalid */
export function planRequest(
  id: RouteId,
  unchecked: unknown,
  { readinessPath }: { readonly readinessPath?: string | undefined } = {},
): PlannedRequest {
  const route: ServiceRoute = routes[id];
  const parameters = checkParameters(route, unchecked);
  const template = id === 'readiness.list' ? (readinessPath ?? route.path) : route.path;
  return {
    method: route.method,
    path: pathOf(template, route, parameters),
    ...placeParameters(route, parameters),
  };
}
