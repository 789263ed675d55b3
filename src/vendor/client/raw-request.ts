import { checkRawPath } from './address.ts';
import {
  addressed,
  type CallerParts,
  credentialFor,
  refuseAuthorization,
} from './request-caller.ts';
import { isJsonObject } from '../../platform/json.ts';
import type { CallOptions } from './client-options.ts';
import { AmbiguousWriteError, mayHaveHappened, ApiUsageError } from './api-errors.ts';
import { idOf, type Page, pageGuard, positionIn, walkCursors } from './pagination.ts';
import type { OutgoingRequest } from './read-answer.ts';
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

/**
 * Calls any method and path, checking only the path, with the same credentials, retries, queue and redaction. Routes in the
 * table are treated like their typed calls.
 */
export function createRawRequest(parts: CallerParts): RawRequest {
  return async (typedMethod, path, options = {}) => {
    const method = typedMethod.toUpperCase();
    const route = matchRoute(tableFor(parts.readinessPath), method, path);
    const facts = { route: route?.id ?? 'raw', method, path };
    refuse(method, path, facts);
    refuseAuthorization(options, facts);
    const family = route?.family ?? familyOf(path, options.address ?? 'base');
    const request: OutgoingRequest = {
      ...addressed(parts, family, facts, options.query ?? {}),
      facts,
      family,
      credential: options.credential ?? credentialFor(family, parts.credentials),
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      retry: route?.retry ?? retryOf(method),
      secrets: route?.secrets ?? 'any',
      accepts: 'anything',
    };
    try {
      const { status, headers, body } = await parts.exchange(request, options);
      return { status, headers, body };
    } catch (error) {
      const isOpen = request.retry === 'never-after-send' || request.retry === 'check-then-retry';
      if (!isOpen || !mayHaveHappened(error)) throw error;
      const reason = 'the response was lost; whether it took effect is unknown';
      const { status, attempts } = error;
      throw new AmbiguousWriteError(reason, {
        ...facts,
        status,
        attempts,
        cause: error,
        outcome: 'unknown',
      });
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

function refuse(method: string, path: string, facts: OutgoingRequest['facts']): void {
  try {
    checkRawPath(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'the path cannot be used';
    throw new ApiUsageError(reason, { ...facts, attempts: 0, cause });
  }
  if (!/^(?:GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(method)) {
    throw new ApiUsageError(`method "${method}" is not an HTTP method`, { ...facts, attempts: 0 });
  }
}

/**
 * Iterates over the pages of a raw GET, in the style of the responses (one of the service's three); a response without a
 * style is the only page. `raw` of a page is the whole response.
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

/** The single list of a response: each list response of the interface has exactly one. */
function itemsOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  const lists = Object.values(isJsonObject(body) ? body : {}).filter((one) => Array.isArray(one));
  return lists.length === 1 ? (lists[0] ?? []) : [body];
}
