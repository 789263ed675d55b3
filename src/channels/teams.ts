import { type Notification, type Tone, toneOf, replyLinkHint } from '../core/notification.ts';
import { cutText } from '../text/sanitize.ts';
import { chatText } from './support/chat-text.ts';
import { defineWebhookChannel, type WebhookService } from './support/incoming-webhook.ts';

/** Ours; together with the longest body below the 28 KB of a message. */
const TITLE_MAX = 300;
const BODY_MAX = 5_000;
/** Each line is an element of the card. */
const MAX_LINES = 60;

/** Colours of the card's own palette, which follows the reader's theme. */
const colours: Readonly<Record<Tone, 'attention' | 'warning' | 'accent' | 'good' | 'default'>> = {
  permission: 'warning',
  question: 'accent',
  failed: 'attention',
  done: 'good',
  info: 'default',
  test: 'default',
};

type TextRun = Readonly<Record<string, string | boolean>>;

/** No Markdown (https://learn.microsoft.com/en-us/adaptive-cards/schema-explorer/text-run); a mention needs an entity. */
function line(text: string, look: TextRun = {}): object {
  // An empty run has no height, so that paragraphs would touch.
  const run = { type: 'TextRun', text: text === '' ? '\u00a0' : text, ...look };
  return { type: 'RichTextBlock', spacing: 'None', inlines: [run] };
}

/** An Adaptive Card (https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using). */
function teamsMessage(notification: Notification): object {
  const { sign, title, body, note } = chatText(notification);
  const { replyLink } = notification;
  const headline = `${sign} ${cutText(title, TITLE_MAX)}`;
  const lines = cutText(body, BODY_MAX).split('\n');
  const shown = lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES - 1), '…'] : lines;
  const hint = replyLink === undefined ? null : replyLinkHint(replyLink.machine, replyLink.forMs);
  const small = { size: 'Small', isSubtle: true };
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: headline,
    msteams: { width: 'Full' },
    body: [
      line(headline, { weight: 'Bolder', size: 'Medium', color: colours[toneOf(notification)] }),
      ...shown.map((text) => line(text)),
      ...[note, hint].flatMap((text) => (text === null ? [] : [line(text, small)])),
    ],
    ...(replyLink !== undefined && {
      actions: [{ type: 'Action.OpenUrl', title: 'Answer the agent', url: replyLink.url }],
    }),
  };
  return {
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content },
    ],
  };
}

const service: WebhookService = {
  place: 'Teams',
  form: {
    example: 'https://….logic.azure.com/workflows/…/triggers/manual/paths/invoke?…',
    path: /\/workflows\/[^/]+\/triggers\/[^/]+\/paths\/invoke\/?$/,
  },
  message: teamsMessage,
  // A workflow accepts a request with a 202 without text, before it posts.
  accepts: (text) => !/^\s*</.test(text),
};

/** Posts to the webhook of a workflow, which posts to a channel or chat of Teams and returns nothing about it. */
export default defineWebhookChannel(
  {
    type: 'teams',
    summary: 'Posts to a Microsoft Teams channel or chat through a workflow',
    recipient: 'Microsoft Teams',
    of: 'workflow',
    can: { reply: 'needs `reply_page`' },
    // More than four requests a second are throttled.
    limits: { timeoutMs: 15_000, concurrency: 1, burst: 4, refillMs: 1_000, maxAttempts: 12 },
  },
  service,
);
