const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Escapes a text and cuts it between graphemes, so that at most `max` UTF-16 units remain: neither an emoji nor an
 * escape sequence is torn apart. An ellipsis stands for what was cut.
 *
 * @param escape works character by character, and never shortens
 */
export function cutEscaped(text: string, max: number, escape: (piece: string) => string): string {
  let kept = '';
  let whole = '';
  // What is escaped is at least as long as what it was: nothing behind `max` can be kept.
  for (const { segment } of graphemes.segment(text.slice(0, max + 1))) {
    whole += escape(segment);
    if (whole.length > max) return `${kept.trimEnd()}…`;
    if (whole.length < max) kept = whole;
  }
  return whole;
}
