import type {
  Channel,
  ChannelCheck,
  ChannelDependencies,
  SecretReference,
} from '../../core/channel.ts';
import type { Outcome } from '../../core/outcome.ts';
import { requireProxy } from '../../platform/outbound/outbound-port.ts';
import { Secret } from '../../text/secret.ts';
import { abandonedOutcome, networkOutcome } from '../support/http-outcome.ts';
import { renderMessage, withoutMarkdown } from './slack-message.ts';
import { mentionFor, parseWebhookUrl, type SlackOptions } from './slack-options.ts';
import { openPost, slackOutcome } from './post.ts';

/**
 * Posts through an incoming webhook. Its response names no message, so a sent message cannot be updated, withdrawn or
 * answered in a thread.
 */
export async function createSlackWebhook(
  webhook: SecretReference,
  options: SlackOptions,
  { name, outbound, now, resolveSecret }: ChannelDependencies,
): Promise<Channel> {
  const readUrl = async (): Promise<URL> =>
    parseWebhookUrl(await resolveSecret(webhook), {
      channel: name,
      allowAnyHost: options.allow_any_host,
    });
  const url = new Secret((await readUrl()).href);
  requireProxy(outbound, url.reveal());
  const post = await openPost(url, outbound);

  return {
    lacks: ['update', 'mark-acknowledged', 'acknowledge', 'snooze', 'decide', 'thread'],
    send: async (notification, { signal }): Promise<Outcome> => {
      const mention = mentionFor(notification, options.mention);
      const message = options.allow_any_host
        ? withoutMarkdown(renderMessage(notification, mention), mention)
        : renderMessage(notification, mention);
      try {
        return slackOutcome(await post(message, signal), now());
      } catch (error) {
        return signal.aborted ? abandonedOutcome('Slack') : networkOutcome(error, 'Slack');
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
