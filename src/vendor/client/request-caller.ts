import type { z } from 'zod';

import { fillPath, isPlainHttp, urlOf } from './address.ts';
import type { CallOptions } from './client-options.ts';
import type { CredentialKind, Credentials } from './credentials.ts';
import {
  InsecureAddressError,
  MissingAddressError,
  ResponseShapeError,
  ApiUsageError,
} from './api-errors.ts';
import type { HttpExchange } from './http-exchange.ts';
import { type BadItem, type DriftLog, parseResponse } from './parse-response.ts';
import type { OutgoingRequest } from './read-answer.ts';
import {
  checkParameters,
  factsOf,
  placeParameters,
  type ServiceRoute,
  type RouteFamily,
} from './define-routes.ts';

/** A parsed response. */
export interface ParsedAnswer<Value> {
  readonly value: Value;
  /** Invalid items, removed from the lists. */
  readonly badItems: readonly BadItem[];
  /** As the service sent it, secrets hidden. */
  readonly raw: unknown;
  readonly attempts: number;
}

/** Makes the typed calls. */
export interface Caller {
  /** @throws ApiError, one of its subclasses */
  readonly call: <Value>(
    route: ServiceRoute & { readonly response: z.ZodType<Value> },
    parameters: unknown,
    options?: CallOptions,
  ) => Promise<ParsedAnswer<Value>>;
  readonly note: DriftLog['note'];
}

export interface CallerParts {
  readonly baseUrl: string | undefined;
  readonly appUrl: string | undefined;
  readonly allowHttp: boolean;
  readonly readinessPath: string | undefined;
  readonly strict: boolean;
  readonly credentials: Credentials;
  readonly exchange: HttpExchange;
  readonly drift: DriftLog;
}

export function createCaller(parts: CallerParts): Caller {
  function prepare(
    route: ServiceRoute,
    parameters: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): OutgoingRequest {
    const template =
      route.family === 'readiness' ? (parts.readinessPath ?? route.path) : route.path;
    const facts = factsOf(route, pathOf(template, route, parameters));
    const { query, body } = placeParameters(route, parameters);
    const request = addressed(parts, route.family, facts, query);
    refuseAuthorization(options, facts);
    return {
      ...request,
      facts,
      family: route.family,
      credential: options.credential ?? credentialFor(route.family, parts.credentials),
      body: body === undefined ? undefined : JSON.stringify(body),
      retry: route.retry,
      secrets: route.secrets,
      accepts: 'json',
    };
  }

  return {
    note: (route, drift) => parts.drift.note(route, drift),
    call: async <Value>(
      route: ServiceRoute & { readonly response: z.ZodType<Value> },
      parameters: unknown,
      options: CallOptions = {},
    ) => {
      const checked = checkParameters(route, parameters);
      const request = prepare(route, checked, options);
      const { body, status, attempts } = await parts.exchange(request, options);
      const facts = { ...request.facts, status, attempts };
      const parsed = parseResponse<Value>(route.response, body, route.lists, (drift) => {
        parts.drift.note(route.id, drift);
        if (parts.strict) throw shapeError(drift.jsonPath, `drift: ${drift.kind}`, facts);
      });
      if (!parsed.ok) throw shapeError(parsed.jsonPath, parsed.problem, facts);
      return { value: parsed.value, badItems: parsed.badItems, raw: body, attempts };
    },
  };
}

function shapeError(
  jsonPath: string,
  problem: string,
  facts: OutgoingRequest['facts'] & { status: number; attempts: number },
): ResponseShapeError {
  const reason = `the response differs from the interface: ${jsonPath}: ${problem}`;
  return new ResponseShapeError(reason, { ...facts, jsonPath });
}

/** The path of a request, without address. @throws UsageError when a value does not fit into it */
export function pathOf(
  template: string,
  route: ServiceRoute,
  parameters: Readonly<Record<string, unknown>>,
): string {
  try {
    return fillPath(template, parameters);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'the path cannot be filled';
    throw new ApiUsageError(reason, { ...factsOf(route, template), attempts: 0, cause });
  }
}

/** The address of a family's requests. @throws MissingAddressError; InsecureAddressError */
export function addressed(
  { baseUrl, appUrl, allowHttp }: Pick<CallerParts, 'baseUrl' | 'appUrl' | 'allowHttp'>,
  family: RouteFamily,
  facts: OutgoingRequest['facts'],
  query: Readonly<Record<string, string>>,
): Pick<OutgoingRequest, 'url' | 'address'> {
  const isApp = family === 'readiness';
  const address = isApp ? appUrl : baseUrl;
  if (address === undefined) {
    const reason = `${isApp ? 'app_url' : 'base_url'} is not configured`;
    throw new MissingAddressError(reason, { ...facts, attempts: 0 });
  }
  if (!allowHttp && isPlainHttp(address)) {
    const name = isApp ? 'app_url' : 'base_url';
    throw new InsecureAddressError(
      `${name} would send the key without TLS to another machine: it begins with "http:", expected "https:"`,
      { ...facts, attempts: 0, hint: 'Write https://, or set api.allow_http: true' },
    );
  }
  return { url: urlOf(address, facts.path, query), address: isApp ? 'app' : 'base' };
}

/** The JWT goes to `/api/v0` only; the rest is not documented to accept one. */
export function credentialFor(family: RouteFamily, credentials: Credentials): CredentialKind {
  return family === 'v0' && credentials.has('jwt') ? 'jwt' : 'key';
}

/** With two credentials in one request it would be unclear which one counts. */
export function refuseAuthorization(
  { headers = {} }: CallOptions,
  facts: OutgoingRequest['facts'],
): void {
  if (!Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return;
  const reason = 'header "authorization" is set by the client: configure a key instead';
  throw new ApiUsageError(reason, { ...facts, attempts: 0 });
}
