import type { Outcome, Retry } from '../../core/outcome.ts';
import { delivered, failed, retry } from '../../core/outcome.ts';
import { parseRetryAfter } from '../../core/retry-after.ts';

/** What of an HTTP answer decides the outcome. */
export interface HttpAnswer {
  readonly status: number;
  /** The header as it came. */
  readonly retryAfter: string | null;
}

/**
 * Statuses below 500 that pass by themselves: timeout, too early, too many requests. 407 is between us and a proxy,
 * so it is mended there and says nothing about the message.
 */
const passing: ReadonlySet<number> = new Set([407, 408, 425, 429]);

/** Statuses every further message would get as well: the credentials are refused, the address is gone for good. */
const disabling: ReadonlySet<number> = new Set([401, 410]);

/**
 * The outcome of an answer by its status alone (RFC 9110, section 15).
 *
 * @param place as it stands in a sentence: "Slack", "the webhook"
 */
export function statusOutcome(answer: HttpAnswer, place: string, now: number): Outcome {
  const { status } = answer;
  const reason = `Cannot deliver to ${place}: it answered ${status}`;
  if (status >= 200 && status < 300) return delivered();
  if (status >= 300 && status < 400) return failed(`${reason}, and redirects are not followed`);
  if (status < 200 || status >= 500 || passing.has(status)) {
    const afterMs = parseRetryAfter(answer.retryAfter, now);
    return retry(reason, afterMs === null ? {} : { afterMs });
  }
  return failed(reason, disabling.has(status) ? { channelBroken: true } : {});
}

/** Errors that come before the first byte of the request, so that the message cannot have arrived. */
const beforeSending: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'its name cannot be resolved',
  ENOTFOUND: 'its name cannot be resolved',
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to it',
  ENETUNREACH: 'no network',
  ENETDOWN: 'no network',
  UND_ERR_ABORTED: 'the proxy refused the connection',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer of its certificate is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the issuer of its certificate is unknown',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
};

/** Errors of a connection that stood: the message may be there. */
const afterSending: Readonly<Record<string, string>> = {
  ECONNRESET: 'connection lost',
  EPIPE: 'connection lost',
  UND_ERR_SOCKET: 'connection lost',
  ETIMEDOUT: 'connection lost',
};

/**
 * The outcome of a request without an answer. The reason is made of the error's code only: messages of errors hold
 * addresses, and those may be secret.
 */
export function networkOutcome(error: unknown, place: string): Retry {
  const code = networkCode(error);
  const before = beforeSending[code];
  if (before !== undefined) return retry(`Cannot deliver to ${place}: ${before}`);
  const cause = afterSending[code] ?? `network error ${code}`;
  return retry(`Cannot deliver to ${place}: ${cause}`, { possibleDuplicate: true });
}

/** The outcome of a request that was given up at its deadline or at shutdown. */
export function abandonedOutcome(place: string): Retry {
  return retry(`Cannot deliver to ${place}: no answer in time`, { possibleDuplicate: true });
}

/** fetch hides the system's error under "fetch failed": the code is some causes down. */
function networkCode(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(cause.code)) {
      return cause.code;
    }
  }
  return 'of an unknown kind';
}
