import { parseRetryAfter } from '../../platform/retry.ts';
import { networkTrouble } from '../../platform/network-trouble.ts';
import { delivered, failed, type Outcome, type Retry, retry } from '../../core/outcome.ts';

/** The part of an HTTP response that decides the outcome. */
export interface HttpAnswer {
  readonly status: number;
  /** The unparsed header. */
  readonly retryAfter: string | null;
}

/**
 * Temporary statuses below 500: timeout, too early, too many requests. 407 concerns only the proxy, so it is fixed
 * there and does not concern the message.
 */
const passing: ReadonlySet<number> = new Set([407, 408, 425, 429]);

/** Statuses every further message would get as well: rejected credentials, or a permanently missing address. */
const disabling: ReadonlySet<number> = new Set([401, 410]);

/**
 * The outcome of a response by its status alone (RFC 9110, section 15).
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

/** The outcome of a request without a response. */
export function networkOutcome(error: unknown, place: string): Retry {
  const { reason, mayHaveArrived } = networkTrouble(error);
  return retry(
    `Cannot deliver to ${place}: ${reason}`,
    mayHaveArrived ? { possibleDuplicate: true } : {},
  );
}

/** The outcome of a request abandoned at its deadline or at shutdown. */
export function abandonedOutcome(place: string): Retry {
  return retry(`Cannot deliver to ${place}: no answer in time`, { possibleDuplicate: true });
}
