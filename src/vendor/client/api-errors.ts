/** Fields of every error of the client, without credentials. */
export interface ApiErrorFacts {
  /** Id in the route table, or "raw". */
  readonly route: string;
  readonly method: string;
  /** Without address and query. */
  readonly path: string;
  readonly status?: number | undefined;
  /** How often the request was sent; 0 if never. */
  readonly attempts: number;
  readonly requestId?: string | undefined;
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  /** The response body, cut, with secrets hidden. */
  readonly rawBody?: string | undefined;
  /** What the user can do about it. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** Thrown by every failed call; the subclasses give the cause. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly status: number | undefined;
  readonly attempts: number;
  readonly requestId: string | undefined;
  readonly title: string | undefined;
  readonly detail: string | undefined;
  readonly rawBody: string | undefined;
  readonly hint: string | undefined;

  constructor(reason: string, facts: ApiErrorFacts) {
    const { method, path, cause } = facts;
    super(`Cannot ${method} "${path}": ${reason}`, cause === undefined ? undefined : { cause });
    this.route = facts.route;
    this.method = facts.method;
    this.path = facts.path;
    this.status = facts.status;
    this.attempts = facts.attempts;
    this.requestId = facts.requestId;
    this.title = facts.title;
    this.detail = facts.detail;
    this.rawBody = facts.rawBody;
    this.hint = facts.hint;
  }

  /** The items received before `all()` failed; empty for every other call. Not shown by `console.log` or a logger. */
  get received(): readonly unknown[] {
    return receivedBefore.get(this) ?? [];
  }
}

/** Not a property, so that list items do not get into logs with the error. */
const receivedBefore = new WeakMap<ApiError, readonly unknown[]>();

export function keepReceived(error: ApiError, items: readonly unknown[]): void {
  receivedBefore.set(error, items);
}

/** Thrown before sending: an argument is invalid. */
export class ApiUsageError extends ApiError {
  override readonly name: string = 'UsageError';
}

/** Thrown before sending: the address of the call is not configured. */
export class MissingAddressError extends ApiUsageError {
  override readonly name = 'MissingAddressError';
}

/** Thrown before sending: the key would go to another machine without TLS. */
export class InsecureAddressError extends ApiUsageError {
  override readonly name = 'InsecureAddressError';
}

/** Thrown on 400. */
export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError';
}

/** Thrown on 401. */
export class AuthError extends ApiError {
  override readonly name: string = 'AuthError';
}

/** Thrown before sending: the key is missing or does not fit a header. */
export class MissingKeyError extends AuthError {
  override readonly name = 'MissingKeyError';
}

/** Thrown on 403. */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError';
}

/** Thrown on 404. */
export class ApiNotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** Thrown on 409. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}

/** Thrown on 413: text, images or files are too large for the service. */
export class TooLargeError extends ApiError {
  override readonly name = 'TooLargeError';
}

/** Thrown on 422. */
export class UnprocessableError extends ApiError {
  override readonly name = 'UnprocessableError';
}

class LaterError<Wait extends number | null> extends ApiError {
  /** ms until the service accepts the next request; null if unknown. */
  readonly retryAfterMs: Wait;

  constructor(reason: string, facts: ApiErrorFacts & { readonly retryAfterMs: Wait }) {
    super(reason, facts);
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** Thrown on 429, after the retries or when the wait is too long to sleep through. */
export class RateLimitError extends LaterError<number | null> {
  override readonly name = 'RateLimitError';
}

/** Thrown on 5xx, after the retries. */
export class ServerError extends LaterError<number | null> {
  override readonly name = 'ServerError';
}

/** Thrown on 3xx: redirects are never followed, so that the key cannot reach another origin. */
export class RedirectError extends ApiError {
  override readonly name = 'RedirectError';
}

/** Thrown on any other status that is not 2xx. */
export class UnexpectedStatusError extends ApiError {
  override readonly name = 'UnexpectedStatusError';
}

/**
 * Progress of a request before the connection failed.
 *
 * - `connect`: never sent
 * - `headers`: possibly received, no response
 * - `body`: the response began (`status` is set) and broke off
 */
export type Phase = 'connect' | 'headers' | 'body';

/** Thrown when the response is missing or incomplete. */
export class ApiConnectionError extends ApiError {
  override readonly name = 'ApiConnectionError';
  readonly phase: Phase;
  /** Of the system or of the client: "ECONNREFUSED", "TIMEOUT", "BAD_JSON", … */
  readonly code: string;

  constructor(
    reason: string,
    facts: ApiErrorFacts & { readonly phase: Phase; readonly code: string },
  ) {
    super(reason, facts);
    this.phase = facts.phase;
    this.code = facts.code;
  }
}

/** Thrown by background calls while the service fails repeatedly. */
export class CircuitOpenError extends LaterError<number> {
  override readonly name = 'CircuitOpenError';
}

/** Thrown when a response lacks a required field or has a wrong type. */
export class ResponseShapeError extends ApiError {
  override readonly name = 'ResponseShapeError';
  /** Where, e.g. `$.sessions[3].status`. */
  readonly jsonPath: string;

  constructor(reason: string, facts: ApiErrorFacts & { readonly jsonPath: string }) {
    super(reason, facts);
    this.jsonPath = facts.jsonPath;
  }
}

/** Thrown when paging cannot continue: a cursor is missing or repeated, or the pages are too many. */
export class PaginationError extends ApiError {
  override readonly name = 'PaginationError';
}

/**
 * Thrown when a write may or may not have happened and must not be repeated blindly.
 *
 * - `not-delivered`: a later check found no change. The user decides whether to resend.
 * - `unknown`: the outcome cannot be determined.
 */
export class AmbiguousWriteError extends ApiError {
  override readonly name = 'AmbiguousWriteError';
  readonly outcome: 'not-delivered' | 'unknown';

  constructor(
    reason: string,
    facts: ApiErrorFacts & { readonly outcome: 'not-delivered' | 'unknown' },
  ) {
    super(reason, facts);
    this.outcome = facts.outcome;
  }
}

/** Whether a failed write was accepted: the status was 2xx, and only the body was broken or invalid. */
export function wasAccepted(error: unknown): boolean {
  if (!(error instanceof ApiConnectionError || error instanceof ResponseShapeError)) return false;
  return error.status !== undefined && error.status >= 200 && error.status < 300;
}

/** Errors of calls with an earlier attempt that may have been accepted. */
const afterLostAttempt = new WeakSet<ApiError>();

/** Records that the response to an earlier attempt of the same call was lost. */
export function noteLostAttempt(error: ApiError): void {
  afterLostAttempt.add(error);
}

/** Whether a failed write may have taken effect. */
export function mayHaveHappened(error: unknown): error is ApiError {
  if (error instanceof ApiError && afterLostAttempt.has(error)) return true;
  if (error instanceof ApiConnectionError) return error.phase !== 'connect';
  return error instanceof ServerError || (error instanceof ApiError && wasAccepted(error));
}
