import { delivered, failed, type Outcome, retry, type Retry } from '../../core/outcome.ts';
import type { Outbound } from '../../platform/outbound/outbound-port.ts';
import { boundedText } from '../../platform/read-within.ts';
import { parseRetryAfter } from '../../platform/retry.ts';
import { networkTrouble } from '../../platform/network-trouble.ts';

export interface JsonRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** Besides `user-agent` and `content-type`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined: no body. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

export interface JsonPlace {
  /** Its name as it stands in a sentence: "ntfy", "the webhook". */
  readonly place: string;
  readonly outbound: Pick<Outbound, 'fetch'>;
  /** Unix ms. */
  readonly now: () => number;
  /** Statuses, besides 401 and 410, with which the service refuses the address or its credentials for every message. */
  readonly disabling?: readonly number[];
}

export interface JsonAnswer {
  /** By the status alone (`statusOutcome`); a channel refines it where the service says more in the text. */
  readonly outcome: Outcome;
  /** 0: no response. */
  readonly status: number;
  /** The first 64 KB of the response; "" if it breaks off. Hostile: neither shown nor logged. */
  readonly text: string;
  readonly headers: Headers;
}

/** Never throws. Redirects are not followed, and nothing is retried: that is the delivery worker's business. */
export async function requestJson(
  { method, url, headers, body, signal }: JsonRequest,
  { place, outbound, now, disabling = [] }: JsonPlace,
): Promise<JsonAnswer> {
  try {
    const response = await outbound.fetch(url, {
      method,
      headers: {
        'user-agent': 'hookbell',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal,
    });
    const { status, headers: received } = response;
    const text = await boundedText(response.body).catch(() => '');
    const retryAfter = received.get('retry-after');
    const outcome = statusOutcome({ status, retryAfter }, place, now());
    const isRefused = outcome.type === 'failed' && disabling.includes(status);
    const verdict = isRefused ? failed(outcome.reason, { channelBroken: true }) : outcome;
    return { outcome: verdict, status, text, headers: received };
  } catch (error) {
    const outcome = withoutAnswer(error, place, signal);
    return { outcome, status: 0, text: '', headers: new Headers() };
  }
}

/** A 2xx that is not of the service. A server with another text would respond with it again, and may have taken the message. */
export function foreignAnswer(place: string, text: string): Outcome {
  const answer = notFrom(place, place);
  return isFromBetween(text) ? answer : failed(answer.reason);
}

export function isFromBetween(text: string): boolean {
  return text.trim() === '' || /^\s*</.test(text);
}

/** The outcome of a 2xx from something in between, such as a page that requires a login. @param whose such as "a homeserver" */
export function notFrom(place: string, whose: string): Retry {
  const reason = `Cannot deliver to ${place}: the response is not from ${whose}`;
  return retry(reason, { possibleDuplicate: true });
}

/** The part of an HTTP response that decides the outcome. */
export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
}

/** Temporary: timeout, too early, too many requests. 407 is about the proxy alone, and not about the message. */
const passing: ReadonlySet<number> = new Set([407, 408, 425, 429]);

/** Statuses every further message would get as well: rejected credentials, or a permanently missing address. */
const disabling: ReadonlySet<number> = new Set([401, 410]);

/** The outcome by the status alone (RFC 9110, section 15). @param place as it stands in a sentence: "Slack", "the webhook" */
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

/** The outcome of a request without a response. */
export function networkOutcome(error: unknown, place: string): Retry {
  const { reason, mayHaveArrived } = networkTrouble(error);
  const details = mayHaveArrived ? { possibleDuplicate: true } : {};
  return retry(`Cannot deliver to ${place}: ${reason}`, details);
}

/** The outcome of a request that rejected; the signal fires at its deadline and at shutdown. */
export function withoutAnswer(error: unknown, place: string, signal: AbortSignal): Retry {
  if (!signal.aborted) return networkOutcome(error, place);
  return retry(`Cannot deliver to ${place}: no answer in time`, { possibleDuplicate: true });
}
