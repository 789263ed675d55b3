import type { IncomingWebhookSendArguments } from '@slack/webhook';

import type {
  Channel,
  ChannelCheck,
  ChannelDependencies,
  SecretReference,
} from '../../core/channel.ts';
import { failed, type Outcome, retry } from '../../core/outcome.ts';
import { type Outbound, requireProxy } from '../../platform/outbound/outbound-port.ts';
import { Secret } from '../../text/secret.ts';
import { isFromBetween, statusOutcome, withoutAnswer } from '../support/json-request.ts';
import { renderMessage, withoutMarkdown } from './slack-message.ts';
import { mentionFor, parseWebhookUrl, type SlackOptions } from './slack-options.ts';
import { captureFetch, type SlackAnswer } from './capture-fetch.ts';

/** Its response names no message, so a sent message cannot be updated, withdrawn or answered in a thread. */
export async function createSlackWebhook(
  webhook: SecretReference,
  options: SlackOptions,
  { name, outbound, now, resolveSecret }: ChannelDependencies,
): Promise<Channel> {
  const allowAnyHost = options.allow_any_host;
  const readUrl = async (): Promise<URL> =>
    parseWebhookUrl(await resolveSecret(webhook), { channel: name, allowAnyHost });
  const url = new Secret((await readUrl()).href);
  requireProxy(outbound, url.reveal());
  const post = await openPost(url, outbound);

  return {
    lacks: ['update', 'mark-acknowledged', 'acknowledge', 'snooze', 'decide', 'thread'],
    send: async (notification, { signal }): Promise<Outcome> => {
      const mention = mentionFor(notification, options.mention);
      const rendered = renderMessage(notification, mention);
      const message = allowAnyHost ? withoutMarkdown(rendered, mention) : rendered;
      try {
        return slackOutcome(await post(message, signal), now());
      } catch (error) {
        return withoutAnswer(error, 'Slack', signal);
      }
    },
    check: async (): Promise<ChannelCheck> => {
      const target = await readUrl();
      const way = outbound.isProxied(target) ? 'through the proxy' : 'directly';
      return { ok: true, summary: `Posts to ${target.hostname} ${way}` };
    },
    close: () => Promise.resolve(),
  };
}

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors: for every further message as well */
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

/** Errors of one message; listed so that a reason can repeat them, because no other text of a response may get there. */
const passing: ReadonlySet<string> = new Set([
  'invalid_blocks',
  'invalid_payload',
  'no_text',
  'rate_limited',
  'rollup_error',
  'too_many_attachments',
  'user_not_found',
]);

/** A 2xx counts only with the text "ok": a login page or a gateway's `{"ok":false}` comes with 200, too. */
function slackOutcome(answer: SlackAnswer, now: number): Outcome {
  const outcome = statusOutcome(answer, 'Slack', now);
  if (outcome.type === 'delivered') return answer.text === 'ok' ? outcome : withoutOk(answer);

  const isDisabling = disabling.has(answer.text);
  if (!isDisabling && !passing.has(answer.text)) return outcome;
  const reason = `${outcome.reason} "${answer.text}"`;
  if (outcome.type === 'retry') return { ...outcome, reason };
  return failed(reason, isDisabling ? { channelBroken: true } : {});
}

function withoutOk({ status, text }: SlackAnswer): Outcome {
  const reason = `Cannot deliver to Slack: it answered ${status} without "ok"`;
  return isFromBetween(text) ? retry(reason, { possibleDuplicate: true }) : failed(reason);
}

/** Loads Slack's SDK and binds it to an address. A post returns the response, whatever its status, or rejects without one. */
async function openPost(url: Secret, outbound: Pick<Outbound, 'fetch'>) {
  const { IncomingWebhook } = await import('./sdk.ts');

  return async (
    message: IncomingWebhookSendArguments,
    signal: AbortSignal,
  ): Promise<SlackAnswer> => {
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
