import type { IncomingHttpHeaders } from 'node:http';

import { type Answer, type Refusal, refuse } from './call.ts';
import { credentialProblem, queryProblem, rangeProblem } from './checks/query-checks.ts';
import type { Found } from './http/find-route.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import type { Knobs } from './keys.ts';
import type { Route } from './route-table.ts';
import type { World } from './world.ts';

/** A request as it came. */
export interface Asked {
  readonly found: Found;
  readonly method: string;
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Checks a request by the document and answers it: address, method, credential, role, query, body, in this order. */
export function respond(asked: Asked, world: World, now: number, knobs: Knobs): Answer {
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

function pathProblem(route: Route, path: ReadonlyMap<string, string>): string | null {
  for (const [name, check] of Object.entries(route.pathChecks ?? {})) {
    const problem = check(path.get(name));
    if (problem !== null) return `The part "${name}" of the path ${problem}`;
  }
  return null;
}

type ReadBody =
  | { readonly refusal: Refusal }
  | { readonly refusal?: undefined; readonly body: JsonObject };

function readBody({ headers, body }: Asked, route: Route): ReadBody {
  if (route.body === undefined) {
    return body === '' ? { body: {} } : { refusal: refuse(400, 'No body is expected') };
  }
  const type = headers['content-type'] ?? '';
  if (!/^application\/json *(?:;|$)/i.test(type)) {
    return { refusal: refuse(415, `Content-Type is "${type}", expected "application/json"`) };
  }
  const parsed = parse(body);
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

/** @returns undefined, which no check takes, when it is no JSON */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
