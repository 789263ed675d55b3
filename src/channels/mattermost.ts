import type { Notification } from '../core/notification.ts';
import { cutEscaped } from '../text/sanitize.ts';
import { chatText, escapeChat, replyMarkdown } from './support/chat-text.ts';
import { defineWebhookChannel, type WebhookService } from './support/incoming-webhook.ts';

/** Ours. A post may have 16,383 characters, on old servers 4,000; an attachment's text 7,600. */
const TITLE_MAX = 500;
const BODY_MAX = 3_000;

/** With a backslash before dots as well: a text that begins with "www." would become a link. */
function escapeMattermost(text: string): string {
  return escapeChat(text).replaceAll('.', '\\.');
}

/** Markdown is escaped, also mentions (https://developers.mattermost.com/integrate/webhooks/incoming/). */
function mattermostMessage(notification: Notification): object {
  const { sign, colour, title, body, note } = chatText(notification);
  const link = replyMarkdown(notification, escapeMattermost);
  const text = [cutEscaped(body, BODY_MAX, escapeMattermost), link, note]
    .filter((part) => part !== null)
    .join('\n\n');
  return {
    text: `${sign} ${cutEscaped(title, TITLE_MAX, escapeMattermost)}`,
    attachments: [{ color: colour, text }],
  };
}

const service: WebhookService = {
  place: 'Mattermost',
  form: { example: 'https://chat.example.com/hooks/…', path: /\/hooks\/[\w-]+$/ },
  message: mattermostMessage,
  accepts: (text) => text.trim() === 'ok',
};

/** Posts through an incoming webhook. Its response names no message, so a sent message cannot be changed. */
export default defineWebhookChannel(
  {
    type: 'mattermost',
    summary: 'Posts to a Mattermost channel through an incoming webhook',
    can: { reply: 'needs `reply_page`' },
    limits: { timeoutMs: 10_000, concurrency: 1, burst: 10, refillMs: 500, maxAttempts: 12 },
  },
  service,
);
