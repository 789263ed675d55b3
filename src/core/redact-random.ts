import { looksRandom } from './looks-random.ts';

/** Shorter words are never secret by their look alone. */
const LONG_WORD = 32;

/** Replaces words that only a generator of secrets makes; linear, and fast where a text has few long words. */
export function redactRandom(text: string): string {
  let clean = '';
  let keptFrom = 0;
  for (const { from, to } of longWords(text)) {
    if (!looksRandom(text.slice(from, to)) || isNoSecret(text, from, to)) continue;
    clean += `${text.slice(keptFrom, from)}[redacted:random]`;
    keptFrom = to;
  }
  return clean + text.slice(keptFrom);
}

/** A word that is long enough covers one of the places looked at, so all others can be passed over. */
function* longWords(text: string): Generator<{ readonly from: number; readonly to: number }> {
  let at = LONG_WORD - 1;
  while (at < text.length) {
    if (!isOfWord(text.charCodeAt(at))) {
      at += LONG_WORD;
      continue;
    }
    let from = at;
    while (from > 0 && isOfWord(text.charCodeAt(from - 1))) from -= 1;
    let to = at + 1;
    while (isOfWord(text.charCodeAt(to))) to += 1;
    if (to - from >= LONG_WORD) yield { from, to };
    at = to + LONG_WORD;
  }
}

/** Letters, digits, and the signs of both alphabets of base64. */
function isOfWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2b ||
    code === 0x2d ||
    code === 0x2f ||
    code === 0x5f
  );
}

/** Names of files, and pictures written out in a text, may look as random as they like. */
function isNoSecret(text: string, from: number, to: number): boolean {
  const after = text.slice(to, to + 8);
  return (
    /^\.[a-z][a-z0-9]{0,4}\b/.test(after) || text.slice(Math.max(0, from - 8), from) === ';base64,'
  );
}
