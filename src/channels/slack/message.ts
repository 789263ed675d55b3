import type { IncomingWebhookSendArguments } from '@slack/webhook';
import type { Notification } from '../../core/notification.ts';
import { bodyWithoutDetails, originText } from '../../core/notification.ts';
import { toneColours, toneOf } from '../../core/tone.ts';
import type { ShownReplyLink } from '../../core/reply-link.ts';
import { replyLinkHint } from '../../core/reply-link.ts';
import { cutEscaped } from '../support/cut-escaped.ts';
import { creditsText } from '../../core/credits-text.ts';
import { durationText } from '../../core/duration-text.ts';
import { escapeSlack, mrkdwn } from './mrkdwn.ts';

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
/** Ours: of a digest below its six lines. */
const WHOLE_MAX = 8_000;
const DIGEST_LINES = 6;
/** Ours: a context line is for short facts. */
const CONTEXT_MAX = 150;

/**
 * Makes the Slack message of a notification. Foreign text stands in `plain_text`, where Slack knows neither formatting nor
 * mentions; only what an agent wrote in Markdown is formatted.
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
    bodyBlock(notification),
  ];
  if (notification.replyLink !== undefined) blocks.push(replyBlock(notification.replyLink));
  if (mention !== null) {
    blocks.push({ type: 'section', text: { type: 'mrkdwn', text: mention, verbatim: true } });
  }
  const color = toneColours[toneOf(notification)];
  // Slack folds a long attachment to a few lines and "Show more".
  const whole =
    notification.kind === 'digest'
      ? [{ color, text: cutEscaped(body, WHOLE_MAX, escapeSlack), mrkdwn_in: [] }]
      : [];
  const elements = facts(notification).map((fact) => plainText(fact, CONTEXT_MAX));
  return {
    // What a phone's push and a screen reader show.
    text: cutEscaped(`${title}\n${body}`, TEXT_MAX, escapeSlack),
    blocks,
    // Only an attachment has a colour; what matters stands above, where Slack never folds it away.
    attachments: [{ color, blocks: [{ type: 'context', elements }] }, ...whole],
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  };
}

/**
 * The same message for servers that read Slack's webhooks and take `text` for Markdown with mentions, as Mattermost does: every
 * sign that starts a mark or a mention is followed or escaped by what keeps it a plain sign. The blocks stay, since such servers ignore
 * them; an attachment of blocks would be shown as an empty one.
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
  const { attachments = [], blocks = [], ...rest } = message;
  const all = [...blocks, ...attachments.flatMap((attachment) => attachment.blocks ?? [])];
  return { ...rest, blocks: all, text: mention === null ? text : `${mention}\n${text}` };
}

function bodyBlock(notification: Notification): SlackBlock {
  const text =
    notification.markdown === undefined ? '' : mrkdwn(notification.markdown, SECTION_MAX);
  // Markdown of nothing but marks has no text, which Slack would refuse.
  return /\w/.test(text)
    ? { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }
    : { type: 'section', text: plainText(shownBody(notification), SECTION_MAX) };
}

/** Of a digest the first line of each section, behind its heading; the whole of it stands below. */
function shownBody(notification: Notification): string {
  const body = bodyWithoutDetails(notification);
  if (notification.kind !== 'digest') return body;
  const lines = body.split(/\n{2,}/).map((section) => {
    const [heading = '', first] = section.split('\n');
    return first === undefined ? heading : `${sentenceCase(heading)}: ${first}`;
  });
  return lines.slice(0, DIGEST_LINES).join('\n');
}

function sentenceCase(heading: string): string {
  return heading.slice(0, 1) + heading.slice(1).toLowerCase();
}

/** The address is made here and holds nothing of an event. */
function replyBlock({ url, machine, forMs }: ShownReplyLink): SlackBlock {
  const where = escapeSlack(replyLinkHint(machine, forMs));
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
    agent === 'service' || agent === 'unknown' ? null : agent,
    originText(notification.origin),
    title.startsWith(`${project}: `) ? null : project,
    title.includes(` · ${session}`) ? null : session,
    computer === notification.origin.host ? null : computer,
    length === null || title.includes(` (${length})`) ? null : `took ${length}`,
    activeMs === null ? null : `at work ${durationText(activeMs)}`,
    credits === null ? null : creditsText(credits),
    possibleDuplicate ? 'possible duplicate' : null,
  ];
  // Slack refuses a whole message for one empty text.
  return known.filter((fact): fact is string => fact !== null && /\S/.test(fact));
}

function plainText(text: string, max: number): PlainText {
  return { type: 'plain_text', text: cutEscaped(text, max, escapeSlack), emoji: false };
}
