import type { FetchFunction, IncomingWebhookSendArguments } from '@slack/webhook';
import type { Outbound } from '../../core/outbound.ts';
import type { Secret } from '../../core/redact.ts';
import { boundedText } from '../support/bounded-text.ts';
import type { SlackAnswer } from './slack-outcome.ts';

/** Posts a message and gives the answer, whatever its status. Rejects when there is none. */
export type Post = (
  message: IncomingWebhookSendArguments,
  signal: AbortSignal,
) => Promise<SlackAnswer>;

/** Loads Slack's SDK and ties it to an address. */
export async function openPost(url: Secret, outbound: Pick<Outbound, 'fetch'>): Promise<Post> {
  const { IncomingWebhook } = await import('./sdk.ts');

  return async (message, signal) => {
    let answer: SlackAnswer | undefined;
    // The SDK takes no signal, reads answers of any size, and hides the headers of a refusal: the fetch we give it
    // heeds the signal, stops reading in time, and keeps what the outcome depends on.
    const capturingFetch: FetchFunction = async (target, init = {}) => {
      if (typeof init.body !== 'string') throw new TypeError('The body of the request is not text');
      const response = await outbound.fetch(target, {
        method: init.method ?? 'POST',
        headers: new Headers(init.headers),
        body: init.body,
        redirect: 'manual',
        signal,
      });
      const { status, headers } = response;
      const reading = boundedText(response.body);
      // A refusal is one by its status: a body that breaks off must not hide the Retry-After.
      const text = await (status < 300 ? reading : reading.catch(() => ''));
      answer = { status, retryAfter: headers.get('retry-after'), text };
      return new Response(text === '' ? null : text, { status });
    };
    // Neither retryConfig nor timeout: retries are rows of the delivery worker, and its signal is the deadline.
    const webhook = new IncomingWebhook(url.reveal(), { fetch: capturingFetch });
    try {
      await webhook.send(message);
    } catch (error) {
      if (answer === undefined) throw error;
    }
    if (answer === undefined) throw new TypeError('The SDK sent nothing');
    return answer;
  };
}
