import type { Outbound } from '../../platform/outbound/outbound-port.ts';
import { boundedText } from '../../platform/read-within.ts';
import type { HttpAnswer } from '../support/json-request.ts';

export type SlackAnswer = HttpAnswer & {
  readonly text: string;
  /** Scopes of the token, separated by commas; empty if the response names none. */
  readonly scopes: string;
};

/** Slack's clients take no signal, read bodies of any size, and hide the headers of a refusal: this `fetch` does not. */
export function captureFetch(
  outbound: Pick<Outbound, 'fetch'>,
  signal: AbortSignal,
  mostBytes?: number,
) {
  let answer: SlackAnswer | null = null;
  return {
    /** The last response; null: none came. */
    answer: (): SlackAnswer | null => answer,
    async fetch(this: void, target: string | URL, init: RequestInit = {}): Promise<Response> {
      if (typeof init.body !== 'string') throw new TypeError('The body of the request is not text');
      const response = await outbound.fetch(target, {
        method: init.method ?? 'POST',
        headers: new Headers(init.headers),
        body: init.body,
        redirect: 'manual',
        signal,
      });
      const { status, headers } = response;
      const reading = boundedText(response.body, mostBytes);
      // A refusal is identified by its status: a truncated body must not hide the Retry-After.
      const text = await (status < 300 ? reading : reading.catch(() => ''));
      const scopes = headers.get('x-oauth-scopes') ?? '';
      answer = { status, retryAfter: headers.get('retry-after'), text, scopes };
      return new Response(text === '' ? null : text, { status, headers });
    },
  };
}
