import type { Phase } from './errors.ts';

/** Failures of which it is certain that not one byte of the request was sent. */
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
/** The handshake fails before the request, and fails the same way the next time. */
const CERTIFICATE = /CERT|SELF_SIGNED|ERR_TLS|ERR_SSL|UNABLE_TO_/;

export interface ConnectionFailure {
  readonly phase: Phase;
  readonly code: string;
  /** Whether another attempt could end otherwise. */
  readonly hopeless: boolean;
}

/** Reads what `fetch` threw before the headers came. */
export function connectionFailure(error: unknown): ConnectionFailure {
  const { code, syscall } = innermostCode(error);
  const hopeless = CERTIFICATE.test(code);
  const neverSent =
    hopeless || NEVER_SENT.has(code) || syscall === 'connect' || syscall === 'getaddrinfo';
  return { phase: neverSent ? 'connect' : 'headers', code, hopeless };
}

/** The code of an error or the nearest of its causes that has one; "UNKNOWN" without. */
export function innermostCode(error: unknown): { code: string; syscall: string | null } {
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
