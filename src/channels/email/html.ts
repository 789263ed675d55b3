import { escapeHtml } from '../../core/escape-html.ts';
import { mailPage } from '../../core/mail-page.ts';
import { toneColours } from '../../core/tone.ts';
import { markdownHtml } from './markdown-html.ts';
import type { MailContent } from './content.ts';

/**
 * The HTML part. It loads nothing from anywhere, and every foreign text is escaped.
 */
export function htmlText({
  tone,
  label,
  title,
  body,
  markdown,
  facts,
  reply,
  remarks,
}: MailContent): string {
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
    : `<div class="text" dir="auto" style="${style}">${markdownHtml(markdown)}</div>`;
}

function replyHtml({ url, hint }: NonNullable<MailContent['reply']>): string {
  return `
<div style="margin-top:16px"><a href="${escapeHtml(url)}" style="color:#0969da;font-weight:600">Answer the agent</a></div>
<div class="faint" style="font-size:12px;line-height:17px;color:#59636e">${escapeHtml(hint)}</div>`;
}
