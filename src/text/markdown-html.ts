import { escapeHtml } from './escape.ts';
import { type MarkdownLine, markdownLines, type MarkdownSpan, placeOf } from './markdown.ts';

/** How a place writes the parts of a Markdown text in HTML. What a function gets is escaped. */
export interface MarkdownTags {
  readonly codeBlock: (text: string) => string;
  readonly heading: (html: string) => string;
  readonly quote: (html: string) => string;
  /** @param depth of nested lists, from 0 */
  readonly item: (marker: string, html: string, depth: number) => string;
  readonly paragraph: (html: string) => string;
  readonly code: (html: string) => string;
  readonly link: (href: string, html: string) => string;
}

const MOST_DEPTH = 6;

/**
 * An agent's Markdown as HTML: headings, lists, code, quotes, emphasis, and links to http, https and mailto. All of its
 * text is escaped, and nothing is loaded from anywhere.
 */
export function markdownHtml(markdown: string, tags: MarkdownTags): string {
  const runs: MarkdownLine[][] = [];
  for (const line of markdownLines(markdown)) {
    const run = runs.at(-1);
    if (run?.[0]?.type === line.type) run.push(line);
    else runs.push([line]);
  }
  return runs.map((run) => runHtml(run, tags)).join('');
}

/** Lines of one type that follow each other. */
function runHtml(run: readonly MarkdownLine[], tags: MarkdownTags): string {
  const lines = run.map((line) =>
    'spans' in line ? line.spans.map((span) => spanHtml(span, tags)).join('') : '',
  );
  switch (run[0]?.type) {
    case undefined:
    case 'blank':
      return '';
    case 'code':
      return tags.codeBlock(
        run.map((line) => (line.type === 'code' ? escapeHtml(line.text) : '')).join('\n'),
      );
    case 'heading':
      return lines.map(tags.heading).join('');
    case 'quote':
      return tags.quote(lines.join('<br>'));
    case 'item':
      return run
        .map((line, index) =>
          line.type === 'item' ? itemHtml(line, lines[index] ?? '', tags) : '',
        )
        .join('');
    case 'text':
      return tags.paragraph(lines.join('<br>'));
  }
}

function itemHtml(
  { marker, indent }: { readonly marker: string; readonly indent: number },
  html: string,
  tags: MarkdownTags,
): string {
  return tags.item(escapeHtml(marker), html, Math.min(MOST_DEPTH, Math.floor(indent / 2)));
}

function spanHtml(span: MarkdownSpan, tags: MarkdownTags): string {
  const { text, bold, italic, strike, code, href } = span;
  let html = escapeHtml(text);
  if (code === true) html = tags.code(html);
  if (strike === true) html = `<s>${html}</s>`;
  if (italic === true) html = `<em>${html}</em>`;
  if (bold === true) html = `<strong>${html}</strong>`;
  if (href === undefined) return html;
  const place = placeOf(span);
  const hint = place === null ? '' : ` (${escapeHtml(place)})`;
  return `${tags.link(escapeHtml(href), html)}${hint}`;
}
