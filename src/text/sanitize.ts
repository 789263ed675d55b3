/*
 * Texts: what is shown is made safe, short and readable here, without a clock, a file or a setting. A text leaves it
 * only cleaner than it came. Decisions about whom a text reaches never enter.
 */

/**
 * Sanitizes text for display: agents' texts are hostile until proven otherwise (terminal escapes, bidi tricks, forged
 * lines). The raw bytes stay in the store; only copies for display pass through here.
 */

// Sequences are removed as a whole, or "[31m" would remain. Strings (OSC, DCS, SOS, PM, APC) end at their terminator or
// at the end of the line: an unclosed one must not swallow the rest of the text.
const ESCAPE_SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- control characters are what this expression is for
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\r\n]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]/g;

// C0 except tab and line feed, DEL, C1, bidi controls, invisible characters that do not join, and the two that XML (of a
// toast) cannot contain. Left alone: joiners and variation selectors, without which emoji and some scripts fall apart.
const INVISIBLE_CONTROLS =
  // oxlint-disable-next-line no-control-regex -- as above
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]/g;

// Tag characters are invisible text, which a language model reads. Three flags use them: a black flag, up to six tags,
// and the cancel tag (https://unicode.org/reports/tr51/#flag-emoji-tag-sequences).
const TAGS =
  /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f})|[\u{e0000}-\u{e007f}]/gu;

/** Keeps line feeds and tabs, removes invisible characters that deceive; NFC; well-formed. */
export function displayText(text: string): string {
  return text
    .toWellFormed()
    .replace(ESCAPE_SEQUENCES, '')
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(INVISIBLE_CONTROLS, '')
    .replace(TAGS, '$1')
    .normalize('NFC')
    .trim();
}

/** The same on one line: every run of white space becomes one blank. */
export function displayLine(text: string): string {
  return displayText(text).replace(/\s+/g, ' ').trim();
}

/** Created on first use: it takes milliseconds, which every start of the daemon and the command line would cost. */
let graphemes: Intl.Segmenter | undefined;

/** Lines in one, kept apart by " · ", or two commands would read as one; a line with a bullet needs nothing more. */
export function joinedLines(text: string): string {
  const lines = displayText(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return displayLine(lines.join(' · ').replaceAll(/ · +• /g, ' • '));
}

/** At most `max` UTF-16 units, cut at a grapheme border, with an ellipsis if anything was cut. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 1) return '';
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let shown = '';
  for (const { segment } of graphemes.segment(text.slice(0, max + 1))) {
    if (shown.length + segment.length > max - 1) break;
    shown += segment;
  }
  return `${shown.trimEnd()}…`;
}

/**
 * Escapes a text and cuts it between graphemes, so that at most `max` UTF-16 units remain: neither an emoji nor an
 * escape sequence is split. An ellipsis replaces the rest.
 *
 * @param escape works character by character, and never shortens
 */
export function cutEscaped(text: string, max: number, escape: (piece: string) => string): string {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let parts = '';
  let whole = '';
  // Escaped text is at least as long as the original: nothing behind `max` can be kept.
  for (const { segment } of graphemes.segment(text.slice(0, max + 1))) {
    whole += escape(segment);
    if (whole.length > max) return `${parts.trimEnd()}…`;
    if (whole.length < max) parts = whole;
  }
  return whole;
}

/** Like `cutText`, but keeps the beginning and the end: two thirds and one third of `max`, with " … " between them. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 3);
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  // The end also starts at a grapheme border; a slightly larger window contains one.
  const window = [...graphemes.segment(text.slice(-tail))].map(({ segment }) => segment);
  const end = window.slice(1).join('').trimStart();
  const start = cutText(text, Math.max(1, max - end.length - 2))
    .slice(0, -1)
    .trimEnd();
  return `${start} … ${end}`.slice(0, Math.max(max, 0));
}
