/** Made when first needed, like the one that cuts texts. */
let graphemes: Intl.Segmenter | undefined;

/** East Asian wide and full-width blocks (Unicode UAX 11), and what is drawn as an emoji. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|.\ufe0f)/u;

/** How many columns a terminal gives a line of text. */
export function displayWidth(text: string): number {
  if (/^[\u0020-\u02ff]*$/.test(text)) return text.length;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
