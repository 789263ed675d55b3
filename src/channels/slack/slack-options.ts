import { z } from 'zod';

import { ConfigError } from '../../platform/errors.ts';
import { kinds } from '../../core/hook-event.ts';
import { type Notification, severities } from '../../core/notification.ts';
import { secretReference } from '../../core/secret-reference.ts';

const slackHosts: ReadonlySet<string> = new Set(['hooks.slack.com', 'hooks.slack-gov.com']);
const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Checks the address of an incoming webhook; the SDK would notice a broken one only on the first message.
 *
 * @throws ConfigError that says what is wrong, without the address, which is a secret
 */
export function parseWebhookUrl(
  text: string,
  { channel, allowAnyHost }: { channel: string; allowAnyHost: boolean },
): URL {
  const fault = webhookFault(text, allowAnyHost);
  if (fault === null) return new URL(text);
  throw new ConfigError(`Cannot use channel "${channel}": the address in "webhook" ${fault}`, {
    hint: 'Use the address that Slack shows for an incoming webhook: https://hooks.slack.com/services/…',
  });
}

/** The problem with the address of an incoming webhook, as the rest of a sentence and without it; null if valid. */
function webhookFault(text: string, allowAnyHost: boolean): string | null {
  return URL.canParse(text) ? faultOf(new URL(text), allowAnyHost) : 'is not a URL';
}

function faultOf(url: URL, allowAnyHost: boolean): string | null {
  if (url.username !== '' || url.password !== '') return 'holds a user name or password';
  if (allowAnyHost) {
    if (url.protocol === 'https:') return null;
    const local = url.protocol === 'http:' && loopbackHosts.has(url.hostname);
    return local ? null : 'is not https (plain http goes to this machine only)';
  }
  if (url.protocol !== 'https:') return 'is not https';
  if (!slackHosts.has(url.host)) {
    return `is at "${url.host}", expected hooks.slack.com (or allow_any_host: true)`;
  }
  return url.pathname.startsWith('/services/') ? null : 'is not that of an incoming webhook';
}

const mention = z
  .string()
  .regex(
    /^<(?:!here|!channel|!everyone|@[UW][A-Z0-9]+|!subteam\^S[A-Z0-9]+)>$/,
    'is none of "<!here>", "<!channel>", "<!everyone>", "<@U…>" (a member), "<!subteam^S…>" (a group)',
  );

/** The options of the Slack channel as users write them. */
export const slackOptions = z
  .strictObject({
    webhook: secretReference.describe(
      'The address of an incoming webhook, which is a secret: { env }, { file } or { command }',
    ),
    mention: z
      .partialRecord(z.enum([...kinds, ...severities]), mention)
      .default({})
      .describe(
        'Whom to mention for which kind or severity, such as { critical: "<!here>" }; a kind takes precedence over a severity',
      ),
    allow_any_host: z
      .boolean()
      .default(false)
      .describe('Allow servers other than Slack that understand its webhooks, such as Mattermost'),
  })
  .superRefine(({ webhook, allow_any_host: allowAnyHost }, check) => {
    // Only a literal address can be checked before the channel is used.
    const fault = typeof webhook === 'string' ? webhookFault(webhook, allowAnyHost) : null;
    if (fault !== null) check.addIssue({ code: 'custom', path: ['webhook'], message: fault });
  });

export type SlackOptions = z.output<typeof slackOptions>;

/** The configured mention for a notification, as Slack's markup, or null. */
export function mentionFor(
  { kind, severity }: Pick<Notification, 'kind' | 'severity'>,
  mentions: SlackOptions['mention'],
): string | null {
  return mentions[kind] ?? mentions[severity] ?? null;
}
