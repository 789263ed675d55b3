import { sha256 } from '../../platform/crypto.ts';

/** The text of a payload: UTF-16 with a byte-order mark as such, else UTF-8 with bad bytes as U+FFFD. The mark is dropped. */
export function decodeText(payload: Uint8Array): string {
  return new TextDecoder(encodingOf(payload)).decode(payload);
}

function encodingOf([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | 'utf-8' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return 'utf-8';
}

/** Values nested deeper than this become null: no field of a hook event lies that deep. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Limits beyond which a value is cut; a note with the length and hash of the rest replaces it. Bytes. */
export interface JsonLimits {
  /** Of one string. */
  readonly text: number;
  /** Of one member of the outermost object or array, once its strings are cut. It ends with the element that reaches this. */
  readonly member: number;
}

const unlimited: JsonLimits = { text: Number.POSITIVE_INFINITY, member: Number.POSITIVE_INFINITY };

/**
 * Cuts the first complete JSON value out of a payload; what follows it is ignored. One linear pass without recursion, so
 * that a hundred thousand brackets neither overflow a stack here nor in anything that walks the parsed value. Works on
 * bytes, which takes no memory for what is cut.
 *
 * It finds only the boundaries: `JSON.parse` checks validity.
 *
 * @returns null when the payload ends before the value does, or holds none
 */
export function firstJsonValue(payload: Uint8Array, limits: JsonLimits = unlimited): string | null {
  const bytes = utf8Of(payload);
  let start = 0;
  while (isSpace(bytes[start])) start += 1;
  const first = bytes[start];
  if (first === undefined) return null;
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return container(bytes, start, limits);
  let end = start + 1;
  if (first === QUOTE) end = stringEnd(bytes, start);
  else while (end < bytes.length && !isSpace(bytes[end])) end += 1;
  return end === -1 ? null : utf8.decode(bytes.subarray(start, end));
}

/** A second byte-order mark is a character. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** UTF-8 without byte-order mark; no copy unless the payload is UTF-16. In bad UTF-8, too, each byte below 0x80 is a character. */
function utf8Of(payload: Uint8Array): Uint8Array {
  if (encodingOf(payload) !== 'utf-8') return Buffer.from(decodeText(payload));
  const [first, second, third] = payload;
  return first === 0xef && second === 0xbb && third === 0xbf ? payload.subarray(3) : payload;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
}

/** An omitted part: its start, the depth of its container, and its replacement. */
interface Gap {
  readonly from: number;
  readonly depth: number;
  readonly filling: (leftOut: Uint8Array) => string;
}

function container(bytes: Uint8Array, start: number, limits: JsonLimits): string | null {
  /** Of the brackets that are open, down to the greatest depth. */
  const closing: string[] = [];
  let depth = 0;
  let text = '';
  let keptFrom = start;
  let memberFrom = 0;
  let gap: Gap | null = null;

  function replace(from: number, to: number, filling: string): void {
    text += utf8.decode(bytes.subarray(keptFrom, from)) + filling;
    keptFrom = to;
  }
  const keptUntil = (at: number): number => text.length + at - keptFrom;

  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    switch (byte) {
      case QUOTE: {
        const end = stringEnd(bytes, at);
        if (end === -1) return null;
        if (gap === null && end - at > limits.text) {
          const cut = characterFrom(bytes, at + 1, at + limits.text);
          replace(cut, end - 1, markOf(bytes.subarray(cut, end - 1)));
        }
        at = end - 1;
        break;
      }
      case COMMA:
        if (depth === 1) memberFrom = keptUntil(at);
        else if (gap === null && keptUntil(at) - memberFrom > limits.member) {
          const end = closing.slice(1).toReversed().join('');
          const isObject = end.startsWith('}');
          gap = {
            from: at,
            depth: 1,
            filling: (rest) => `,${isObject ? '"":' : ''}"${markOf(rest)}"${end}`,
          };
        }
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        depth += 1;
        if (depth <= MAX_DEPTH) closing.push(byte === OPEN_OBJECT ? '}' : ']');
        else gap ??= { from: at, depth: MAX_DEPTH, filling: () => 'null' };
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth -= 1;
        closing.length = Math.min(depth, closing.length);
        if (gap?.depth === depth) {
          replace(gap.from, at + 1, gap.filling(bytes.subarray(gap.from, at + 1)));
          gap = null;
        }
        if (depth === 0) return text + utf8.decode(bytes.subarray(keptFrom, at + 1));
        break;
      default:
    }
  }
  return null;
}

/** Replaces the cut part, so that values that differ only there stay different. */
function markOf(leftOut: Uint8Array): string {
  return ` (${leftOut.length} more bytes, SHA-256 ${sha256(leftOut)})`;
}

/** The first place from `wanted` on that is neither inside an escape nor inside a character; `from` is where its string begins. */
function characterFrom(bytes: Uint8Array, from: number, wanted: number): number {
  let at = from;
  while (at < wanted || isContinuation(bytes[at])) {
    if (bytes[at] !== BACKSLASH) at += 1;
    else at += bytes[at + 1] === LETTER_U ? 6 : 2;
  }
  return at;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}

/** Where the string that begins at `start` is over, or -1. */
function stringEnd(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return -1;
}
