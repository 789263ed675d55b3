/** Created on first use, like the one that cuts texts. */
let graphemes: Intl.Segmenter | undefined;

/** East Asian wide and full-width blocks (Unicode UAX 11), and what is drawn as an emoji. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|.\ufe0f)/u;

/** Returns the number of terminal columns of a line of text. */
export function displayWidth(text: string): number {
  if (isNarrow(text)) return text.length;
  let width = 0;
  for (const { segment } of segmentsOf(text)) width += widthOf(segment);
  return width;
}

/**
 * Cuts a line of text to a number of terminal columns; the last column of a cut text is an ellipsis.
 *
 * @param columns at least 1
 */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (isNarrow(text)) return `${text.slice(0, columns - 1).trimEnd()}…`;
  let shown = '';
  let width = 0;
  for (const { segment } of segmentsOf(text)) {
    width += widthOf(segment);
    if (width > columns - 1) break;
    shown += segment;
  }
  return `${shown.trimEnd()}…`;
}

/** Joins words to lines that are not wider than `columns`, except a longer word. */
export function wrapWords(
  words: readonly string[],
  columns: number,
  between = ' ',
): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = `${lines.at(-1) ?? ''}${between}${word}`;
    if (lines.length > 0 && displayWidth(line) <= columns) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines;
}

/** Minimum width of a cut column: a few characters still identify the value. */
const NARROWEST = 6;

/**
 * Distributes the terminal width among the columns of a table: the widest shrink first. The first column is never cut,
 * because it identifies the row: half an id cannot be typed.
 *
 * @param widths desired widths of the columns
 * @param available width for all of them together
 * @param whole how many columns are never cut
 */
export function fitWidths(
  widths: readonly number[],
  available: number,
  whole = 1,
): readonly number[] {
  const others = widths.slice(whole);
  const room = widths.slice(0, whole).reduce((rest, width) => rest - width, available);
  let cap = Math.max(0, ...others);
  const sum = (): number => others.reduce((total, width) => total + Math.min(width, cap), 0);
  while (cap > NARROWEST && sum() > room) cap -= 1;
  // The remainder goes to the first columns that were cut.
  let left = room - sum();
  const fitted = others.map((width) => {
    if (width <= cap || left <= 0) return Math.min(width, cap);
    const more = Math.min(left, width - cap);
    left -= more;
    return cap + more;
  });
  return [...widths.slice(0, whole), ...fitted];
}

function isNarrow(text: string): boolean {
  return /^[\u0020-\u02ff]*$/.test(text);
}

function segmentsOf(text: string): Iterable<Intl.SegmentData> {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return graphemes.segment(text);
}

function widthOf(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}
