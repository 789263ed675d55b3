import { z } from 'zod';

import { ConfigError } from '../../platform/errors.ts';
import { isWaiting, kinds } from '../../core/hook-event.ts';
import { type Notification, severities } from '../../core/notification.ts';
import { secretReference } from '../../core/secret-reference.ts';
import { addressFault, serverAddress } from '../support/web-address.ts';

const slackHosts: ReadonlySet<string> = new Set(['hooks.slack.com', 'hooks.slack-gov.com']);

/** @throws ConfigError that says what is wrong, without the address, which is a secret */
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
export function webhookFault(text: string, allowAnyHost: boolean): string | null {
  const fault = addressFault(text, !allowAnyHost);
  if (fault !== null || allowAnyHost) return fault;
  const { protocol, host, pathname } = new URL(text);
  if (protocol !== 'https:') return 'is not https';
  if (!slackHosts.has(host)) {
    return `is at "${host}", expected hooks.slack.com (or allow_any_host: true)`;
  }
  return pathname.startsWith('/services/') ? null : 'is not that of an incoming webhook';
}

const mention = z
  .string()
  .regex(
    /^<(?:!here|!channel|!everyone|@[UW][A-Z0-9]+|!subteam\^S[A-Z0-9]+)>$/,
    'is not one of "<!here>", "<!channel>", "<!everyone>", "<@U…>" (a member), "<!subteam^S…>" (a group)',
  );

const to = z
  .string()
  .regex(
    /^(?:[CGD][A-Z0-9]{2,}|dm:@owner|dm:@person|dm:[^@\s]+@[^@\s]+)$/,
    'is neither the id of a channel, such as "C0123456789", nor "dm:@owner", "dm:@person" or "dm:person@example.com"',
  );

/** The option `to` of an app that writes to one person: the recipient of each delivery. */
export const TO_PERSON = 'dm:@person';

const member = z
  .string()
  .regex(
    /^[TE][A-Z0-9]{2,}:[UW][A-Z0-9]{2,}$/,
    'is not the id of a workspace and a member, such as "T0123456789:U0123456789"',
  );

function needing(...required: readonly string[]): object {
  const properties = Object.fromEntries(required.map((key) => [key, {}]));
  return { type: 'object', properties, required };
}

/** The options of the Slack channel as users write them: those of an incoming webhook, or those of an app. */
export const slackOptions = z
  .strictObject({
    webhook: secretReference
      .optional()
      .describe('The address of an incoming webhook, a secret: { env }, { file } or { command }'),
    bot_token: secretReference
      .optional()
      .describe(
        'Instead of `webhook`: the token of an app, "xoxb-…", which posts a thread per session',
      ),
    app_token: secretReference
      .optional()
      .describe('The app-level token of that app, "xapp-…", which receives buttons and replies'),
    to: to
      .optional()
      .describe(
        "Where the app posts: the id of a channel, `dm:@owner` (the first of `members`), `dm:person@example.com`, or at a hub `dm:@person` (the recipient of the plan's step)",
      ),
    members: z
      .array(member)
      .max(100)
      .default([])
      .describe(
        'Who may press buttons and reply, as "WORKSPACE:MEMBER"; the first is the owner, who is mentioned when an agent waits',
      ),
    mention: z
      .partialRecord(z.enum([...kinds, ...severities]), mention)
      .default({})
      .describe(
        'Whom to mention, by kind or severity, such as { critical: "<!here>" }; a kind takes precedence over a severity',
      ),
    escalate: z
      .array(mention)
      .max(10)
      .default([])
      .describe(
        'Whom the later steps of a plan mention in the thread, in turn, such as ["<@U0123456789>", "<!subteam^S0123456789>"]; the first step then mentions only whom `mention` names',
      ),
    allow_any_host: z
      .boolean()
      .default(false)
      .describe('Allow servers other than Slack that accept its webhooks, such as Mattermost'),
    server: serverAddress
      .default('https://slack.com')
      .describe('Address of Slack; another one for GovSlack'),
  })
  .superRefine((options, check) => {
    const { webhook, bot_token: bot, app_token: app, allow_any_host: allowAnyHost } = options;
    const refuse = (key: string, message: string): void =>
      check.addIssue({ code: 'custom', path: [key], message });
    if (webhook === undefined && bot === undefined) {
      return refuse(
        'webhook',
        'is missing: set it for an incoming webhook, or "bot_token" and "to" for an app',
      );
    }
    if (webhook !== undefined) {
      for (const key of ['bot_token', 'app_token', 'to'] as const) {
        if (options[key] !== undefined)
          refuse(key, 'has no effect with "webhook": remove one of them');
      }
      for (const key of ['members', 'escalate'] as const) {
        if (options[key].length > 0) refuse(key, 'has no effect with "webhook"');
      }
      // Only a literal address can be checked before the channel is used.
      const fault = typeof webhook === 'string' ? webhookFault(webhook, allowAnyHost) : null;
      if (fault !== null) refuse('webhook', fault);
      return;
    }
    if (allowAnyHost) refuse('allow_any_host', 'has no effect without "webhook"');
    if (options.to === undefined)
      refuse('to', 'is missing: set it to the id of a channel or "dm:@owner"');
    if (options.to === 'dm:@owner' && options.members.length === 0) {
      refuse('to', 'needs "members", whose first entry is the owner');
    }
    if (options.members.length > 0 && app === undefined) {
      refuse('app_token', 'is missing: "members" have no effect without it');
    }
  })
  // For editors, which see no rule that is code.
  .meta({ anyOf: [needing('webhook'), needing('bot_token', 'to')] });

export type SlackOptions = z.output<typeof slackOptions>;

/** The configured mention for a notification, as Slack's markup, or null. */
export function mentionFor(
  { kind, severity }: Pick<Notification, 'kind' | 'severity'>,
  mentions: SlackOptions['mention'],
): string | null {
  return mentions[kind] ?? mentions[severity] ?? null;
}

/** That of `escalate` for a later step, that of `mention`, or the owner when an agent waits or failed; null: none. */
export function appMention(
  notification: Notification,
  { mention: mentions, escalate }: Pick<SlackOptions, 'mention' | 'escalate'>,
  owner: string | null,
): string | null {
  const { kind, severity, quietly, escalation = 0 } = notification;
  const calls = !quietly && (isWaiting(kind) || severity === 'critical');
  const later =
    calls && escalation > 0 ? escalate[Math.min(escalation, escalate.length) - 1] : null;
  const isFirst = calls && escalate.length === 0 && owner !== null;
  return later ?? mentionFor(notification, mentions) ?? (isFirst ? `<@${owner}>` : null);
}
