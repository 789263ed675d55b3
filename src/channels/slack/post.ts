import type { IncomingWebhookSendArguments } from '@slack/webhook';

import type { Outbound } from '../../platform/outbound/outbound-port.ts';
import { failed, type Outcome, retry } from '../../core/outcome.ts';
import type { Secret } from '../../text/secret.ts';
import { statusOutcome } from '../support/http-outcome.ts';
import { captureFetch, type SlackAnswer } from './capture-fetch.ts';

/**
 * Errors that every further message would get as well
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors).
 */
const disabling: ReadonlySet<string> = new Set([
  'action_prohibited',
  'channel_is_archived',
  'channel_not_found',
  'invalid_token',
  'no_active_hooks',
  'no_service',
  'no_team',
  'posting_to_general_channel_denied',
  'team_disabled',
  'token_revoked',
]);

/**
 * Errors of one message; listed so that a reason can repeat them, because no other text of a response may get there.
 */
const passing: ReadonlySet<string> = new Set([
  'invalid_blocks',
  'invalid_payload',
  'no_text',
  'rate_limited',
  'rollup_error',
  'too_many_attachments',
  'user_not_found',
]);

/**
 * The outcome of Slack's response: a 2xx counts only with the text "ok", because a login page or a gateway's
 * `{"ok":false}` comes with 200, too.
 */
export function slackOutcome(answer: Omit<SlackAnswer, 'scopes'>, now: number): Outcome {
  const outcome = statusOutcome(answer, 'Slack', now);
  if (outcome.type === 'delivered') return answer.text === 'ok' ? outcome : withoutOk(answer);

  const isDisabling = disabling.has(answer.text);
  if (!isDisabling && !passing.has(answer.text)) return outcome;
  const reason = `${outcome.reason} "${answer.text}"`;
  if (outcome.type === 'retry') return { ...outcome, reason };
  return failed(reason, isDisabling ? { channelBroken: true } : {});
}

function withoutOk({ status, text }: Omit<SlackAnswer, 'scopes'>): Outcome {
  const reason = `Cannot deliver to Slack: it answered ${status} without "ok"`;
  // A page, or an empty body, comes from something in between, such as a proxy that requires a login. A server that
  // responds with another text will do so again, and may have posted the message each time.
  const between = text === '' || /^\s*</.test(text);
  return between ? retry(reason, { possibleDuplicate: true }) : failed(reason);
}

/** Posts a message and returns the response, whatever its status. Rejects without one. */
export type Post = (
  message: IncomingWebhookSendArguments,
  signal: AbortSignal,
) => Promise<SlackAnswer>;

/** Loads Slack's SDK and binds it to an address. */
export async function openPost(url: Secret, outbound: Pick<Outbound, 'fetch'>): Promise<Post> {
  const { IncomingWebhook } = await import('./sdk.ts');

  return async (message, signal) => {
    const { fetch, answer } = captureFetch(outbound, signal);
    // Neither retryConfig nor timeout: retries are rows of the delivery worker, and its signal is the deadline.
    const webhook = new IncomingWebhook(url.reveal(), { fetch });
    try {
      await webhook.send(message);
    } catch (error) {
      if (answer() === null) throw error;
    }
    const response = answer();
    if (response === null) throw new TypeError('The SDK sent nothing');
    return response;
  };
}
