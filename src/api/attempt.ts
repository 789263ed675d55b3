import { connectionFailure, innermostCode } from './connection-failure.ts';
import { DeadlineReached, withDeadline } from './deadline.ts';
import type { Phase } from './errors.ts';
import { readBody } from './read-body.ts';

/** One request as it goes out. */
export interface AttemptRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

export type AttemptResult =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Headers;
      readonly text: string;
    }
  | {
      readonly kind: 'broken';
      readonly phase: Phase;
      readonly code: string;
      readonly hopeless: boolean;
      /** Set once the headers came. */
      readonly status: number | undefined;
      readonly cause: unknown;
    };

/** Sends one request; the same shape as the global `fetch`, of which only this much is used. */
export type Send = (url: string, init: SendInit) => Promise<Response>;

export interface SendInit {
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** Of an answer that is no success, more than this tells nobody anything. */
const MAX_ERROR_BYTES = 65_536;

/**
 * One attempt, from the request to the last byte of the body: a connection that breaks while the body is read is
 * a failed attempt like any other.
 */
export async function attempt(
  send: Send,
  request: AttemptRequest,
  options: { timeoutMs: number; maxBodyBytes: number; signal: AbortSignal },
): Promise<AttemptResult> {
  return withDeadline(options.timeoutMs, options.signal, async (signal) => {
    let response: Response;
    try {
      response = await send(request.url, {
        method: request.method,
        headers: request.headers,
        ...(request.body !== undefined && { body: request.body }),
        redirect: 'manual',
        signal,
      });
    } catch (cause) {
      if (signal.aborted) return aborted(signal, 'headers', undefined);
      return { kind: 'broken', ...connectionFailure(cause), status: undefined, cause };
    }
    return readAnswer(response, signal, options.maxBodyBytes);
  });
}

async function readAnswer(
  response: Response,
  signal: AbortSignal,
  maxBodyBytes: number,
): Promise<AttemptResult> {
  const { status, headers, ok } = response;
  try {
    const { text, cut } = await readBody(response, ok ? maxBodyBytes : MAX_ERROR_BYTES);
    if (!cut || !ok) return { kind: 'answer', status, headers, text };
    const cause = new RangeError(`The answer is longer than ${maxBodyBytes} bytes`);
    return { kind: 'broken', phase: 'body', code: 'TOO_LONG', hopeless: true, status, cause };
  } catch (cause) {
    // The status says more than the body that would have come with it.
    if (!ok) return { kind: 'answer', status, headers, text: '' };
    if (signal.aborted) return aborted(signal, 'body', status);
    const { code } = innermostCode(cause);
    return { kind: 'broken', phase: 'body', code, hopeless: false, status, cause };
  }
}

function aborted(signal: AbortSignal, phase: Phase, status: number | undefined): AttemptResult {
  const cause: unknown = signal.reason;
  const code = cause instanceof DeadlineReached ? 'TIMEOUT' : 'ABORTED';
  return { kind: 'broken', phase, code, hopeless: false, status, cause };
}
