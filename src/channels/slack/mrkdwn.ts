import type { MarkdownLine, MarkdownSpan } from '../../core/markdown.ts';
import { markdownLines, placeOf } from '../../core/markdown.ts';

/**
 * An agent's Markdown in Slack's own markup (https://docs.slack.dev/messaging/formatting-message-text). Every text is escaped, so that
 * none makes a mention; Slack has no escape for its signs of emphasis, so a stray one may be read as one.
 *
 * @param max the most characters, counted after escaping; whole lines are kept
 */
export function mrkdwn(markdown: string, max: number): string {
  const kept: string[] = [];
  let length = 0;
  let isCode = false;
  for (const line of markdownLines(markdown)) {
    const fence = (line.type === 'code') === isCode ? '' : '```\n';
    const text = `${fence}${lineText(line)}`;
    // Room for the ellipsis and the end of a block of code.
    if (length + text.length + 1 > max - 10) {
      kept.push(isCode ? '```\n…' : '…');
      return kept.join('\n');
    }
    isCode = line.type === 'code';
    kept.push(text);
    length += text.length + 1;
  }
  if (isCode) kept.push('```');
  return kept.join('\n').trim();
}

function lineText(line: MarkdownLine): string {
  switch (line.type) {
    case 'blank':
      return '';
    case 'code':
      return escapeSlack(line.text).replaceAll('```', "'''");
    case 'heading':
      return spansText(line.spans.map((span) => ({ ...span, bold: true })));
    case 'quote':
      return `> ${spansText(line.spans)}`;
    case 'item':
      return `${' '.repeat(line.indent)}${escapeSlack(line.marker)} ${spansText(line.spans)}`;
    case 'text':
      return spansText(line.spans);
  }
}

function spansText(spans: readonly MarkdownSpan[]): string {
  return spans
    .map((span, index) => {
      const before = spans[index - 1]?.text.at(-1) ?? ' ';
      const after = spans[index + 1]?.text.at(0) ?? ' ';
      // Between letters Slack shows the signs themselves.
      const isFree = !/\w/.test(before) && !/\w/.test(after);
      return spanText(span, isFree);
    })
    .join('');
}

function spanText(span: MarkdownSpan, isFree: boolean): string {
  const { text, bold, italic, strike, code, href } = span;
  let marked = escapeSlack(text);
  if (href !== undefined) {
    const place = placeOf(span);
    const label = marked.replaceAll('|', '¦');
    const hint = place === null ? '' : ` (${escapeSlack(place)})`;
    return `<${address(href)}|${label}>${hint}`;
  }
  if (!isFree || text.trim() !== text) return marked;
  if (code === true) return text.includes('`') ? marked : `\`${marked}\``;
  if (strike === true) marked = `~${marked}~`;
  if (italic === true) marked = `_${marked}_`;
  return bold === true ? `*${marked}*` : marked;
}

/** No sign of it may end the link. */
function address(href: string): string {
  return escapeSlack(href.replaceAll('|', '%7C').replaceAll('<', '%3C').replaceAll('>', '%3E'));
}

/**
 * Slack takes back exactly these three, in every text
 * (https://docs.slack.dev/messaging/formatting-message-text#escaping).
 */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
