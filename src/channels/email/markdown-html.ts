import { escapeHtml } from '../../core/escape-html.ts';
import type { MarkdownLine, MarkdownSpan } from '../../core/markdown.ts';
import { markdownLines, placeOf } from '../../core/markdown.ts';

const FONT = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px';
const MOST_DEPTH = 6;

/**
 * An agent's Markdown as HTML for a mail: headings, lists, code, quotes, emphasis, and links to http, https and mailto. All of its
 * text is escaped, and nothing is loaded from anywhere.
 */
export function markdownHtml(markdown: string): string {
  const runs: MarkdownLine[][] = [];
  for (const line of markdownLines(markdown)) {
    const run = runs.at(-1);
    if (run?.[0]?.type === line.type) run.push(line);
    else runs.push([line]);
  }
  return runs.map(runHtml).join('');
}

/** Lines of one type that follow each other. */
function runHtml(run: readonly MarkdownLine[]): string {
  switch (run[0]?.type) {
    case undefined:
    case 'blank':
      return '';
    case 'code': {
      const text = run
        .map((line) => (line.type === 'code' ? escapeHtml(line.text) : ''))
        .join('\n');
      return `<pre class="track" style="margin:8px 0;padding:8px 12px;background:#f6f8fa;${FONT};white-space:pre-wrap;overflow-wrap:anywhere">${text}</pre>`;
    }
    case 'heading':
      return run
        .map((line) => `<div style="margin:12px 0 4px;font-weight:600">${spansHtml(line)}</div>`)
        .join('');
    case 'quote':
      return `<blockquote style="margin:8px 0;padding:0 12px;border-left:3px solid #d0d7de">${run.map(spansHtml).join('<br>')}</blockquote>`;
    case 'item':
      return run.map(itemHtml).join('');
    case 'text':
      return `<div style="margin:8px 0">${run.map(spansHtml).join('<br>')}</div>`;
  }
}

/** Not a list of HTML: mail programs disagree about its margins, and a marker of the text stays what it was. */
function itemHtml(line: MarkdownLine): string {
  if (line.type !== 'item') return '';
  const depth = Math.min(MOST_DEPTH, Math.floor(line.indent / 2));
  return (
    `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin-left:${depth * 16}px"><tr>` +
    `<td class="text" valign="top" style="padding-right:8px;color:#1f2328">${escapeHtml(line.marker)}</td>` +
    `<td class="text" style="color:#1f2328;overflow-wrap:anywhere">${spansHtml(line)}</td></tr></table>`
  );
}

function spansHtml(line: MarkdownLine): string {
  return 'spans' in line ? line.spans.map(spanHtml).join('') : '';
}

function spanHtml(span: MarkdownSpan): string {
  const { text, bold, italic, strike, code, href } = span;
  let html = escapeHtml(text);
  if (code === true) html = `<code style="${FONT}">${html}</code>`;
  if (strike === true) html = `<s>${html}</s>`;
  if (italic === true) html = `<em>${html}</em>`;
  if (bold === true) html = `<strong>${html}</strong>`;
  if (href === undefined) return html;
  const place = placeOf(span);
  const hint = place === null ? '' : ` (${escapeHtml(place)})`;
  return `<a href="${escapeHtml(href)}" style="color:#0969da">${html}</a>${hint}`;
}
