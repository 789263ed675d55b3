/**
 * Makes a text fit to be shown: agents' texts are hostile until proven otherwise (terminal escapes, bidi
 * tricks, forged lines). The raw bytes stay in the store; only copies for display pass through here.
 */

// OSC and CSI sequences go as a whole, otherwise "[31m" would stay behind as litter.
const ESCAPE_SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- control characters are what this expression is for
  /\u001b\][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|[\u001b\u009b]\[?[0-9;?]*[ -/]*[@-~]/g;
// C0 except tab and line feed, DEL, C1, bidi controls, zero-width no-break space, line and paragraph separators
// are handled apart from this.
const INVISIBLE_CONTROLS =
  // oxlint-disable-next-line no-control-regex -- as above
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Text of several lines: line feeds and tabs stay, everything invisible that could deceive goes; NFC; well-formed. */
export function displayText(text: string): string {
  return text
    .toWellFormed()
    .replace(ESCAPE_SEQUENCES, '')
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(INVISIBLE_CONTROLS, '')
    .normalize('NFC')
    .trim();
}

/** The same on one line: every run of white space becomes one blank. */
export function displayLine(text: string): string {
  return displayText(text).replace(/\s+/g, ' ').trim();
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Cuts at a grapheme border so that at most `max` UTF-16 units remain, the last being an ellipsis where
 * something was cut. A flag or a family emoji is never torn apart.
 */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text.slice(0, max + 1))) {
    if (kept.length + segment.length > max - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
