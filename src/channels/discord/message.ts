import { type Notification, replyLinkHint } from '../../core/notification.ts';
import { cutEscaped } from '../../text/sanitize.ts';
import { chatText, escapeChat } from '../support/chat-text.ts';

/** A message of a webhook (https://docs.discord.com/developers/resources/webhook#execute-webhook). */
export interface DiscordMessage {
  /** At most 2,000 characters; what a push shows. */
  readonly content: string;
  readonly embeds: readonly [
    {
      /** At most 4,096 characters. */
      readonly description: string;
      readonly color: number;
      readonly footer?: { readonly text: string };
    },
  ];
  /** No mention in a text reaches anyone. */
  readonly allowed_mentions: { readonly parse: readonly [] };
  readonly flags?: number;
}

/** Discord's limits for each part are higher; a headline is short. */
const TITLE_MAX = 500;
/** Of 4,096, with room for a link to the reply page. */
const BODY_MAX = 3_500;

/** The client shows neither a push nor a sound. */
const SUPPRESS_NOTIFICATIONS = 4_096;

/** The message of a notification. Its texts are plain: Discord's Markdown is escaped. */
export function discordMessage(notification: Notification): DiscordMessage {
  const { sign, colour, title, body, note } = chatText(notification);
  const { replyLink } = notification;
  const link =
    replyLink === undefined
      ? ''
      : `\n\n[Answer the agent](${replyLink.url})\n${escapeChat(replyLinkHint(replyLink.machine, replyLink.forMs))}`;
  return {
    content: `${sign} ${cutEscaped(title, TITLE_MAX, escapeChat)}`,
    embeds: [
      {
        description: `${cutEscaped(body, BODY_MAX, escapeChat)}${link}`,
        color: Number.parseInt(colour.slice(1), 16),
        ...(note !== null && { footer: { text: note } }),
      },
    ],
    allowed_mentions: { parse: [] },
    ...(notification.quietly && { flags: SUPPRESS_NOTIFICATIONS }),
  };
}
