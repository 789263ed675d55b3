import { countOf } from '../text/count.ts';
import { escapeHtml } from '../text/escape.ts';
import { markdownHtml, type MarkdownTags } from '../text/markdown-html.ts';
import { lines } from './html-parts.ts';

/** A longer text is folded to this many lines. */
const SHOWN_LINES = 12;

/**
 * A held request, whose text is the agent's input field by field: a plan as it is meant to be read, an edit as a diff,
 * and every other field with its lines.
 *
 * @param cwd paths below it are shown relative to it
 * @param text of `requestText`: the lines of a value that has several begin with a bar, so that none can look like a field
 */
export function requestHtml(text: string, cwd: string | null): string {
  const [tool = '', ...rest] = text.split('\n');
  const fields: { name: string; lines: string[] }[] = [];
  for (const line of rest) {
    const [, name, value] = /^ {2}([^:]+): (.*)$/s.exec(line) ?? [];
    const more = line.startsWith('    | ') ? line.slice(6) : line;
    const last = fields.at(-1);
    if (name !== undefined && value !== undefined) fields.push({ name, lines: [value] });
    else if (last === undefined) fields.push({ name: '', lines: [more] });
    else last.lines.push(more);
  }
  const parts = fields.map(({ name, lines: value }) => fieldHtml(tool, name, value, cwd));
  return `<div class="request" dir="auto" tabindex="0" role="group" aria-label="The request"><strong>${lines(tool)}</strong>${parts.join('')}</div>`;
}

function fieldHtml(
  tool: string,
  name: string,
  value: readonly string[],
  cwd: string | null,
): string {
  const label = `<span class="field">${escapeHtml(name)}:</span>`;
  if (tool === 'ExitPlanMode' && name === 'plan')
    return `<div class="plan">${markdownHtml(value.join('\n'), tags)}</div>`;
  if (name === 'change') return `<div class="diff">${value.slice(1).map(diffLine).join('')}</div>`;
  const text = value.join('\n');
  const isBelow = cwd !== null && /path$/i.test(name) && text.startsWith(`${cwd}/`);
  const shown = isBelow ? text.slice(cwd.length + 1) : text;
  const several = value.length > 1 ? ' class="several"' : '';
  return `<div>${label} <code${several}>${escapeHtml(shown)}</code></div>`;
}

/** What a session waits for, with its lines; folded if it is long. */
export function waitHtml(text: string): string {
  const [first = '', ...rest] = text.split('\n');
  if (rest.length === 0) return `<p class="asks" dir="auto">${lines(first)}</p>`;
  const [, verb, begin] = /^(Run|Use|Plan): (.*)$/s.exec(first) ?? [];
  const isDiff = /^(?:Edit|Write): /.test(first);
  const below = begin === undefined ? rest : [begin, ...rest];
  const html = below.map((line) =>
    isDiff ? diffLine(line) : `<div>${escapeHtml(line) || ' '}</div>`,
  );
  const left = html.length - SHOWN_LINES;
  const folded =
    left <= 0
      ? ''
      : `<details><summary>${countOf(left, 'more line')}</summary>${html.slice(SHOWN_LINES).join('')}</details>`;
  return `<p class="asks" dir="auto">${lines(verb ?? first)}</p><div class="request asked${isDiff ? ' diff' : ''}" dir="auto">${html.slice(0, SHOWN_LINES).join('')}${folded}</div>`;
}

function diffLine(line: string): string {
  const tag = line.startsWith('+') ? 'ins' : line.startsWith('-') ? 'del' : 'span';
  return `<${tag}>${escapeHtml(line) || ' '}</${tag}>`;
}

const tags: MarkdownTags = {
  codeBlock: (text) => `<pre>${text}</pre>`,
  heading: (html) => `<h4>${html}</h4>`,
  quote: (html) => `<blockquote>${html}</blockquote>`,
  item: (marker, html, depth) =>
    `<div class="item-of d${depth}"><span>${marker}</span><span>${html}</span></div>`,
  paragraph: (html) => `<p>${html}</p>`,
  code: (html) => `<code>${html}</code>`,
  // The text of an agent must not lead away from the page.
  link: (_, html) => html,
};
