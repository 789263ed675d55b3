/** A part of a line with its formatting. */
export interface MarkdownSpan {
  readonly text: string;
  readonly bold?: true;
  readonly italic?: true;
  readonly strike?: true;
  readonly code?: true;
  /** An address that may be opened (http, https or mailto); absent without a link. */
  readonly href?: string;
}

/** One line of a Markdown text, without fences, rules and the line below a table's head. */
export type MarkdownLine =
  | { readonly type: 'text' | 'heading' | 'quote'; readonly spans: readonly MarkdownSpan[] }
  | {
      readonly type: 'item';
      /** Blanks before the marker. */
      readonly indent: number;
      /** "•", or a number with its sign such as "1." */
      readonly marker: string;
      readonly spans: readonly MarkdownSpan[];
    }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'blank' };

/**
 * The lines of a Markdown text. Agents rarely write more than headings, lists, code and emphasis; anything else is
 * text. Linear: every repetition is bounded.
 */
export function markdownLines(markdown: string): readonly MarkdownLine[] {
  let open: string | null = null;
  return markdown.split('\n').flatMap((line): readonly MarkdownLine[] => {
    const fence = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined && (open === null || fence.startsWith(open))) {
      open = open === null ? fence : null;
      return [];
    }
    return open === null ? lineOf(line) : [{ type: 'code', text: line }];
  });
}

/**
 * Markdown as plain text, for places without formatting: the words stay, the markup is removed. Other text is returned
 * unchanged, except for characters that are markup in Markdown.
 */
export function plainFromMarkdown(markdown: string): string {
  return markdownLines(markdown)
    .map(plainLine)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Plain text as Markdown that shows the same. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+.!~|>-]/g, '\\$&');
}

/** A block of code with exactly this text. */
export function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${code}\n${fence}`;
}

function plainLine(line: MarkdownLine): string {
  switch (line.type) {
    case 'blank':
      return '';
    case 'code':
      return line.text;
    case 'item':
      return `${' '.repeat(line.indent)}${line.marker} ${plainSpans(line.spans)}`;
    case 'text':
    case 'heading':
    case 'quote':
      return plainSpans(line.spans);
  }
}

/** The address of a link stands behind the last of its words, unless they are the address. */
function plainSpans(spans: readonly MarkdownSpan[]): string {
  return spans
    .map(({ text, href }, index) => {
      if (href === undefined || spans[index + 1]?.href === href) return text;
      const address = href.replace(/^mailto:/, '');
      return text.replace(/\/$/, '') === address.replace(/\/$/, '') ? text : `${text} (${address})`;
    })
    .join('');
}

function lineOf(line: string): readonly MarkdownLine[] {
  if (line.trim() === '') return [{ type: 'blank' }];
  if (/^\s{0,3}(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$/.test(line)) return [];
  if (/^\s*\|?[\s:|-]{3,}$/.test(line) && line.includes('|') && line.includes('-')) return [];
  const heading = /^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1];
  if (heading !== undefined) return [{ type: 'heading', spans: spansOf(heading) }];
  const quote = /^(?:\s{0,3}>\s?)+(.*)$/.exec(line)?.[1];
  if (quote !== undefined) return [{ type: 'quote', spans: spansOf(quote) }];
  const item = /^(\s*)([-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(line);
  if (item === null) return [{ type: 'text', spans: spansOf(cellsOf(line)) }];
  const [, blanks = '', sign = '', rest = ''] = item;
  const marker = /^\d/.test(sign) ? sign : '•';
  return [{ type: 'item', indent: blanks.length, marker, spans: spansOf(rest) }];
}

/** The cells of a table row, with a readable separator. */
function cellsOf(line: string): string {
  if (!/^\s*\|.*\|\s*$/.test(line)) return line;
  return line
    .trim()
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .join(' · ');
}

/** Inside code spans other markup is ignored. An unclosed code span ends at the end of the line. */
function spansOf(line: string): readonly MarkdownSpan[] {
  const spans: MarkdownSpan[] = [];
  let code: string | null = null;
  let open = '';
  for (const [index, piece] of line.split(/(`+)/).entries()) {
    const isFence = index % 2 === 1;
    if (code === null) {
      if (isFence) [code, open] = ['', piece];
      // Not by spreading: a line may contain more spans than a call takes arguments.
      else for (const span of emphasized(piece, {})) spans.push(span);
    } else if (isFence && piece === open) {
      spans.push({ text: code, code: true });
      code = null;
    } else code += piece;
  }
  if (code !== null) spans.push({ text: code });
  return spans.filter(({ text }) => text !== '');
}

type Marks = Omit<MarkdownSpan, 'text'>;

const INLINE =
  /!?\[(?<label>[^\][]{1,300})\]\((?<address><[^<>]{0,500}>|[^()\s]{0,500})(?:\s+"[^"]{0,200}")?\)|(?<boldSign>\*\*|__)(?=\S)(?<bold>[^*_]{1,500}?\S?)\k<boldSign>|(?<![\w*])\*(?=[^\s*])(?<star>[^*]{0,500}?[^\s*])\*(?![\w*])|(?<![\w_])_(?=[^\s_])(?<score>[^_]{0,500}?[^\s_])_(?![\w_])|~~(?=\S)(?<strike>[^~]{1,500}?)~~|\\(?<escaped>[\\`*_{}[\]()#+.!~|>-])/g;

function emphasized(text: string, marks: Marks): readonly MarkdownSpan[] {
  const spans: MarkdownSpan[] = [];
  let last = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > last) spans.push({ text: text.slice(last, found.index), ...marks });
    last = found.index + found[0].length;
    const { label, address, bold, star, score, strike, escaped } = found.groups ?? {};
    const italic = star ?? score;
    if (escaped !== undefined) spans.push({ text: escaped, ...marks });
    else if (label !== undefined) spans.push(...linked(label, address ?? '', marks));
    else if (bold !== undefined) spans.push(...emphasized(bold, { ...marks, bold: true }));
    else if (italic !== undefined) spans.push(...emphasized(italic, { ...marks, italic: true }));
    else if (strike !== undefined) spans.push(...emphasized(strike, { ...marks, strike: true }));
  }
  if (last < text.length) spans.push({ text: text.slice(last), ...marks });
  return spans;
}

const opened: readonly string[] = ['http:', 'https:', 'mailto:'];

/** A link shows its target, as a stranger may have written it. An image becomes its text. */
function linked(label: string, address: string, marks: Marks): readonly MarkdownSpan[] {
  const words = emphasized(label, marks);
  const raw = address.replace(/^<|>$/g, '');
  const url = URL.canParse(raw) ? new URL(raw) : null;
  if (url === null || !opened.includes(url.protocol)) return words;
  return words.map((span) => ({ ...span, href: url.href }));
}

/** Target of a link, for people; null if its text shows it. */
export function placeOf({ text, href }: MarkdownSpan): string | null {
  if (href === undefined) return null;
  const { protocol, host, pathname } = new URL(href);
  const place = protocol === 'mailto:' ? pathname : host;
  return text === href || text === place ? null : place;
}
