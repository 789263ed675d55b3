import type { IncomingWebhookSendArguments } from '@slack/webhook';
import type { Notification } from '../../core/notification.ts';
import { bodyWithoutDetails } from '../../core/notification.ts';
import type { ShownReplyLink } from '../../core/reply-link.ts';
import { replyLinkHint } from '../../core/reply-link.ts';
import { cutEscaped } from '../support/cut-escaped.ts';
import { creditsText } from '../../core/credits-text.ts';
import { durationText } from '../../core/duration-text.ts';

type SlackBlock = NonNullable<IncomingWebhookSendArguments['blocks']>[number];
interface PlainText {
  readonly type: 'plain_text';
  readonly text: string;
  readonly emoji: false;
}

/** Slack's limits, in characters after escaping (https://docs.slack.dev/reference/block-kit/blocks). */
const HEADER_MAX = 150;
const SECTION_MAX = 3_000;
const TEXT_MAX = 4_000;
/** Ours: a context line is for short facts. */
const CONTEXT_MAX = 150;

/**
 * Makes the Slack message of a notification. Foreign text stands in `plain_text` only, where Slack knows neither
 * formatting nor mentions.
 *
 * @param mention Slack's markup of whom to mention, from the configuration; null for nobody
 */
export function renderMessage(
  notification: Notification,
  mention: string | null,
): IncomingWebhookSendArguments {
  const { title, body } = notification;
  const blocks: SlackBlock[] = [
    { type: 'header', text: plainText(title, HEADER_MAX) },
    { type: 'section', text: plainText(bodyWithoutDetails(notification), SECTION_MAX) },
    { type: 'context', elements: facts(notification).map((fact) => plainText(fact, CONTEXT_MAX)) },
  ];
  if (notification.replyLink !== undefined) blocks.push(replyBlock(notification.replyLink));
  if (mention !== null) {
    blocks.push({ type: 'section', text: { type: 'mrkdwn', text: mention, verbatim: true } });
  }
  return {
    // What a phone's push and a screen reader show.
    text: cutEscaped(`${title}\n${body}`, TEXT_MAX, escape),
    blocks,
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  };
}

/**
 * The same message for servers that read Slack's webhooks and take `text` for Markdown with mentions, as Mattermost does: every
 * sign that starts a mark or a mention is followed or escaped by what keeps it a plain sign. The blocks stay; such servers ignore them.
 *
 * @param mention from the configuration; it goes in front as it is
 */
export function withoutMarkdown(
  message: IncomingWebhookSendArguments,
  mention: string | null,
): IncomingWebhookSendArguments {
  const text = (message.text ?? '')
    // A word joiner (U+2060) behind the sign: no name or channel begins there.
    .replace(/[@~#:]/g, '$&\u2060')
    .replace(/[\\`*_{}[\]()!|+-]/g, '\\$&')
    .replace(/^(\s*\d+)\./gm, '$1\\.');
  return { ...message, text: mention === null ? text : `${mention}\n${text}` };
}

/** The address is made here and holds nothing of an event. */
function replyBlock({ url, machine, forMs }: ShownReplyLink): SlackBlock {
  const where = escape(replyLinkHint(machine, forMs));
  return {
    type: 'section',
    text: { type: 'mrkdwn', text: `<${url}|Answer the agent>\n${where}`, verbatim: true },
  };
}

/** What else is known, and does not stand in the headline already. */
function facts(notification: Notification): readonly string[] {
  const { title, agent, project, computer, possibleDuplicate } = notification;
  const session = notification.sessionTitle ?? notification.sessionId;
  const { durationMs, activeMs, credits } = notification;
  const length = durationMs === null ? null : durationText(durationMs);
  const known = [
    agent,
    title.startsWith(`${project}: `) ? null : project,
    title.includes(` · ${session}`) ? null : session,
    computer,
    length === null || title.includes(` (${length})`) ? null : `took ${length}`,
    activeMs === null ? null : `at work ${durationText(activeMs)}`,
    credits === null ? null : creditsText(credits),
    possibleDuplicate ? 'possible duplicate' : null,
  ];
  // Slack refuses a whole message for one empty text.
  return known.filter((fact): fact is string => fact !== null && /\S/.test(fact));
}

function plainText(text: string, max: number): PlainText {
  return { type: 'plain_text', text: cutEscaped(text, max, escape), emoji: false };
}

/**
 * Slack takes back exactly these three, in every text
 * (https://docs.slack.dev/messaging/formatting-message-text#escaping).
 */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
