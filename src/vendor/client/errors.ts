/** What every error of the client tells. No field ever holds a credential. */
export interface ApiErrorFacts {
  /** Id in the route table, or "raw". */
  readonly route: string;
  readonly method: string;
  /** Without address and query. */
  readonly path: string;
  readonly status?: number | undefined;
  /** How often the request was sent; 0 when it never left. */
  readonly attempts: number;
  readonly requestId?: string | undefined;
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  /** The answer as it came, cut, with secrets hidden. */
  readonly rawBody?: string | undefined;
  /** What the person can do about it. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** Thrown by every call that fails; the subclasses say how. */
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
    const { cause } = facts;
    super(
      `Cannot ${facts.method} "${facts.path}": ${reason}`,
      cause === undefined ? undefined : { cause },
    );
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

  /**
   * The items of a list that had come when `all()` failed, in the order in which it gives them; empty for every other
   * call. They are not shown by `console.log`, `inspect` or a logger.
   */
  get received(): readonly unknown[] {
    return receivedBefore.get(this) ?? [];
  }
}

/** No property: what a list holds is not to get into logs with its error. */
const receivedBefore = new WeakMap<ApiError, readonly unknown[]>();

/** Keeps with an error what had come before the walk over pages failed. */
export function keepReceived(error: ApiError, items: readonly unknown[]): void {
  receivedBefore.set(error, items);
}

/** Thrown before anything is sent: an argument cannot be right. */
export class UsageError extends ApiError {
  override readonly name: string = 'UsageError';
}

/** Thrown before anything is sent: the address the call would go to is not configured. */
export class MissingAddressError extends UsageError {
  override readonly name = 'MissingAddressError';
}

/** Thrown before anything is sent: the key would go to another machine without TLS. */
export class InsecureAddressError extends UsageError {
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

/** Thrown before anything is sent: there is no key to send, or none that fits a header. */
export class MissingKeyError extends AuthError {
  override readonly name = 'MissingKeyError';
}

/** Thrown on 403. */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError';
}

/** Thrown on 404. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** Thrown on 409. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}

/** Thrown on 413: text, images or files are larger than the service takes. */
export class TooLargeError extends ApiError {
  override readonly name = 'TooLargeError';
}

/** Thrown on 422. */
export class UnprocessableError extends ApiError {
  override readonly name = 'UnprocessableError';
}

/** Thrown on 429, after the retries or when the wait is too long to sleep through. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
  /** ms until the service wants to hear of us again; null when it did not say. */
  readonly retryAfterMs: number | null;

  constructor(reason: string, facts: ApiErrorFacts & { readonly retryAfterMs: number | null }) {
    super(reason, facts);
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** Thrown on 5xx, after the retries. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
  readonly retryAfterMs: number | null;

  constructor(reason: string, facts: ApiErrorFacts & { readonly retryAfterMs: number | null }) {
    super(reason, facts);
    this.retryAfterMs = facts.retryAfterMs;
  }
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
 * How far a request came before the connection failed.
 *
 * - `connect`: it was never sent
 * - `headers`: it may have been received, no answer came
 * - `body`: the answer began (`status` is set) and broke off
 */
export type Phase = 'connect' | 'headers' | 'body';

/** Thrown when no whole answer came. */
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

/** Thrown by background calls while the service fails again and again. */
export class CircuitOpenError extends ApiError {
  override readonly name = 'CircuitOpenError';
  readonly retryAfterMs: number;

  constructor(reason: string, facts: ApiErrorFacts & { readonly retryAfterMs: number }) {
    super(reason, facts);
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** Thrown when an answer lacks what the interface requires or holds a wrong type. */
export class ResponseShapeError extends ApiError {
  override readonly name = 'ResponseShapeError';
  /** Where, e.g. `$.sessions[3].status`. */
  readonly jsonPath: string;

  constructor(reason: string, facts: ApiErrorFacts & { readonly jsonPath: string }) {
    super(reason, facts);
    this.jsonPath = facts.jsonPath;
  }
}

/** Thrown when a walk over pages cannot go on: a cursor is missing or repeated, or there are too many pages. */
export class PaginationError extends ApiError {
  override readonly name = 'PaginationError';
}

/**
 * Thrown when a write may or may not have happened and must not be repeated blindly.
 *
 * - `not-delivered`: looked up afterwards; nothing changed. Resending is for the person to decide.
 * - `unknown`: nobody can tell.
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

/** Whether a write was accepted though it failed: a 2xx came, and only its body broke or did not fit. */
export function wasAccepted(error: unknown): boolean {
  if (!(error instanceof ApiConnectionError || error instanceof ResponseShapeError)) return false;
  return error.status !== undefined && error.status >= 200 && error.status < 300;
}

/** Errors of calls of which an earlier attempt may have been taken, whatever the last one says. */
const afterLostAttempt = new WeakSet<ApiError>();

/** Notes that the answer to an earlier attempt of the same call was lost. */
export function noteLostAttempt(error: ApiError): void {
  afterLostAttempt.add(error);
}

/** Whether a failed write may have happened all the same. */
export function mayHaveHappened(error: unknown): error is ApiError {
  if (error instanceof ApiError && afterLostAttempt.has(error)) return true;
  if (error instanceof ApiConnectionError) return error.phase !== 'connect';
  return error instanceof ServerError || (error instanceof ApiError && wasAccepted(error));
}
