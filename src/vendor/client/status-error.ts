import type { AttemptResult } from './attempt.ts';
import { readErrorBody } from './error-body.ts';
import {
  type ApiError,
  type ApiErrorFacts,
  AuthError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  RedirectError,
  ServerError,
  TooLargeError,
  UnexpectedStatusError,
  UnprocessableError,
} from './errors.ts';
import { hideSecrets } from './hide-secrets.ts';
import type { OutgoingRequest } from './read-answer.ts';
import { retryAfterMs } from './wait.ts';

const byStatus: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  413: TooLargeError,
  422: UnprocessableError,
};

/** The error for a response other than 2xx. */
export function statusError(
  answer: Extract<AttemptResult, { kind: 'answer' }>,
  request: OutgoingRequest,
  context: { attempts: number; scrub: (text: string) => string; hint?: string; now: number },
): ApiError {
  const { status, headers } = answer;
  const text = hideInText(answer.text, request);
  const body = scrubbed(readErrorBody(text, headers), context.scrub);
  const facts: ApiErrorFacts = {
    ...request.facts,
    ...body,
    status,
    attempts: context.attempts,
    rawBody: context.scrub(text),
    hint: context.hint,
  };
  if (status >= 300 && status < 400) {
    return new RedirectError(redirectReason(headers.get('location'), request, status), facts);
  }
  const reason = reasonOf(status, body);
  const advice = { retryAfterMs: retryAfterMs(headers, context.now) };
  if (status === 429) return new RateLimitError(reason, { ...facts, ...advice });
  if (status >= 500) return new ServerError(reason, { ...facts, ...advice });
  return new (byStatus[status] ?? UnexpectedStatusError)(reason, facts);
}

interface Said {
  readonly title: string | undefined;
  readonly detail: string | undefined;
  readonly requestId: string | undefined;
}

function reasonOf(status: number, { title, detail, requestId }: Said): string {
  const said = [title, detail].filter((part) => part !== undefined).join(': ');
  const id = requestId === undefined ? '' : ` (request id "${requestId}")`;
  return `the service returned ${status}${said === '' ? '' : `: ${said}`}${id}`;
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

function scrubbed(said: Said, scrub: (text: string) => string): Said {
  const clean = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : scrub(text);
  return {
    title: clean(said.title),
    detail: clean(said.detail),
    requestId: clean(said.requestId),
  };
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
