import { z } from 'zod';
import { kinds } from '../../core/hook-event.ts';
import type { Notification } from '../../core/notification.ts';
import { severities } from '../../core/notification.ts';
import { secretReference } from '../../core/secret-reference.ts';
import { webhookFault } from './webhook-url.ts';

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
        'Whom to mention for which kind or severity, such as { critical: "<!here>" }; a kind goes before a severity',
      ),
    allow_any_host: z
      .boolean()
      .default(false)
      .describe('Allow servers other than Slack that understand its webhooks, such as Mattermost'),
  })
  .superRefine(({ webhook, allow_any_host: allowAnyHost }, check) => {
    // Only an address written out can be checked before the channel is used.
    const fault = typeof webhook === 'string' ? webhookFault(webhook, allowAnyHost) : null;
    if (fault !== null) check.addIssue({ code: 'custom', path: ['webhook'], message: fault });
  });

export type SlackOptions = z.output<typeof slackOptions>;

/** Whom the configuration wants mentioned for a notification, as Slack's markup, or null. */
export function mentionFor(
  { kind, severity }: Pick<Notification, 'kind' | 'severity'>,
  mentions: SlackOptions['mention'],
): string | null {
  return mentions[kind] ?? mentions[severity] ?? null;
}
