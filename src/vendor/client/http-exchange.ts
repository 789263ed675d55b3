import {
  attempt,
  type ReceivedAnswer,
  type AttemptResult,
  type OutgoingRequest,
  readAnswer,
  type Send,
} from './http-attempt.ts';
import { type CallOptions, type ClientOptions, withMiddleware } from './client-options.ts';
import { type Credential, type Credentials, hintFor, nameOf } from './credentials.ts';
import {
  ApiConnectionError,
  ApiError,
  AuthError,
  CircuitOpenError,
  MissingKeyError,
  noteLostAttempt,
  type Phase,
  RateLimitError,
  ResponseShapeError,
  ServerError,
} from './api-errors.ts';
import type { Breaker, RequestQueue } from './request-queue.ts';
import { type Failure, mayRepeat } from './define-routes.ts';
import { statusError } from './status-error.ts';
import { retryDelayMs, DeadlineReached, type Sleep, withDeadline } from './wait.ts';

const ATTEMPT_MS = 30_000;
const TOTAL_MS = 120_000;
const MAX_RETRIES = 2;
/** Longer waits are returned to the caller instead of slept through. */
const LONGEST_WAIT_MS = 60_000;
/** Pause of background work after a 429 without a retry time. */
const BACKGROUND_REST_MS = 30_000;

export interface HttpResult {
  readonly status: number;
  readonly headers: Headers;
  /** JSON, or the text of a non-JSON response if accepted; secrets hidden. */
  readonly body: unknown;
  readonly attempts: number;
}

/** The dependencies of an exchange. */
export interface ExchangeParts {
  readonly send: Send;
  readonly middleware: NonNullable<ClientOptions['middleware']>;
  readonly credentials: Credentials;
  readonly queueOf: (kind: Credential['kind']) => RequestQueue;
  readonly breaker: Breaker;
  readonly appUrl: string | undefined;
  readonly userAgent: string;
  readonly maxAnswerBytes: number;
  readonly onRateLimit: NonNullable<ClientOptions['onRateLimit']>;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
}

export type HttpExchange = (request: OutgoingRequest, options: CallOptions) => Promise<HttpResult>;

/** Sends a request until it succeeds, must not be repeated, or times out. */
export function createExchange(parts: ExchangeParts): HttpExchange {
  return async (request, options) => {
    if (options.priority !== 'background') return new Run(parts, request, options).finish();
    const waitMs = parts.breaker.enter();
    if (waitMs > 0) {
      throw new CircuitOpenError(
        `the service failed repeatedly, background requests pause for ${waitMs} ms`,
        { ...request.facts, attempts: 0, retryAfterMs: waitMs },
      );
    }
    try {
      const exchanged = await new Run(parts, request, options).finish();
      parts.breaker.succeeded();
      return exchanged;
    } catch (error) {
      const isDown = error instanceof ApiConnectionError || error instanceof ServerError;
      if (isDown) parts.breaker.failed();
      else if (error instanceof ApiError && error.attempts > 0) parts.breaker.succeeded();
      else parts.breaker.gaveUp();
      throw error;
    }
  };
}

/** A failed attempt: its error if it is the last, and how to continue. */
interface Failed {
  readonly error: ApiError;
  readonly failure: Failure;
}

/** One call with all its attempts. */
class Run {
  readonly #parts: ExchangeParts;
  readonly #request: OutgoingRequest;
  readonly #options: CallOptions;
  readonly #endsAt: number;
  #attempts = 0;
  #retries = 0;
  #renewed = false;
  #last: ApiError | null = null;
  #wasLost = false;

  constructor(parts: ExchangeParts, request: OutgoingRequest, options: CallOptions) {
    this.#parts = parts;
    this.#request = request;
    this.#options = options;
    this.#endsAt = parts.now() + (options.totalTimeoutMs ?? TOTAL_MS);
  }

  async finish(): Promise<HttpResult> {
    const { signal: outer, totalTimeoutMs = TOTAL_MS } = this.#options;
    outer?.throwIfAborted();
    return withDeadline(totalTimeoutMs, outer, async (signal) => {
      try {
        return await this.#repeat(signal);
      } catch (error) {
        // Time ran out while waiting for a turn or for the next attempt.
        if (!(error instanceof DeadlineReached)) throw error;
        throw this.#last ?? this.#connectionError('connect', { code: 'TIMEOUT', cause: error });
      }
    });
  }

  async #repeat(signal: AbortSignal): Promise<HttpResult> {
    for (;;) {
      const credential = await this.#credential();
      this.#refuseLongPause(credential);
      const result = await this.#attempt(credential, signal);
      // The caller aborted and gets its own reason back; for writes the resource decides what that means.
      if (result.kind === 'broken' && result.code === 'ABORTED') throw result.cause;
      const outcome = this.#judge(result);
      if (!('failure' in outcome)) return outcome;

      const { error, failure } = outcome;
      this.#last = error;
      this.#wasLost ||= failure === 'ambiguous';
      if (this.#wasLost) noteLostAttempt(error);
      if (error instanceof AuthError && (await this.#renew(credential))) continue;
      const waitMs = this.#waitBefore(error, failure);
      if (waitMs === null || signal.aborted) throw error;
      this.#retries += 1;
      await this.#parts.sleep(waitMs, signal);
    }
  }

  /** A call that cannot wait out the pause of the service fails immediately and sends nothing. */
  #refuseLongPause({ kind }: Credential): void {
    const { priority = 'foreground', maxRetries = MAX_RETRIES } = this.#options;
    const pausedMs = this.#parts.queueOf(kind).pausedMs(priority);
    if (pausedMs === 0) return;
    const leftMs = this.#endsAt - this.#parts.now();
    if (maxRetries > 0 && pausedMs <= LONGEST_WAIT_MS && pausedMs < leftMs) return;
    throw new RateLimitError(
      `the service asked for a pause, ${Math.ceil(pausedMs / 1_000)} s remaining`,
      { ...this.#request.facts, attempts: this.#attempts, retryAfterMs: pausedMs },
    );
  }

  async #credential(): Promise<Credential> {
    const { credentials, appUrl } = this.#parts;
    const { credential: kind, family, facts } = this.#request;
    const hint = hintFor('no-key', family, appUrl, kind);
    const problem = { ...facts, attempts: this.#attempts, hint };
    let credential: Credential | null;
    try {
      credential = await credentials.get(kind);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : `the ${nameOf(kind)} is not readable`;
      throw new MissingKeyError(reason, { ...problem, cause });
    }
    if (credential !== null) return credential;
    throw new MissingKeyError(`no ${nameOf(kind)} is configured`, problem);
  }

  async #renew(refused: Credential): Promise<boolean> {
    if (this.#renewed) return false;
    this.#renewed = true;
    try {
      return await this.#parts.credentials.renew(refused);
    } catch {
      // The refusal is more useful than the failure to reread the credential.
      return false;
    }
  }

  async #attempt(credential: Credential, signal: AbortSignal): Promise<AttemptResult> {
    const { send, middleware, queueOf, maxAnswerBytes, userAgent } = this.#parts;
    const { facts, body } = this.#request;
    const headers = new Headers(this.#options.headers);
    headers.set('accept', 'application/json');
    headers.set('user-agent', userAgent);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const authorized = withMiddleware(send, middleware, `Bearer ${credential.value}`);
    const timeoutMs = this.#options.timeoutMs ?? ATTEMPT_MS;
    return queueOf(credential.kind).run({
      priority: this.#options.priority ?? 'foreground',
      access: facts.method === 'GET' || facts.method === 'HEAD' ? 'read' : 'write',
      signal,
      task: () => {
        this.#attempts += 1;
        const options = { headers, timeoutMs, maxBodyBytes: maxAnswerBytes, signal };
        return attempt(authorized, this.#request, options);
      },
    });
  }

  #judge(result: AttemptResult): HttpResult | Failed {
    if (result.kind === 'broken') {
      const error = this.#connectionError(result.phase, result);
      if (result.hopeless) return { error, failure: 'final' };
      return { error, failure: result.phase === 'connect' ? 'never-sent' : 'ambiguous' };
    }
    const { status, headers } = result;
    if (status < 200 || status > 299) return this.#judgeStatus(result);
    const read = readAnswer(result, this.#request);
    if (read.kind === 'json') {
      return { status, headers, body: read.body, attempts: this.#attempts };
    }
    if (read.kind === 'broken') {
      const error = this.#connectionError('body', { code: read.code, status });
      return { error, failure: 'ambiguous' };
    }
    const facts = { ...this.#request.facts, status, attempts: this.#attempts, jsonPath: '$' };
    const reason =
      read.kind === 'too-deep' ? 'the response is nested too deep' : 'the response is not JSON';
    return { error: new ResponseShapeError(reason, facts), failure: 'final' };
  }

  #judgeStatus(answer: ReceivedAnswer): Failed {
    const { family, facts } = this.#request;
    const { appUrl, credentials, now, queueOf, onRateLimit } = this.#parts;
    const trouble = ({ 401: 'refused', 403: 'forbidden' } as const)[answer.status];
    const error = statusError(answer, this.#request, {
      attempts: this.#attempts,
      scrub: credentials.scrub,
      now: now(),
      ...(trouble !== undefined && {
        hint: hintFor(trouble, family, appUrl, this.#request.credential),
      }),
    });
    if (error instanceof RateLimitError) {
      const { retryAfterMs } = error;
      queueOf(this.#request.credential).pause({
        foreground: retryAfterMs ?? 0,
        background: retryAfterMs ?? BACKGROUND_REST_MS,
      });
      const priority = this.#options.priority ?? 'foreground';
      onRateLimit({ route: facts.route, priority, retryAfterMs });
      return { error, failure: 'rate-limited' };
    }
    return { error, failure: error instanceof ServerError ? 'ambiguous' : 'final' };
  }

  /** ms until the next attempt; null without one. Waits that the service asks for are never shortened. */
  #waitBefore(error: ApiError, failure: Failure): number | null {
    if (this.#retries >= (this.#options.maxRetries ?? MAX_RETRIES)) return null;
    if (!mayRepeat(this.#request.retry, failure)) return null;
    const advises = error instanceof RateLimitError || error instanceof ServerError;
    const advice = advises ? (error.retryAfterMs ?? 0) : 0;
    const waitMs = advice || retryDelayMs(this.#retries + 1, this.#parts.random());
    const leftMs = this.#endsAt - this.#parts.now();
    return waitMs > LONGEST_WAIT_MS || waitMs >= leftMs ? null : waitMs;
  }

  #connectionError(
    phase: Phase,
    { code, status, cause }: { code: string; status?: number | undefined; cause?: unknown },
  ): ApiConnectionError {
    const reason = {
      connect: `no connection (${code})`,
      headers: `no response (${code})`,
      body: `incomplete response (${code})`,
    }[phase];
    const facts = { ...this.#request.facts, status, attempts: this.#attempts, cause };
    return new ApiConnectionError(reason, { ...facts, phase, code });
  }
}
