import { z } from 'zod';

import type { Notification } from '../core/notification.ts';
import { parseJson } from '../platform/json.ts';
import { cutText } from '../text/sanitize.ts';
import { chatText, replyMarkdown, WORD_JOINER } from './support/chat-text.ts';
import { defineWebhookChannel, type WebhookService } from './support/incoming-webhook.ts';

/** Ours, before escaping: a message may have 5,000 characters (`Message_MaxAllowedSize`), and an escape adds up to two. */
const TITLE_MAX = 300;
const BODY_MAX = 1_600;

/** Not every release takes a backslash before every mark: others are kept apart by a word joiner, and angles replaced. */
function escapeRocket(text: string): string {
  return text
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replace(/[\\*_~`#]/g, '\\$&')
    .replace(/[@#:.|\]$]|^\s*[-+](?=\s)/gm, `$&${WORD_JOINER}`);
}

/** The message of a notification (https://docs.rocket.chat/docs/integrations). */
function rocketMessage(notification: Notification): object {
  const { sign, colour, title, body, note } = chatText(notification);
  const link = replyMarkdown(notification, escapeRocket);
  const text = [escapeRocket(cutText(body, BODY_MAX)), link, note]
    .filter((part) => part !== null)
    .join('\n\n');
  return {
    text: `${sign} ${escapeRocket(cutText(title, TITLE_MAX))}`,
    attachments: [{ color: colour, text }],
  };
}

const accepted = z.object({ success: z.literal(true) });

const service: WebhookService = {
  place: 'Rocket.Chat',
  form: { example: 'https://chat.example.com/hooks/…/…', path: /\/hooks\/[\w-]+\/[\w-]+$/ },
  message: rocketMessage,
  accepts: (text) => accepted.safeParse(parseJson(text)).success,
};

/** Posts through an incoming webhook. Its response names no message, so a sent message cannot be changed. */
export default defineWebhookChannel(
  {
    type: 'rocketchat',
    summary: 'Posts to a Rocket.Chat channel through an incoming webhook',
    can: { reply: 'needs `reply_page`' },
    // A server limits its API to 10 calls a minute unless its administrator changes that.
    limits: { timeoutMs: 10_000, concurrency: 1, burst: 5, refillMs: 6_000, maxAttempts: 12 },
  },
  service,
);
