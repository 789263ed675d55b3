import type { IncomingWebhookSendArguments } from '@slack/webhook';

import { durationText } from '../../text/duration.ts';
import { escapeAngles } from '../../text/escape.ts';
import { cutEscaped } from '../../text/sanitize.ts';
import { usedCreditsText } from '../../core/looked-up.ts';
import {
  type MarkdownLine,
  markdownLines,
  type MarkdownSpan,
  placeOf,
} from '../../text/markdown.ts';
import {
  bodyWithoutDetails,
  briefBody,
  type Notification,
  originText,
  toneColours,
  toneOf,
  replyLinkHint,
  type ShownReplyLink,
  turnLengthText,
} from '../../core/notification.ts';

type SlackBlock = NonNullable<IncomingWebhookSendArguments['blocks']>[number];

/** Slack's limits, in characters after escaping (https://docs.slack.dev/reference/block-kit/blocks). */
const HEADER_MAX = 150;
const SECTION_MAX = 3_000;
const TEXT_MAX = 4_000;
/** Ours: of a digest below its six lines. */
const WHOLE_MAX = 8_000;
/** Ours: a context line is for short facts. */
const CONTEXT_MAX = 150;

/** Foreign text is `plain_text`; only Markdown of an agent is formatted. @param mention in Slack's markup, or null */
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
  const text = cutEscaped(body, WHOLE_MAX, escapeAngles);
  // Slack folds a long attachment to a few lines and "Show more".
  const whole = notification.kind === 'digest' ? [{ color, text, mrkdwn_in: [] }] : [];
  const elements = facts(notification).map((fact) => plainText(fact, CONTEXT_MAX));
  return {
    // The text of a phone's push and a screen reader.
    text: cutEscaped(`${title}\n${body}`, TEXT_MAX, escapeAngles),
    blocks,
    // Only an attachment has a colour; the important part is above, where Slack never folds it away.
    attachments: [{ color, blocks: [{ type: 'context', elements }] }, ...whole],
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** For servers that parse `text` as Markdown with mentions, such as Mattermost, and ignore blocks. @param mention goes in front */
export function withoutMarkdown(
  message: IncomingWebhookSendArguments,
  mention: string | null,
): IncomingWebhookSendArguments {
  const text = (message.text ?? '')
    // A word joiner (U+2060) after the character: no name or channel begins there.
    .replace(/[@~#:]/g, '$&\u2060')
    // Only what starts a mark where it stands: the text is also read as it is, in the push of a phone.
    .replace(/[\\`*[\]|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<=^[^\S\n]*)[+=-]/gmu, '\\$&')
    .replace(/^(\s*\d+)([.)])/gm, '$1\\$2');
  const { attachments = [], blocks = [], ...rest } = message;
  const all = [...blocks, ...attachments.flatMap((attachment) => attachment.blocks ?? [])];
  return { ...rest, blocks: all, text: mention === null ? text : `${mention}\n${text}` };
}

function bodyBlock(notification: Notification): SlackBlock {
  const { kind } = notification;
  const body = bodyWithoutDetails(notification);
  const text =
    notification.markdown === undefined ? '' : mrkdwn(notification.markdown, SECTION_MAX);
  // Markdown that holds only marks has no text, which Slack would refuse.
  return /\w/.test(text)
    ? { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }
    : { type: 'section', text: plainText(briefBody(kind, body), SECTION_MAX) };
}

/** The address is generated here and holds nothing of an event. */
function replyBlock({ url, machine, forMs }: ShownReplyLink): SlackBlock {
  const where = escapeAngles(replyLinkHint(machine, forMs));
  return {
    type: 'section',
    text: { type: 'mrkdwn', text: `<${url}|Answer the agent>\n${where}`, verbatim: true },
  };
}

/** Further facts that the headline does not contain. */
function facts(notification: Notification): readonly string[] {
  const { title, agent, project, computer, possibleDuplicate } = notification;
  const session = notification.sessionTitle ?? notification.sessionId;
  const { durationMs, activeMs, credits } = notification;
  const length = turnLengthText(durationMs);
  const known = [
    agent === 'service' || agent === 'unknown' ? null : agent,
    originText(notification.origin),
    project !== null && title.startsWith(project) ? null : project,
    title.includes(` · ${session}`) ? null : session,
    computer === notification.origin.host ? null : computer,
    length === null || title.includes(` (${length})`) ? null : `took ${length}`,
    activeMs === null ? null : `at work ${durationText(activeMs)}`,
    credits === null ? null : usedCreditsText(credits),
    possibleDuplicate ? 'possible duplicate' : null,
  ];
  // Slack rejects a whole message for one empty text.
  return known.filter((fact): fact is string => fact !== null && /\S/.test(fact));
}

function plainText(text: string, max: number) {
  const cut = cutEscaped(text, max, escapeAngles);
  return { type: 'plain_text', text: cut, emoji: false } as const;
}

/** https://docs.slack.dev/messaging/formatting-message-text @param max after escaping; whole lines are kept */
function mrkdwn(markdown: string, max: number): string {
  const parts: string[] = [];
  let length = 0;
  let isCode = false;
  for (const line of markdownLines(markdown)) {
    const fence = (line.type === 'code') === isCode ? '' : '```\n';
    const text = `${fence}${lineText(line)}`;
    // Room for the ellipsis and the end of a block of code.
    if (length + text.length + 1 > max - 10) {
      parts.push(isCode ? '```\n…' : '…');
      return parts.join('\n');
    }
    isCode = line.type === 'code';
    parts.push(text);
    length += text.length + 1;
  }
  if (isCode) parts.push('```');
  return parts.join('\n').trim();
}

function lineText(line: MarkdownLine): string {
  switch (line.type) {
    case 'blank':
      return '';
    case 'code':
      return escapeAngles(line.text).replaceAll('```', "'''");
    case 'heading':
      return spansText(line.spans.map((span) => ({ ...span, bold: true })));
    case 'quote':
      return `> ${spansText(line.spans)}`;
    case 'item':
      return `${' '.repeat(line.indent)}${escapeAngles(line.marker)} ${spansText(line.spans)}`;
    case 'text':
      return spansText(line.spans);
  }
}

function spansText(spans: readonly MarkdownSpan[]): string {
  const texts = spans.map((span, index) => {
    const before = spans[index - 1]?.text.at(-1) ?? ' ';
    const after = spans[index + 1]?.text.at(0) ?? ' ';
    // Between letters Slack shows the characters themselves.
    return spanText(span, !/\w/.test(before) && !/\w/.test(after));
  });
  return texts.join('');
}

function spanText(span: MarkdownSpan, isFree: boolean): string {
  const { text, bold, italic, strike, code, href } = span;
  let marked = escapeAngles(text);
  if (href !== undefined) {
    const place = placeOf(span);
    const label = marked.replaceAll('|', '¦');
    const hint = place === null ? '' : ` (${escapeAngles(place)})`;
    return `<${address(href)}|${label}>${hint}`;
  }
  if (!isFree || text.trim() !== text) return marked;
  if (code === true) return text.includes('`') ? marked : `\`${marked}\``;
  if (strike === true) marked = `~${marked}~`;
  if (italic === true) marked = `_${marked}_`;
  return bold === true ? `*${marked}*` : marked;
}

function address(href: string): string {
  return escapeAngles(href.replaceAll('|', '%7C').replaceAll('<', '%3C').replaceAll('>', '%3E'));
}
