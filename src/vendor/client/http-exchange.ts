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
import { retryDelayMs, DeadlineReached, withDeadline } from './wait.ts';

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

type Settings = 'middleware' | 'userAgent' | 'maxAnswerBytes' | 'onRateLimit';

export interface ExchangeParts extends Required<
  Pick<ClientOptions, Settings | 'now' | 'random' | 'sleep'>
> {
  readonly send: Send;
  readonly credentials: Credentials;
  readonly queueOf: (kind: Credential['kind']) => RequestQueue;
  readonly breaker: Breaker;
  readonly appUrl: string | undefined;
}

export type HttpExchange = (request: OutgoingRequest, options: CallOptions) => Promise<HttpResult>;

/** Sends a request until it succeeds, must not be repeated, or times out. */
export function createExchange(parts: ExchangeParts): HttpExchange {
  const { breaker } = parts;
  return async (request, options) => {
    if (options.priority !== 'background') return exchange(parts, request, options);
    const waitMs = breaker.enter();
    if (waitMs > 0) {
      const reason = `the service failed repeatedly, background requests pause for ${waitMs} ms`;
      throw new CircuitOpenError(reason, { ...request.facts, attempts: 0, retryAfterMs: waitMs });
    }
    try {
      const exchanged = await exchange(parts, request, options);
      breaker.succeeded();
      return exchanged;
    } catch (error) {
      const isDown = error instanceof ApiConnectionError || error instanceof ServerError;
      if (isDown) breaker.failed();
      else if (error instanceof ApiError && error.attempts > 0) breaker.succeeded();
      else breaker.gaveUp();
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
async function exchange(
  { credentials, queueOf, appUrl, now, sleep, ...parts }: ExchangeParts,
  request: OutgoingRequest,
  options: CallOptions,
): Promise<HttpResult> {
  const { facts, family, body, credential: kind } = request;
  const { priority = 'foreground', maxRetries = MAX_RETRIES } = options;
  const { timeoutMs = ATTEMPT_MS, totalTimeoutMs = TOTAL_MS } = options;
  const endsAt = now() + totalTimeoutMs;
  let attempts = 0;
  let retries = 0;
  let isRenewed = false;
  let last: ApiError | null = null;
  let wasLost = false;

  options.signal?.throwIfAborted();
  return withDeadline(totalTimeoutMs, options.signal, async (signal) => {
    try {
      return await repeat(signal);
    } catch (error) {
      // Time ran out while waiting for a turn or for the next attempt.
      if (!(error instanceof DeadlineReached)) throw error;
      throw last ?? connectionError('connect', { code: 'TIMEOUT', cause: error });
    }
  });

  async function repeat(signal: AbortSignal): Promise<HttpResult> {
    for (;;) {
      const credential = await readCredential();
      refuseLongPause();
      const result = await attemptWith(credential, signal);
      // The caller aborted and gets its own reason back; for writes the resource decides what that means.
      if (result.kind === 'broken' && result.code === 'ABORTED') throw result.cause;
      const outcome = judge(result);
      if (!('failure' in outcome)) return outcome;

      const { error, failure } = outcome;
      last = error;
      wasLost ||= failure === 'ambiguous';
      if (wasLost) noteLostAttempt(error);
      if (error instanceof AuthError && (await renew(credential))) continue;
      const waitMs = waitBefore(error, failure);
      if (waitMs === null || signal.aborted) throw error;
      retries += 1;
      await sleep(waitMs, signal);
    }
  }

  /** A call that cannot wait out the pause of the service fails immediately and sends nothing. */
  function refuseLongPause(): void {
    const pausedMs = queueOf(kind).pausedMs(priority);
    if (pausedMs === 0) return;
    if (maxRetries > 0 && pausedMs <= LONGEST_WAIT_MS && pausedMs < endsAt - now()) return;
    const reason = `the service asked for a pause, ${Math.ceil(pausedMs / 1_000)} s remaining`;
    throw new RateLimitError(reason, { ...facts, attempts, retryAfterMs: pausedMs });
  }

  async function readCredential(): Promise<Credential> {
    const problem = { ...facts, attempts, hint: hintFor('no-key', family, appUrl, kind) };
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

  async function renew(refused: Credential): Promise<boolean> {
    if (isRenewed) return false;
    isRenewed = true;
    // The refusal is more useful than the failure to reread the credential.
    return credentials.renew(refused).catch(() => false);
  }

  async function attemptWith(credential: Credential, signal: AbortSignal): Promise<AttemptResult> {
    const headers = new Headers(options.headers);
    headers.set('accept', 'application/json');
    headers.set('user-agent', parts.userAgent);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const send = withMiddleware(parts.send, parts.middleware, `Bearer ${credential.value}`);
    return queueOf(kind).run({
      priority,
      access: facts.method === 'GET' || facts.method === 'HEAD' ? 'read' : 'write',
      signal,
      task: () => {
        attempts += 1;
        const maxBodyBytes = parts.maxAnswerBytes;
        return attempt(send, request, { headers, timeoutMs, maxBodyBytes, signal });
      },
    });
  }

  function judge(result: AttemptResult): HttpResult | Failed {
    if (result.kind === 'broken') {
      const error = connectionError(result.phase, result);
      if (result.hopeless) return { error, failure: 'final' };
      return { error, failure: result.phase === 'connect' ? 'never-sent' : 'ambiguous' };
    }
    const { status, headers } = result;
    if (status < 200 || status > 299) return judgeStatus(result);
    const read = readAnswer(result, request);
    if (read.kind === 'json') return { status, headers, body: read.body, attempts };
    if (read.kind === 'broken') {
      return { error: connectionError('body', { code: read.code, status }), failure: 'ambiguous' };
    }
    const reason =
      read.kind === 'too-deep' ? 'the response is nested too deep' : 'the response is not JSON';
    const error = new ResponseShapeError(reason, { ...facts, status, attempts, jsonPath: '$' });
    return { error, failure: 'final' };
  }

  function judgeStatus(answer: ReceivedAnswer): Failed {
    const trouble = ({ 401: 'refused', 403: 'forbidden' } as const)[answer.status];
    const error = statusError(answer, request, {
      attempts,
      scrub: credentials.scrub,
      now: now(),
      ...(trouble !== undefined && { hint: hintFor(trouble, family, appUrl, kind) }),
    });
    if (error instanceof RateLimitError) {
      const { retryAfterMs } = error;
      queueOf(kind).pause({
        foreground: retryAfterMs ?? 0,
        background: retryAfterMs ?? BACKGROUND_REST_MS,
      });
      parts.onRateLimit({ route: facts.route, priority, retryAfterMs });
      return { error, failure: 'rate-limited' };
    }
    return { error, failure: error instanceof ServerError ? 'ambiguous' : 'final' };
  }

  /** ms until the next attempt; null without one. Waits that the service asks for are never shortened. */
  function waitBefore(error: ApiError, failure: Failure): number | null {
    if (retries >= maxRetries || !mayRepeat(request.retry, failure)) return null;
    const advises = error instanceof RateLimitError || error instanceof ServerError;
    const advice = advises ? (error.retryAfterMs ?? 0) : 0;
    const waitMs = advice || retryDelayMs(retries + 1, parts.random());
    return waitMs > LONGEST_WAIT_MS || waitMs >= endsAt - now() ? null : waitMs;
  }

  function connectionError(
    phase: Phase,
    { code, status, cause }: { code: string; status?: number | undefined; cause?: unknown },
  ): ApiConnectionError {
    const reason = {
      connect: `no connection (${code})`,
      headers: `no response (${code})`,
      body: `incomplete response (${code})`,
    }[phase];
    const hint = phase === 'connect' ? 'Check the network and "api.base_url"' : undefined;
    return new ApiConnectionError(reason, { ...facts, status, attempts, cause, phase, code, hint });
  }
}
