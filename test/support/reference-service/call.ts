import type { QueryRules, ValueCheck } from './request-checks.ts';
import type { JsonObject } from '../../../src/platform/json.ts';
import type { Knobs } from './keys.ts';
import type { World } from './world.ts';

/** A request that passed all checks of form: what a route's answer is made of. */
export interface Call {
  readonly routeId: string;
  readonly world: World;
  /** Unix ms. */
  readonly now: number;
  /** Decoded parts of the path, by name. */
  readonly path: ReadonlyMap<string, string>;
  readonly query: ReadonlyMap<string, string>;
  /** Empty when the route takes none. */
  readonly body: JsonObject;
  readonly knobs: Knobs;
}

export type Respond = (call: Call) => RouteAnswer;

/** A part of the path; the route's pattern guarantees that it is there. */
export function pathPart(call: Call, name: string): string {
  return call.path.get(name) ?? '';
}

/** The `limit` of the query, which the checks found to be a whole number, or the default. */
export function pageSizeOf(call: Call, preset: number): number {
  const text = call.query.get('limit');
  return text === undefined ? preset : Number(text);
}

/** What a route answers: a status and a JSON body, or a refusal whose body depends on the family of the route. */
export type RouteAnswer = Success | RouteRefusal;

export interface Success {
  readonly isRefusal: false;
  readonly status: number;
  readonly body: unknown;
}

export interface RouteRefusal {
  readonly isRefusal: true;
  readonly status: number;
  readonly detail: string;
}

export function success(body: unknown, status = 200): Success {
  return { isRefusal: false, status, body };
}

export function refuse(status: number, detail: string): RouteRefusal {
  return { isRefusal: true, status, detail };
}

export type Family = 'analytics' | 'readiness' | 'v0';

/** One operation of the interface. */
export interface ServedRoute extends Rules {
  readonly id: string;
  readonly method: string;
  /** Path with `{name}` for a part that varies. */
  readonly pattern: string;
  readonly family: Family;
  readonly query: QueryRules;
  readonly respond: Respond;
}

interface Rules {
  /** Parameters of the query; without it any is refused. */
  readonly query?: QueryRules;
  /** Checks of parts of the path, by name. */
  readonly pathChecks?: Readonly<Record<string, ValueCheck>>;
  /** Without it a body is refused. */
  readonly body?: ValueCheck;
}

/** @param target method and path, such as "GET /api/v0/computers/{computerId}" */
export function serve(
  id: string,
  target: string,
  respond: Respond,
  rules: Rules = {},
): ServedRoute {
  const [method = '', pattern = ''] = target.split(' ');
  const family = familyOf(pattern);
  return { query: { checks: {} }, ...rules, id, method, pattern, family, respond };
}

/** Analytics and v0 live at the base address, readiness at the application's. */
export function familyOf(pathname: string): Family {
  if (pathname.startsWith('/api/v1/analytics')) return 'analytics';
  return pathname.startsWith('/api/v0/') ? 'v0' : 'readiness';
}
