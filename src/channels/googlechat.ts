import { z } from 'zod';

import { type Notification, replyLinkHint } from '../core/notification.ts';
import { sha256 } from '../platform/crypto.ts';
import { parseJson } from '../platform/json.ts';
import { escapeAngles } from '../text/escape.ts';
import { cutEscaped, cutText } from '../text/sanitize.ts';
import { chatText, WORD_JOINER } from './support/chat-text.ts';
import { defineWebhookChannel, type WebhookService } from './support/incoming-webhook.ts';

/** Ours, in characters after escaping: with up to three bytes each, all of them stay below the 32,000 bytes of a message. */
const TITLE_MAX = 500;
const BODY_MAX = 6_000;
const FALLBACK_MAX = 1_000;

/** Chat makes links of addresses in every text: none stands without an invisible character in it. */
function withoutLinks(text: string): string {
  return text.replace(/[:@.]/g, `$&${WORD_JOINER}`);
}

/** Text in a card, where it is a small subset of HTML without mentions. */
function cardText(text: string): string {
  return escapeAngles(withoutLinks(text)).replaceAll('\n', '<br>');
}

function paragraph(text: string): object {
  return { textParagraph: { text } };
}

function linkButton(text: string, url: string): object {
  return { buttonList: { buttons: [{ text, onClick: { openLink: { url } } }] } };
}

/**
 * The message of a notification: a card, because plain text has no escape for its marks, links and mentions such as
 * `<users/all>` (https://developers.google.com/workspace/chat/format-messages#card-formatting).
 */
function googleChatMessage(notification: Notification): object {
  const { sign, colour, title, body, note } = chatText(notification);
  const { replyLink, groupKey } = notification;
  const small = [
    note,
    replyLink === undefined ? null : replyLinkHint(replyLink.machine, replyLink.forMs),
  ].flatMap((text) => (text === null ? [] : [paragraph(`<i>${escapeAngles(text)}</i>`)]));
  const headline = cutEscaped(title, TITLE_MAX, cardText);
  const widgets = [
    paragraph(`${sign} <b><font color="${colour}">${headline}</font></b>`),
    paragraph(cutEscaped(body, BODY_MAX, cardText)),
    ...small,
    ...(replyLink === undefined ? [] : [linkButton('Answer the agent', replyLink.url)]),
  ];
  return {
    // For a push, and where cards cannot be shown.
    fallbackText: withoutLinks(cutText(`${sign} ${title}\n${body}`, FALLBACK_MAX)),
    cardsV2: [{ cardId: 'hookbell', card: { sections: [{ widgets }] } }],
    thread: { threadKey: sha256(groupKey).slice(0, 16) },
  };
}

const created = z.object({ name: z.string().startsWith('spaces/') });

/** https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create */
const service: WebhookService = {
  place: 'Google Chat',
  form: {
    example: 'https://chat.googleapis.com/v1/spaces/…/messages?key=…&token=…',
    path: /^\/v1\/spaces\/[\w-]+\/messages$/,
  },
  message: googleChatMessage,
  query: ({ deliveryId }) => ({
    messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD',
    // A second request with it returns the message that the first one made.
    requestId: deliveryId,
  }),
  accepts: (text) => created.safeParse(parseJson(text)).success,
};

/** Posts to a space; the notifications of a session form a thread. A webhook can neither edit nor delete. */
export default defineWebhookChannel(
  {
    type: 'googlechat',
    summary: 'Posts to a Google Chat space through a webhook, with a thread for each session',
    of: 'webhook',
    can: { thread: true, reply: 'needs `reply_page`' },
    // A space takes one message a second (https://developers.google.com/workspace/chat/limits).
    limits: { timeoutMs: 10_000, concurrency: 1, burst: 3, refillMs: 1_000, maxAttempts: 12 },
  },
  service,
);
