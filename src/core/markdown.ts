/**
 * Markdown as plain text, for places that show no formatting: the words stay, the signs go. Text that is no Markdown comes
 * back unchanged but for signs that Markdown would read as such. Linear: every repetition is bounded by its line.
 */
export function plainFromMarkdown(markdown: string): string {
  let isCode = false;
  const lines = markdown.split('\n').flatMap((line) => {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) {
      isCode = !isCode;
      return [];
    }
    return isCode ? [line] : plainLine(line);
  });
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function plainLine(line: string): string[] {
  // A rule between sections, and the line below a table's head.
  if (/^\s{0,3}(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$/.test(line)) return [];
  if (/^\s*\|?[\s:|-]{3,}$/.test(line) && line.includes('|') && line.includes('-')) return [];
  const words = line
    .replace(/^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$/, '$1')
    .replace(/^(?:\s{0,3}>\s?)+/, '')
    .replace(/^(\s*)[-*+]\s+(?:\[[ xX]\]\s+)?/, '$1• ');
  return [inline(cellsOf(words))];
}

/** The cells of a table's row, separated as people read them. */
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

/** Signs around words; inside of code spans nothing else counts. */
function inline(line: string): string {
  return line.split(/(`+)/).reduce<{ text: string; open: string | null }>(
    ({ text, open }, piece, index) => {
      const isFence = index % 2 === 1;
      if (isFence && open === null) return { text, open: piece };
      if (isFence && open === piece) return { text, open: null };
      if (isFence) return { text: text + piece, open };
      return { text: text + (open === null ? unformatted(piece) : piece), open };
    },
    { text: '', open: null },
  ).text;
}

function unformatted(text: string): string {
  return text
    .replace(
      /!?\[([^\][]{1,300})\]\((?:<[^<>]{0,500}>|[^()\s]{0,500})(?:\s+"[^"]{0,200}")?\)/g,
      '$1',
    )
    .replace(/(\*\*|__)(?=\S)([^*_]{1,500}?\S?)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=[^\s*])([^*]{0,500}?[^\s*])\*(?![\w*])/g, '$1')
    .replace(/(?<![\w_])_(?=[^\s_])([^_]{0,500}?[^\s_])_(?![\w_])/g, '$1')
    .replace(/~~(?=\S)([^~]{1,500}?)~~/g, '$1')
    .replace(/\\([\\`*_{}[\]()#+.!~|>-])/g, '$1');
}
