import { createHmac } from 'node:crypto';

/** The signed parts of a request, each in a separate header, such as "hookbell-nonce". */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly machine: string;
  /** Unix ms, as in the header. */
  readonly time: string;
  /** Never used twice. */
  readonly nonce: string;
  /** `sha256` of the body. */
  readonly body: string;
}

/** Signs a request: HMAC-SHA-256 over all its parts, one per line. None of them holds a line feed. */
export function signRequest(key: string, request: SignedRequest): string {
  const { method, path, machine, time, nonce, body } = request;
  return sign(key, ['hookbell-relay-request-1', method, path, machine, time, nonce, body]);
}

/** Signs the response to the request with that nonce, so that only a holder of the key can confirm. */
export function signAnswer(
  key: string,
  {
    nonce,
    status,
    body,
  }: { readonly nonce: string; readonly status: number; readonly body: string },
): string {
  return sign(key, ['hookbell-relay-answer-1', nonce, String(status), body]);
}

function sign(key: string, lines: readonly string[]): string {
  return createHmac('sha256', key).update(lines.join('\n')).digest('hex');
}
