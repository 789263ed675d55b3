import { failed, type Outcome, retry } from '../../core/outcome.ts';
import type { Outbound } from '../../platform/outbound/outbound-port.ts';
import { boundedText } from '../../platform/read-within.ts';
import { abandonedOutcome, networkOutcome, statusOutcome } from './http-outcome.ts';

/** A request whose body is JSON. */
export interface JsonRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** Besides `user-agent` and `content-type`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined: no body. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

/** The service that gets a request, and how to get there. */
export interface JsonPlace {
  /** Its name as it stands in a sentence: "ntfy", "the webhook". */
  readonly place: string;
  readonly outbound: Pick<Outbound, 'fetch'>;
  /** Unix ms. */
  readonly now: () => number;
  /**
   * Statuses, besides 401 and 410, with which the service refuses the address or its credentials: every further message
   * would get them as well.
   */
  readonly disabling?: readonly number[];
}

export interface JsonAnswer {
  /** By the status alone (`statusOutcome`); a channel refines it where the service says more in the text. */
  readonly outcome: Outcome;
  /** 0: no response. */
  readonly status: number;
  /** The first 64 KB of the response; "" if it breaks off. Hostile: neither shown nor logged. */
  readonly text: string;
  /** Of the response; empty without one. */
  readonly headers: Headers;
}

/**
 * Sends one request and returns the outcome; never throws. Redirects are not followed, and nothing is retried: that is
 * the delivery worker's business.
 */
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
    const outcome = signal.aborted ? abandonedOutcome(place) : networkOutcome(error, place);
    return { outcome, status: 0, text: '', headers: new Headers() };
  }
}

/**
 * The outcome of a 2xx whose text is not one of the service. A page, or an empty text, comes from something in between,
 * such as a proxy that requires a login. A server with another text would respond with it again, and may have taken the
 * message each time.
 */
export function foreignAnswer(place: string, text: string): Outcome {
  const reason = `Cannot deliver to ${place}: the response is not from ${place}`;
  const isBetween = text.trim() === '' || /^\s*</.test(text);
  return isBetween ? retry(reason, { possibleDuplicate: true }) : failed(reason);
}
