import { DeadlineReached, withDeadline } from './wait.ts';
import type { Phase } from './api-errors.ts';

/** Failures before any byte of the request was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_PROXY_UNREACHABLE',
  'ERR_PROXY_REFUSED',
  'ERR_PROXY_LOGIN',
]);
/** The handshake fails before the request, and would fail again. */
const CERTIFICATE = /CERT|SELF_SIGNED|ERR_TLS|ERR_SSL|UNABLE_TO_/;

interface ConnectionFailure {
  readonly phase: Phase;
  readonly code: string;
  /** Whether another attempt could succeed. */
  readonly hopeless: boolean;
}

/** Reads an error that `fetch` threw before the headers arrived. */
function connectionFailure(error: unknown): ConnectionFailure {
  const { code, syscall } = innermostCode(error);
  const hopeless = CERTIFICATE.test(code);
  const neverSent =
    hopeless || NEVER_SENT.has(code) || syscall === 'connect' || syscall === 'getaddrinfo';
  return { phase: neverSent ? 'connect' : 'headers', code, hopeless };
}

/** The code of an error or of its nearest cause with one, else "UNKNOWN". */
function innermostCode(error: unknown): { code: string; syscall: string | null } {
  let at: unknown = error;
  // Causes can form a ring.
  for (let depth = 0; depth < 10 && at instanceof Error; depth += 1) {
    if ('code' in at && typeof at.code === 'string') {
      const syscall = 'syscall' in at && typeof at.syscall === 'string' ? at.syscall : null;
      return { code: at.code, syscall };
    }
    at = at.cause;
  }
  return { code: 'UNKNOWN', syscall: null };
}

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
      /** Set once the headers arrived. */
      readonly status: number | undefined;
      readonly cause: unknown;
    };

/** Sends one request; the used subset of the global `fetch`. */
export type Send = (url: string, init: SendInit) => Promise<Response>;

export interface SendInit {
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** Maximum size of an error body; more is not useful. */
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
    const cause = new RangeError(`The response is longer than ${maxBodyBytes} bytes`);
    return { kind: 'broken', phase: 'body', code: 'TOO_LONG', hopeless: true, status, cause };
  } catch (cause) {
    // The status is more useful than the missing body.
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

/** Reads a body up to a maximum size and discards the rest. Invalid UTF-8 becomes U+FFFD, a BOM is removed. */
async function readBody(
  response: Response,
  maxBytes: number,
): Promise<{ text: string; cut: boolean }> {
  if (response.body === null) return { text: '', cut: false };
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      return { text: pieces.join('') + decoder.decode(), cut: true };
    }
    pieces.push(decoder.decode(value, { stream: true }));
  }
  return { text: pieces.join('') + decoder.decode(), cut: false };
}
