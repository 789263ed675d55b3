import { checkRawPath } from './address.ts';
import { type CallerParts, outgoing } from './request-caller.ts';
import { isJsonObject } from '../../platform/json.ts';
import type { CallOptions } from './client-options.ts';
import {
  AmbiguousWriteError,
  mayHaveHappened,
  ApiUsageError,
  type ApiErrorFacts,
} from './api-errors.ts';
import { idOf, type Page, pageGuard, positionIn, walkCursors } from './pagination.ts';
import {
  matchRoute,
  type RetryClass,
  type ServiceRoute,
  type RouteFamily,
} from './define-routes.ts';
import { routes } from './routes.ts';

export interface RawOptions extends CallOptions {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Address to use for a path outside the route table; `base` by default. */
  readonly address?: 'base' | 'app';
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** As the service sent it, secrets hidden; the text of a non-JSON response, null for an empty one. */
  readonly body: unknown;
}

export type RawRequest = (method: string, path: string, options?: RawOptions) => Promise<RawAnswer>;

/** Calls any method and path, checking only the path; routes in the table are treated like their typed calls. */
export function createRawRequest(parts: CallerParts): RawRequest {
  return async (typedMethod, path, options = {}) => {
    const method = typedMethod.toUpperCase();
    const route = matchRoute(tableFor(parts.readinessPath), method, path);
    const facts = { route: route?.id ?? 'raw', method, path };
    refuse(method, path, { ...facts, attempts: 0 });
    const family = route?.family ?? familyOf(path, options.address ?? 'base');
    const request = outgoing(
      parts,
      {
        facts,
        family,
        query: options.query ?? {},
        body: options.body,
        retry: route?.retry ?? retryOf(method),
        secrets: route?.secrets ?? 'any',
        accepts: 'anything',
      },
      options,
    );
    try {
      const { status, headers, body } = await parts.exchange(request, options);
      return { status, headers, body };
    } catch (error) {
      const isOpen = request.retry === 'never-after-send' || request.retry === 'check-then-retry';
      if (!isOpen || !mayHaveHappened(error)) throw error;
      const reason = 'the response was lost; whether it took effect is unknown';
      const { status, attempts } = error;
      const lost = { ...facts, status, attempts, cause: error, outcome: 'unknown' } as const;
      throw new AmbiguousWriteError(reason, lost);
    }
  };
}

function tableFor(readinessPath: string | undefined): readonly ServiceRoute[] {
  if (readinessPath === undefined) return Object.values(routes);
  return [{ ...routes['readiness.list'], path: readinessPath }, ...Object.values(routes)];
}

function familyOf(path: string, address: 'base' | 'app'): RouteFamily {
  if (address === 'app') return 'readiness';
  return path.startsWith('/api/v0/') ? 'v0' : 'analytics';
}

/** An unknown write is never repeated once it may have been received. */
function retryOf(method: string): RetryClass {
  return method === 'GET' || method === 'HEAD' ? 'read' : 'never-after-send';
}

function refuse(method: string, path: string, facts: ApiErrorFacts): void {
  try {
    checkRawPath(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'the path cannot be used';
    throw new ApiUsageError(reason, { ...facts, cause });
  }
  if (!/^(?:GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(method)) {
    throw new ApiUsageError(`method "${method}" is not an HTTP method`, facts);
  }
}

/**
 * Iterates over the pages of a raw GET, in the style of the responses; a response without one is the only page.
 *
 * @throws PaginationError when a cursor is missing or repeated, or there are too many pages
 */
export function rawPages(
  request: RawRequest,
  path: string,
  { query = {}, ...options }: RawOptions = {},
): AsyncGenerator<Page<unknown, RawAnswer>, void, undefined> {
  let name = 'cursor';
  return walkCursors(
    undefined,
    async (from) => {
      const next = from === undefined ? {} : { [name]: from };
      const raw = await request('GET', path, { ...options, query: { ...query, ...next } });
      const body = isJsonObject(raw.body) ? raw.body : {};
      const items = itemsOf(raw.body);
      if (!Array.isArray(body['reports'])) {
        return { items, badItems: [], raw, ...positionIn(body) };
      }
      name = 'startAfter';
      const cursor = idOf(items.at(-1));
      return { items, badItems: [], raw, hasMore: cursor !== '', cursor };
    },
    pageGuard({ id: 'raw', method: 'GET', path }, {}),
  );
}

/** Each list response of the interface has exactly one list. */
function itemsOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  const lists = Object.values(isJsonObject(body) ? body : {}).filter((one) => Array.isArray(one));
  return lists.length === 1 ? (lists[0] ?? []) : [body];
}
