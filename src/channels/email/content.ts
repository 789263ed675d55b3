import { durationText } from '../../text/duration.ts';
import { escapeHtml } from '../../text/escape.ts';
import { usedCreditsText } from '../../core/looked-up.ts';
import { mailPage } from '../../text/mail-page.ts';
import { plainFromMarkdown } from '../../text/markdown.ts';
import { markdownHtml, type MarkdownTags } from '../../text/markdown-html.ts';
import {
  bodyWithoutDetails,
  type Notification,
  originText,
  type Tone,
  toneColours,
  toneOf,
  replyLinkHint,
  turnLengthText,
} from '../../core/notification.ts';
import { cutText, displayLine, displayText } from '../../text/sanitize.ts';

const FONT = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px';

const tags: MarkdownTags = {
  codeBlock: (text) =>
    `<pre class="track" style="margin:8px 0;padding:8px 12px;background:#f6f8fa;${FONT};white-space:pre-wrap;overflow-wrap:anywhere">${text}</pre>`,
  heading: (html) => `<div style="margin:12px 0 4px;font-weight:600">${html}</div>`,
  quote: (html) =>
    `<blockquote style="margin:8px 0;padding:0 12px;border-left:3px solid #d0d7de">${html}</blockquote>`,
  // Not an HTML list: mail programs disagree about its margins, and a marker of the text stays unchanged.
  item: (marker, html, depth) =>
    `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin-left:${depth * 16}px"><tr>` +
    `<td class="text" valign="top" style="padding-right:8px;color:#1f2328">${marker}</td>` +
    `<td class="text" style="color:#1f2328;overflow-wrap:anywhere">${html}</td></tr></table>`,
  paragraph: (html) => `<div style="margin:8px 0">${html}</div>`,
  code: (html) => `<code style="${FONT}">${html}</code>`,
  link: (href, html) => `<a href="${href}" style="color:#0969da">${html}</a>`,
};

const labels: Readonly<Record<Tone, string>> = {
  permission: 'Needs your permission',
  question: 'Waits for your answer',
  failed: 'Something failed',
  done: 'Finished',
  info: 'Good to know',
  test: 'Test',
};

const BODY_MAX = 10_000;
const REMARK = 'Sent by hookbell. Replies to this mail do not reach the agent.';
const DUPLICATE =
  'You may already have this message: it is unknown whether an earlier attempt arrived.';

/** The content of a mail in plain text pieces; the text part and the HTML part are both made from them. */
export type MailContent = ReturnType<typeof contentOf>;

/** Collects the content. Lines are cleaned again, because a line feed in a subject would begin a header. */
export function contentOf(notification: Notification) {
  const { title, project, sessionTitle, sessionId, markdown, replyLink } = notification;
  const whole = markdown === undefined ? '' : plainFromMarkdown(markdown);
  const tone = toneOf(notification);
  const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
  const { computer, durationMs, activeMs, credits } = notification;
  const facts: (readonly [string, string | null])[] = [
    ['Project', project],
    ['Session', sessionTitle ?? sessionId],
    ['Computer', computer === notification.origin.host ? null : computer],
    ['Agent', notification.agent === 'unknown' ? null : notification.agent],
    ['From', originText(notification.origin)],
    ['Took', turnLengthText(durationMs)],
    ['At work', activeMs === null ? null : durationText(activeMs)],
    ['Credits', credits === null ? null : usedCreditsText(credits)],
    ['When', time.format(notification.at)],
  ];
  return {
    tone,
    /** The tone in words, so that colour is never the only sign. */
    label: labels[tone],
    title: cutText(displayLine(title), 500),
    // The text part has room for all of it.
    body: cutText(displayText(whole || bodyWithoutDetails(notification)), BODY_MAX),
    markdown: markdown === undefined ? null : cutText(displayText(markdown), BODY_MAX),
    facts: facts.flatMap(([label, value]) =>
      value === null ? [] : [[label, cutText(displayLine(value), 200)] as const],
    ),
    reply:
      replyLink === undefined
        ? null
        : { url: replyLink.url, hint: replyLinkHint(replyLink.machine, replyLink.forMs) },
    remarks: notification.possibleDuplicate ? [DUPLICATE, REMARK] : [REMARK],
  };
}

/** The text part. */
export function plainText({ title, body, facts, reply, remarks }: MailContent): string {
  const details = facts.map(([label, value]) => `${label}: ${value}`);
  const answer = reply === null ? [] : [`Answer the agent: ${reply.url}\n${reply.hint}`];
  return [title, body, ...answer, details.join('\n'), remarks.join('\n')].join('\n\n');
}

/** The HTML part. It loads nothing remote, and every foreign text is escaped. */
export function htmlText(content: MailContent): string {
  const { tone, label, title, body, markdown, facts, reply, remarks } = content;
  const colour = toneColours[tone];
  const rows = facts.map(
    ([name, value]) =>
      `<tr><td class="faint" valign="top" style="padding:2px 16px 2px 0;color:#59636e;white-space:nowrap">${escapeHtml(name)}</td>` +
      `<td class="text" dir="auto" style="padding:2px 0;color:#1f2328;overflow-wrap:anywhere">${escapeHtml(value)}</td></tr>`,
  );
  return mailPage({
    title,
    width: 600,
    text: [15, 22],
    edge: `<td width="6" bgcolor="${colour}" style="width:6px;background:${colour};font-size:0">&nbsp;</td>`,
    content: `<div class="faint" style="font-size:13px;color:#59636e">${label}</div>
<h1 class="text" dir="auto" style="margin:4px 0 12px;font-size:20px;line-height:26px;font-weight:600;color:#1f2328;overflow-wrap:anywhere">${escapeHtml(title)}</h1>
${bodyHtml(body, markdown)}${reply === null ? '' : replyHtml(reply)}
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin-top:16px;font-size:13px;line-height:18px">${rows.join('')}</table>
<div class="faint" style="margin-top:16px;font-size:12px;line-height:17px;color:#59636e">${remarks.map(escapeHtml).join('<br>')}</div>`,
  });
}

function bodyHtml(body: string, markdown: string | null): string {
  const style = 'color:#1f2328;overflow-wrap:anywhere';
  return markdown === null
    ? `<div class="text" dir="auto" style="${style};white-space:pre-wrap">${escapeHtml(body).replaceAll('\n', '<br>')}</div>`
    : `<div class="text" dir="auto" style="${style}">${markdownHtml(markdown, tags)}</div>`;
}

function replyHtml({ url, hint }: NonNullable<MailContent['reply']>): string {
  return `
<div style="margin-top:16px"><a href="${escapeHtml(url)}" style="color:#0969da;font-weight:600">Answer the agent</a></div>
<div class="faint" style="font-size:12px;line-height:17px;color:#59636e">${escapeHtml(hint)}</div>`;
}
