import { parseJson } from '../../platform/json.ts';
import type { ReceivedAnswer, OutgoingRequest } from './http-attempt.ts';
import {
  type ApiError,
  type ApiErrorFacts,
  AuthError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  ApiNotFoundError,
  RateLimitError,
  RedirectError,
  ServerError,
  TooLargeError,
  UnexpectedStatusError,
  UnprocessableError,
} from './api-errors.ts';
import { hideSecrets } from './hide-secrets.ts';
import { retryAfterMs } from './wait.ts';

const byStatus: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthError,
  403: ForbiddenError,
  404: ApiNotFoundError,
  409: ConflictError,
  413: TooLargeError,
  422: UnprocessableError,
};

/** The error for a response other than 2xx. */
export function statusError(
  answer: ReceivedAnswer,
  request: OutgoingRequest,
  context: { attempts: number; scrub: (text: string) => string; hint?: string; now: number },
): ApiError {
  const { status, headers } = answer;
  const text = hideInText(answer.text, request);
  const body = readErrorBody(text, headers);
  const [title, detail, requestId] = [body.title, body.detail, body.requestId].map(
    (part) => part && context.scrub(part),
  );
  const facts = {
    ...request.facts,
    title,
    detail,
    requestId,
    status,
    attempts: context.attempts,
    rawBody: context.scrub(text),
    hint: context.hint,
  };
  if (status >= 300 && status < 400) {
    return new RedirectError(redirectReason(headers.get('location'), request, status), facts);
  }
  const reason = reasonOf(status, { title, detail, requestId });
  const advice = { retryAfterMs: retryAfterMs(headers, context.now) };
  if (status === 429) return new RateLimitError(reason, { ...facts, ...advice });
  if (status >= 500) return new ServerError(reason, { ...facts, ...advice });
  return new (byStatus[status] ?? UnexpectedStatusError)(reason, facts);
}

function reasonOf(status: number, { title, detail, requestId }: ErrorBody): string {
  const explanation = [title, detail].filter((part) => part !== undefined).join(': ');
  const id = requestId === undefined ? '' : ` (request id "${requestId}")`;
  return `the service returned ${status}${explanation === '' ? '' : `: ${explanation}`}${id}`;
}

function redirectReason(location: string | null, request: OutgoingRequest, status: number): string {
  const setting = request.address === 'app' ? 'app_url' : 'base_url';
  if (location === null || !URL.canParse(location, request.url)) {
    return `the service returned ${status} without a new address; check ${setting}`;
  }
  // Omit user name and query, which may hold a token.
  const { origin, pathname } = new URL(location, request.url);
  return `${setting} is redirected to "${origin}${pathname}", which is not followed; set ${setting} to the new address`;
}

/** A body that echoes settings must not carry their secrets into an error. */
function hideInText(text: string, { secrets }: OutgoingRequest): string {
  if (secrets === 'none') return text;
  try {
    return JSON.stringify(hideSecrets(JSON.parse(text), secrets));
  } catch {
    return /^\s*[[{]/.test(text) ? '(not readable as JSON)' : text;
  }
}

/** The content of an error body of any form. */
type ErrorBody = Pick<ApiErrorFacts, 'title' | 'detail' | 'requestId'>;

const MAX_TEXT = 300;
const MAX_REASONS = 5;
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-amzn-requestid', 'cf-ray'];

/**
 * Reads the body of an error: the documented `{title, detail, status, requestId}`, problem JSON, `{message}`,
 * `{error: …}`, `{errors: […]}`, HTML, text or nothing.
 */
export function readErrorBody(text: string, headers: Headers): ErrorBody {
  const json = parseJson(text) ?? undefined;
  const fromHeader = REQUEST_ID_HEADERS.map((name) => headers.get(name)).find(
    (value) => value !== null && value !== '',
  );
  if (json === undefined) {
    return { title: undefined, detail: plain(text), requestId: fromHeader ?? undefined };
  }
  const inner = field(json, 'error');
  const sources = [json, inner];
  const explanation =
    pick(sources, ['detail', 'message', 'error_description']) ?? plain(inner ?? json);
  const reasons = reasonsIn(
    field(json, 'errors') ?? field(inner, 'errors') ?? field(json, 'detail'),
  );
  return {
    title: pick(sources, ['title']),
    detail: plain([explanation, reasons].filter((part) => part !== undefined).join(': ')),
    requestId: pick(sources, ['requestId', 'request_id']) ?? fromHeader ?? undefined,
  };
}

function pick(sources: readonly unknown[], names: readonly string[]): string | undefined {
  for (const source of sources) {
    for (const name of names) {
      const value = plain(field(source, name));
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

/** A short line of text: no markup, no control characters. */
function plain(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value
    .slice(0, 20_000)
    .replaceAll(/<(script|style|head)\b[^>]*>[^]*?<\/\1>/gi, ' ')
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  if (line === '') return undefined;
  return line.length <= MAX_TEXT ? line : `${line.slice(0, MAX_TEXT - 1)}…`;
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const entry = Object.entries(value).find(([key]) => key === name);
  return entry?.[1] ?? undefined;
}

/** Such as those of a 422: strings, objects with text and place, or lists of strings by field. */
function reasonsIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const texts = Array.isArray(value)
    ? value.map(detailOf)
    : Object.entries(value).map(([name, reason]: [string, unknown]) => {
        const reasons = (Array.isArray(reason) ? reason : [reason]).map(detailOf);
        const text = reasons.filter((one) => one !== undefined).join(', ');
        return text === '' ? undefined : `${name} ${text}`;
      });
  const found = texts.filter((text) => text !== undefined);
  if (found.length === 0) return undefined;
  const more = found.length > MAX_REASONS ? [`and ${found.length - MAX_REASONS} more`] : [];
  return [...found.slice(0, MAX_REASONS), ...more].join('; ');
}

function detailOf(value: unknown): string | undefined {
  const text =
    plain(value) ??
    pick([value], ['detail', 'message', 'msg', 'error', 'reason', 'description', 'title', 'code']);
  if (text === undefined) return undefined;
  const place = ['field', 'path', 'pointer', 'param', 'loc', 'property', 'email']
    .map((name) => field(value, name))
    .find((one) => one !== undefined);
  const where = Array.isArray(place) ? place.join('.') : plain(place);
  return where === undefined ? text : `${where}: ${text}`;
}
