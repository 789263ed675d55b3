const LONG_ENOUGH = 32;
/** A run of letters and digits without a sign in between. */
const PART_LENGTH = 20;
/** More of a run need not be looked at. */
const LOOKED_AT = 512;
/** Share of neighbours that words would not have: of random letters and digits it is 0.45, of `camelCaseNames2` below 0.25. */
const UNEVEN = 0.27;
/** Bits a character; random letters and digits have more than 4.2 on so short a run. */
const VARIED = 3.8;

/** Hashes of files with their algorithm in front, and public keys of SSH in the encoding they always have. */
const PUBLIC = /^(?:sha(?:1|256|384|512)-|AAAA[A-Z][23][NV]jZHNh|AAAA[A-Z]3NzaC1)/;

/**
 * True for a word that only a generator of secrets makes: long, of capital and small letters and digits without the
 * rhythm of words. Hexadecimal numbers, UUIDs, paths and names in camelCase are none; neither are secrets in hexadecimal,
 * which cannot be told from the hash of a commit.
 */
export function looksRandom(word: string): boolean {
  if (word.length < LONG_ENOUGH || word.startsWith('/') || PUBLIC.test(word)) return false;
  return word
    .slice(0, LOOKED_AT)
    .split(/[^A-Za-z0-9]+/)
    .some(isRandomPart);
}

function isRandomPart(part: string): boolean {
  if (part.length < PART_LENGTH) return false;
  const counted = [/[0-9]/g, /[A-Z]/g, /[a-z]/g].map((of) => part.match(of)?.length ?? 0);
  if (counted.some((count) => count < 2)) return false;
  const breaks = part.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])/g)?.length ?? 0;
  return breaks / (part.length - 1) >= UNEVEN && entropyOf(part) >= VARIED;
}

/** Shannon's, bits a character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
