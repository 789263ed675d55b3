/**
 * Turns the bytes of a payload into text: UTF-16 with a byte-order mark as such, anything else as UTF-8, with bad bytes
 * as U+FFFD. A byte-order mark is dropped.
 */
export function decodeText(payload: Uint8Array): string {
  return new TextDecoder(encodingOf(payload)).decode(payload);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return 'utf-8';
}

/** Values nested deeper than this become null: no field of a hook event lies that deep. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Cuts the first complete JSON value out of a text; what follows it is ignored. One linear pass without recursion, so
 * that a hundred thousand brackets neither overflow a stack here nor in anything that walks the parsed value.
 *
 * It finds borders only: whether the value is valid is for `JSON.parse` to say.
 *
 * @returns null when the text ends before the value does, or holds none
 */
export function firstJsonValue(text: string): string | null {
  const start = text.search(/[^ \t\r\n]/);
  if (start === -1) return null;
  const first = text.charCodeAt(start);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return container(text, start);
  if (first === QUOTE) {
    const end = stringEnd(text, start);
    return end === -1 ? null : text.slice(start, end);
  }
  return /[^ \t\r\n]+/.exec(text)?.[0] ?? null;
}

function container(text: string, start: number): string | null {
  let depth = 0;
  let kept = '';
  let keptFrom = start;
  for (let at = start; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = stringEnd(text, at);
        if (end === -1) return null;
        at = end - 1;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        depth += 1;
        if (depth === MAX_DEPTH + 1) kept += `${text.slice(keptFrom, at)}null`;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth -= 1;
        if (depth === MAX_DEPTH) keptFrom = at + 1;
        if (depth === 0) return kept + text.slice(keptFrom, at + 1);
        break;
      default:
    }
  }
  return null;
}

/** Where the string that begins at `start` is over, or -1. */
function stringEnd(text: string, start: number): number {
  for (
    let quote = text.indexOf('"', start + 1);
    quote !== -1;
    quote = text.indexOf('"', quote + 1)
  ) {
    let escapes = 0;
    while (text.charCodeAt(quote - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
  }
  return -1;
}
