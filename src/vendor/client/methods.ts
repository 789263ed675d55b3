import type { z } from 'zod';

import {
  addMessage,
  type AddMessageOptions,
  type AddMessageResult,
  type MethodSettings,
} from './add-message.ts';
import {
  createDaily,
  type AnalyticsOptions,
  type DailyMethod,
  type UserRows,
} from './analytics/daily.ts';
import { analyticsRoutes } from './analytics/analytics-routes.ts';
import type { Caller } from './request-caller.ts';
import type { CallOptions } from './client-options.ts';
import { installDeps, type InstallDepsResult } from './computers.ts';
import { createPaged, type Paged, type PagedOptions, pageGuard, walkPages } from './pagination.ts';
import type { BadItem } from './parse-response.ts';
import { checkParameters, type PageStyle, type ServiceRoute } from './define-routes.ts';
import { type ParametersOf, type RouteId, routes } from './routes.ts';
import { setLimits, type SetLimitsOptions, type SetLimitsReport } from './set-limits.ts';

type Routes = typeof routes;

/** The parameters are optional where each of them is. */
type Call<Id extends RouteId, Options, Result> =
  Partial<ParametersOf<Id>> extends ParametersOf<Id> | Readonly<Record<string, undefined>>
    ? (parameters?: ParametersOf<Id>, options?: Options) => Result
    : (parameters: ParametersOf<Id>, options?: Options) => Result;

/** Operations that may take more than one request. */
interface SpecialMethods {
  readonly 'analytics.users': Call<'analytics.users', AnalyticsOptions & PagedOptions, UserRows>;
  readonly 'sessions.addMessage': Call<
    'sessions.addMessage',
    AddMessageOptions,
    Promise<AddMessageResult>
  >;
  readonly 'computers.installDeps': Call<
    'computers.installDeps',
    CallOptions,
    Promise<InstallDepsResult>
  >;
  readonly 'org.setLimits': Call<'org.setLimits', SetLimitsOptions, Promise<SetLimitsReport>>;
}

type Value<Id extends RouteId> = z.output<Routes[Id]['response']>;
type Item<Id extends RouteId> = Routes[Id] extends {
  readonly lists: readonly [infer List extends string, ...string[]];
}
  ? Value<Id> extends Readonly<Record<List, readonly (infer One)[]>>
    ? One
    : never
  : never;

/** The method of an operation: a paged list is fetched as it is read, other lists have their invalid items apart. */
type Method<Id extends RouteId> = Id extends keyof SpecialMethods
  ? SpecialMethods[Id]
  : Routes[Id] extends { readonly family: 'analytics' }
    ? DailyMethod<Routes[Id]>
    : Routes[Id] extends { readonly pages: PageStyle }
      ? Call<Id, PagedOptions, Paged<Item<Id>>>
      : Routes[Id] extends { readonly lists: readonly [string, ...string[]] }
        ? Call<Id, CallOptions, Promise<Value<Id> & { readonly badItems: readonly BadItem[] }>>
        : Call<Id, CallOptions, Promise<Value<Id>>>;

/** The methods of the operations whose ids begin with `Group`. */
export type Methods<Group extends string> = {
  readonly [Id in RouteId as Id extends `${Group}.${infer Name}` ? Name : never]: Method<Id>;
};

export type RouteOptions = AnalyticsOptions & PagedOptions & SetLimitsOptions & AddMessageOptions;

type AnyMethod = (parameters: unknown, options?: RouteOptions) => Promise<unknown> | Paged<unknown>;

export type AllMethods = ReturnType<typeof createMethods>;

export function createMethods(caller: Caller, settings: MethodSettings) {
  const daily = createDaily(caller, settings);
  const special: Readonly<Partial<Record<string, AnyMethod>>> = {
    ...Object.fromEntries<AnyMethod>(
      Object.values(analyticsRoutes).map((route) => [route.id, daily.rows(route)]),
    ),
    'analytics.users': daily.users,
    'sessions.addMessage': (parameters, options = {}) =>
      addMessage({ caller, ...settings }, parameters, options),
    'computers.installDeps': (parameters, options = {}) => installDeps(caller, parameters, options),
    'org.setLimits': (parameters, options = {}) =>
      setLimits(caller, checkParameters(routes['org.setLimits'], parameters).users, options),
  };

  function methodOf(route: ServiceRoute): AnyMethod {
    const derived = route.pages === null ? singleCall(caller, route) : pagedCall(caller, route);
    return special[route.id] ?? derived;
  }

  // The second signature is what the compiler can see of a loop; the types follow the same rules.
  function methodsOf<Group extends string>(group: Group): Methods<Group>;
  function methodsOf(group: string): object {
    return Object.fromEntries(
      Object.values<ServiceRoute>(routes)
        .filter(({ id }) => id.startsWith(`${group}.`))
        .map((route) => [route.id.slice(group.length + 1), methodOf(route)]),
    );
  }

  return {
    of: methodsOf,
    /**
     * Makes the typed call of any route, with parameters of unknown type as a command line has them.
     *
     * @returns what the method returns; for a paged list the list itself, with no request sent yet
     * @throws UsageError when a parameter is invalid; ApiError as the method does
     */
    call: (id: RouteId, parameters: unknown, options?: RouteOptions) =>
      methodOf(routes[id])(checkParameters<z.ZodObject>(routes[id], parameters), options),
  };
}

function singleCall(caller: Caller, route: ServiceRoute): AnyMethod {
  return async (parameters = {}, options = {}) => {
    const { value, badItems } = await caller.call(route, parameters, options);
    return route.lists.length === 0 ? value : { ...value, badItems };
  };
}

function pagedCall(caller: Caller, route: ServiceRoute): AnyMethod {
  return (unchecked = {}, options = {}) => {
    const parameters = checkParameters(route, unchecked);
    return createPaged(() =>
      walkPages(
        route,
        parameters,
        (query) => caller.call(route, query, options),
        pageGuard(route, options),
      ),
    );
  };
}
