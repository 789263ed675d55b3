import type { RetryClass, RouteFamily } from './define-routes.ts';
import type { CredentialKind } from './credentials.ts';
import { hideSecrets, type SecretPlace } from './hide-secrets.ts';
import { DeadlineReached, withDeadline } from './wait.ts';
import type { ApiErrorFacts, Phase } from './api-errors.ts';

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

/** Reads an error that `fetch` threw before the headers arrived; hopeless: another attempt cannot succeed. */
function connectionFailure(error: unknown): Pick<Broken, 'phase' | 'code' | 'hopeless'> {
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

/** A request that passed all checks. */
export interface OutgoingRequest {
  /** Its identity, for errors. */
  readonly facts: Pick<ApiErrorFacts, 'route' | 'method' | 'path'>;
  readonly url: string;
  readonly address: 'base' | 'app';
  readonly family: RouteFamily;
  readonly credential: CredentialKind;
  /** JSON text. */
  readonly body: string | undefined;
  readonly retry: RetryClass;
  readonly secrets: SecretPlace;
  /** Whether to accept a non-JSON response. */
  readonly accepts: 'json' | 'anything';
}

export interface ReceivedAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Broken {
  readonly kind: 'broken';
  readonly phase: Phase;
  readonly code: string;
  readonly hopeless: boolean;
  /** Set once the headers arrived. */
  readonly status: number | undefined;
  readonly cause: unknown;
}

export type AttemptResult = ReceivedAnswer | Broken;

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

/** One attempt, to the last byte of the body: a connection that breaks before fails like any other. */
export async function attempt(
  send: Send,
  { url, facts, body }: OutgoingRequest,
  options: { headers: Headers; timeoutMs: number; maxBodyBytes: number; signal: AbortSignal },
): Promise<AttemptResult> {
  return withDeadline(options.timeoutMs, options.signal, async (signal) => {
    let response: Response;
    try {
      response = await send(url, {
        method: facts.method,
        headers: options.headers,
        ...(body !== undefined && { body }),
        redirect: 'manual',
        signal,
      });
    } catch (cause) {
      if (signal.aborted) return aborted(signal, 'headers', undefined);
      return { kind: 'broken', ...connectionFailure(cause), status: undefined, cause };
    }
    return receive(response, signal, options.maxBodyBytes);
  });
}

async function receive(
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

/** Deeper than any response of the service; printing a deeper one could exhaust the stack. */
const MOST = 500;

/** Whether a JSON text is nested so deep that recursion over its value would exhaust the stack. */
export function isNestedTooDeep(json: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (inText) {
      if (sign === '\\') at += 1;
      else if (sign === '"') inText = false;
    } else if (sign === '"') inText = true;
    else if (sign === '[' || sign === '{') {
      depth += 1;
      if (depth > MOST) return true;
    } else if (sign === ']' || sign === '}') depth -= 1;
  }
  return false;
}

/**
 * The JSON of a 2xx response, secrets hidden.
 *
 * - `broken`: empty or truncated JSON: the response is incomplete
 * - `not-json`: something else, like the page of a proxy
 * - `too-deep`: JSON nested too deep to process
 */
export type ReadAnswer =
  | { readonly kind: 'json'; readonly body: unknown }
  | { readonly kind: 'broken'; readonly code: 'EMPTY_BODY' | 'BAD_JSON' }
  | { readonly kind: 'not-json' | 'too-deep' };

export function readAnswer(
  { text, status }: ReceivedAnswer,
  { accepts, secrets }: OutgoingRequest,
): ReadAnswer {
  const trimmed = text.trim();
  if (trimmed === '') {
    if (accepts === 'anything' || status === 204) return { kind: 'json', body: null };
    return { kind: 'broken', code: 'EMPTY_BODY' };
  }
  if (isNestedTooDeep(trimmed)) return { kind: 'too-deep' };
  try {
    return { kind: 'json', body: hideSecrets(JSON.parse(trimmed), secrets) };
  } catch {
    // Drop the engine's message, which quotes the text and may contain a secret.
    if (/^[[{"]/.test(trimmed)) return { kind: 'broken', code: 'BAD_JSON' };
    return accepts === 'anything' ? { kind: 'json', body: text } : { kind: 'not-json' };
  }
}
