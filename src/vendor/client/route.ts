import type { z } from 'zod';

import { namesInPath } from './address.ts';
import type { SecretPlace } from './hide-secrets.ts';

/** Decides address and credential: readiness lives at `app_url`, and only `v0` takes a JWT. */
export type RouteFamily = 'analytics' | 'readiness' | 'v0';

/** How the next page is requested: `meta.next_cursor`, `pagination.nextCursor`, or the last id received. */
export type PageStyle = 'meta' | 'cursor' | 'after';

/** One operation of the service. */
export interface Route {
  readonly id: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly path: string;
  readonly family: RouteFamily;
  /** Parameters named in the path go there; the rest are the query of a GET, else the body. */
  readonly parameters: z.ZodObject;
  readonly response: z.ZodObject;
  /** The response with `group_by`. */
  readonly grouped?: z.ZodObject;
  /** Documented success status; another 2xx with a valid body passes too. */
  readonly status: 200 | 202;
  /** List fields of the response. */
  readonly lists: readonly string[];
  readonly pages: PageStyle | null;
  readonly retry: RetryClass;
  readonly secrets: SecretPlace;
}

/** Where each parameter of a route travels. */
export function placeParameters(
  route: Pick<Route, 'method' | 'path'>,
  parameters: Readonly<Record<string, unknown>>,
): { query: Record<string, string>; body: Record<string, unknown> | undefined } {
  const inPath = new Set(namesInPath(route.path));
  const rest = Object.entries(parameters).filter(
    ([name, value]) => !inPath.has(name) && value !== undefined,
  );
  if (route.method !== 'GET') {
    return { query: {}, body: rest.length === 0 ? undefined : Object.fromEntries(rest) };
  }
  return {
    query: Object.fromEntries(rest.map(([name, value]) => [name, String(value)])),
    body: undefined,
  };
}

/** Finds the route of a typed method and path, if the table has it. */
export function matchRoute(
  table: readonly Route[],
  method: string,
  path: string,
): Route | undefined {
  const segments = path.split('/');
  return table.find((route) => {
    const wanted = route.path.split('/');
    return (
      route.method === method.toUpperCase() &&
      wanted.length === segments.length &&
      wanted.every((part, index) => part.startsWith('{') || part === segments[index])
    );
  });
}

/**
 * How a failed request may be retried.
 *
 * - `read`, `idempotent-write`: repeating is harmless
 * - `check-then-retry`: check whether it took effect before repeating
 * - `never-after-send`: never repeat what the service may have received
 */
export type RetryClass = 'read' | 'idempotent-write' | 'check-then-retry' | 'never-after-send';

/**
 * How a request failed.
 *
 * - `rate-limited`: 429
 * - `never-sent`: refused, unknown host, connection timeout
 * - `ambiguous`: 5xx, or sent without a complete response
 * - `final`: repeating cannot help
 */
export type Failure = 'rate-limited' | 'never-sent' | 'ambiguous' | 'final';

/** Whether the client may repeat the request; resources resolve ambiguous writes. */
export function mayRepeat(retry: RetryClass, failure: Failure): boolean {
  if (failure === 'final') return false;
  if (failure === 'rate-limited' || failure === 'never-sent') return true;
  return retry === 'read' || retry === 'idempotent-write';
}
