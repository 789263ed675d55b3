import type { z } from 'zod';

import { fillPath, isPlainHttp, urlOf } from './address.ts';
import type { CallOptions } from './client-options.ts';
import type { Credentials } from './credentials.ts';
import {
  InsecureAddressError,
  MissingAddressError,
  ResponseShapeError,
  ApiUsageError,
} from './api-errors.ts';
import type { HttpExchange } from './http-exchange.ts';
import { type DriftLog, parseResponse } from './parse-response.ts';
import type { OutgoingRequest } from './http-attempt.ts';
import { checkParameters, factsOf, placeParameters, type ServiceRoute } from './define-routes.ts';

/** Makes the typed calls. */
export type Caller = ReturnType<typeof createCaller>;

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

export function createCaller(parts: CallerParts) {
  return {
    note: parts.drift.note,
    /** @throws ApiError, one of its subclasses */
    call: async <Value>(
      route: ServiceRoute & { readonly response: z.ZodType<Value> },
      unchecked: unknown,
      options: CallOptions = {},
    ) => {
      const parameters = checkParameters(route, unchecked);
      const { family, retry, secrets } = route;
      const template = family === 'readiness' ? (parts.readinessPath ?? route.path) : route.path;
      const placed = {
        facts: factsOf(route, pathOf(template, route, parameters)),
        ...placeParameters(route, parameters),
      };
      const request = outgoing(
        parts,
        { family, retry, secrets, accepts: 'json', ...placed },
        options,
      );
      const { body, status, attempts } = await parts.exchange(request, options);
      const facts = { ...request.facts, status, attempts };
      const parsed = parseResponse<Value>(route.response, body, route.lists, (drift) => {
        parts.drift.note(route.id, drift);
        if (parts.strict) throw shapeError(drift.jsonPath, `drift: ${drift.kind}`, facts);
      });
      if (!parsed.ok) throw shapeError(parsed.jsonPath, parsed.problem, facts);
      // `badItems` were removed from the lists; `raw` is as the service sent it, secrets hidden.
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

/** A checked request to the address of its family. @throws MissingAddressError; InsecureAddressError; UsageError */
export function outgoing(
  { baseUrl, appUrl, allowHttp, credentials }: CallerParts,
  {
    query,
    body,
    ...request
  }: Pick<OutgoingRequest, 'facts' | 'family' | 'retry' | 'secrets' | 'accepts'> & {
    readonly query: Readonly<Record<string, string>>;
    readonly body: unknown;
  },
  { headers = {}, credential }: CallOptions,
): OutgoingRequest {
  const { facts, family } = request;
  const isApp = family === 'readiness';
  const address = isApp ? appUrl : baseUrl;
  const name = isApp ? 'app_url' : 'base_url';
  if (address === undefined) {
    throw new MissingAddressError(`${name} is not configured`, { ...facts, attempts: 0 });
  }
  if (!allowHttp && isPlainHttp(address)) {
    throw new InsecureAddressError(
      `${name} would send the key without TLS to another machine: it begins with "http:", expected "https:"`,
      { ...facts, attempts: 0, hint: 'Write https://, or set api.allow_http: true' },
    );
  }
  // With two credentials in one request it would be unclear which one counts.
  if (Object.keys(headers).some((key) => key.toLowerCase() === 'authorization')) {
    const reason = 'header "authorization" is set by the client: configure a key instead';
    throw new ApiUsageError(reason, { ...facts, attempts: 0 });
  }
  // The rest is not documented to accept a JWT.
  const kind = family === 'v0' && credentials.has('jwt') ? 'jwt' : 'key';
  return {
    ...request,
    url: urlOf(address, facts.path, query),
    address: isApp ? 'app' : 'base',
    credential: credential ?? kind,
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}
