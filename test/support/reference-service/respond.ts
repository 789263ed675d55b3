import type { IncomingHttpHeaders } from 'node:http';

import { type RouteAnswer, type RouteRefusal, refuse, type ServedRoute } from './call.ts';
import { queryProblem } from './request-checks.ts';
import { shiftDay, utcDayOf, spanOf } from './days.ts';
import type { Family } from './call.ts';
import type { Found } from './served-routes.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../src/platform/json.ts';
import type { Knobs } from './keys.ts';
import type { World } from './world.ts';

/** A received request. */
export interface ReceivedRequest {
  readonly found: Found;
  readonly method: string;
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Checks a request by the document and answers it: address, method, credential, role, query, body, in this order. */
export function respond(
  asked: ReceivedRequest,
  world: World,
  now: number,
  knobs: Knobs,
): RouteAnswer {
  const { found, method, pathname, headers } = asked;
  if (found.kind === 'nothing') return refuse(404, `Nothing is at "${pathname}"`);
  if (found.kind === 'wrong-method') {
    return refuse(405, `"${method}" is not allowed, only ${found.allowed.join(', ')}`);
  }
  const { route, path } = found;
  const unwelcome = credentialProblem(headers.authorization, route.family, world, knobs);
  if (unwelcome !== null) return unwelcome;
  if (knobs.v0Off !== undefined && route.family === 'v0') {
    return refuse(knobs.v0Off, 'This is not enabled for the organization');
  }
  const query = new Map(asked.query);
  const problem =
    pathProblem(route, path) ??
    queryProblem(asked.query, route.query) ??
    (route.family === 'analytics' ? rangeProblem(query, now, knobs.maxSpan ?? Infinity) : null);
  if (problem !== null) return refuse(400, problem);
  const read = readBody(asked, route);
  if (read.refusal !== undefined) return read.refusal;
  return route.respond({ routeId: route.id, world, now, path, query, body: read.body, knobs });
}

function pathProblem(route: ServedRoute, path: ReadonlyMap<string, string>): string | null {
  for (const [name, check] of Object.entries(route.pathChecks ?? {})) {
    const problem = check(path.get(name));
    if (problem !== null) return `The part "${name}" of the path ${problem}`;
  }
  return null;
}

type ReadBody =
  | { readonly refusal: RouteRefusal }
  | { readonly refusal?: undefined; readonly body: JsonObject };

function readBody({ headers, body }: ReceivedRequest, route: ServedRoute): ReadBody {
  if (route.body === undefined) {
    return body === '' ? { body: {} } : { refusal: refuse(400, 'No body is expected') };
  }
  const type = headers['content-type'] ?? '';
  if (!/^application\/json *(?:;|$)/i.test(type)) {
    return { refusal: refuse(415, `Content-Type is "${type}", expected "application/json"`) };
  }
  const parsed = parseJson(body);
  const problem = isDeep(parsed, MAX_DEPTH) ? 'is nested too deep' : route.body(parsed);
  if (problem !== null) return { refusal: refuse(400, `The body ${problem}`) };
  return { body: isJsonObject(parsed) ? parsed : {} };
}

/** More than anything documented needs. What is deeper could be read but not written again. */
const MAX_DEPTH = 100;

function isDeep(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((field) => isDeep(field, left - 1));
}

/**
 * What a range of days can have wrong beyond its form: data ends yesterday (UTC).
 *
 * @param maxSpan longest range, in days
 */
export function rangeProblem(
  query: ReadonlyMap<string, string>,
  now: number,
  maxSpan: number,
): string | null {
  const [start = '', end = ''] = [query.get('startDate'), query.get('endDate')];
  const today = utcDayOf(now);
  if (start >= today || end >= today) {
    return `Data is available through yesterday (UTC), "${shiftDay(today, -1)}"`;
  }
  if (end < start) return `endDate "${end}" is before startDate "${start}"`;
  if (spanOf(start, end) > maxSpan) return `The range is longer than ${maxSpan} days`;
  return null;
}

/** @returns why the credential of a request is not good enough for a family of routes, or null */
export function credentialProblem(
  authorization: string | undefined,
  family: Family,
  world: World,
  knobs: Knobs,
): RouteRefusal | null {
  const { keyRing } = world;
  const caller = keyRing.find(authorization);
  if (caller !== undefined && knobs.revokesKey === true) keyRing.revoke(caller.name);
  if (caller === undefined || !keyRing.use(caller.name)) {
    return refuse(401, 'The API key is missing or invalid');
  }
  if (family === 'v0') return null;
  if (caller.name === 'jwt') return refuse(401, 'An access token is not an API key');
  const role = knobs.role ?? caller.role;
  if (family === 'analytics' && role !== 'owner' && role !== 'manager') {
    return refuse(403, `Role Manager or Owner is required, the key has role "${role}"`);
  }
  return null;
}
