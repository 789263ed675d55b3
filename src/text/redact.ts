import { isJsonObject } from '../platform/json.ts';
import { type RedactionRule, redactionRules, ruleOfKeys, ruleOfPrefixes } from './redact-rules.ts';

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
function looksRandom(word: string): boolean {
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

/** Shorter words are never secret by their look alone. */
const LONG_WORD = 32;

/** Replaces words that only a generator of secrets makes; linear, and fast where a text has few long words. */
function redactRandom(text: string): string {
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

/** Parsed JSON that is nested deeper is not walked, but dropped. */
const MAX_DEPTH = 100;

/** Parts of keys, in small letters and without `-` and `_`, whose values are secret. */
const secretParts = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'apikey',
  'accesskey',
  'privatekey',
  'signingkey',
  'encryptionkey',
  'accountkey',
  'credential',
  'authorization',
  'bearer',
  'cookie',
  'connectionstring',
];
const secretKeys: ReadonlySet<string> = new Set(['pwd', 'pass', 'auth', 'otp', 'dsn']);

/**
 * A copy of parsed JSON without the values of secret keys, at any depth, and without what looks like a secret in any
 * other text. Keys count whatever their case and their `-` and `_` are.
 */
function redactValue(
  value: unknown,
  {
    text,
    keys,
  }: {
    readonly text: (text: string) => string;
    /** Besides the usual ones. */
    readonly keys: readonly string[];
  },
): unknown {
  const own = new Set(keys.map(fold));

  function walk(current: unknown, depth: number): unknown {
    if (typeof current === 'string') return text(current);
    if (typeof current !== 'object' || current === null) return current;
    if (depth > MAX_DEPTH) return '[redacted:depth]';
    if (Array.isArray(current)) return current.map((entry) => walk(entry, depth + 1));
    if (!isJsonObject(current)) return current;
    return Object.fromEntries(
      Object.entries(current).map(([key, entry]) => {
        const isSecret = isSecretKey(fold(key), entry, own) && !isSaidAlready(entry);
        return [text(key), isSecret ? '[redacted:key]' : walk(entry, depth + 1)];
      }),
    );
  }
  return walk(value, 0);
}

function isSecretKey(key: string, value: unknown, own: ReadonlySet<string>): boolean {
  if (value === null || value === '' || typeof value === 'boolean') return false;
  if (own.has(key) || secretKeys.has(key)) return true;
  // "max_token": 4096 is a number of tokens.
  if (key.endsWith('token')) return typeof value !== 'number';
  return secretParts.some((part) => key.includes(part));
}

function isSaidAlready(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('[redacted:');
}

function fold(key: string): string {
  return key.toLowerCase().replace(/[-_ .]/g, '');
}

/** A value that must not be seen: prints as `***` wherever it is shown by accident. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself; call it only where the value goes over the wire. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '***';
  }
}

/** What is secret here besides what is secret everywhere. */
export interface OwnSecrets {
  /** Beginnings of tokens, such as "acme_". */
  readonly prefixes: readonly string[];
  /** Names of values, such as "license_key". */
  readonly keys: readonly string[];
}

export type Redact = (text: string) => string;

export interface Redactor {
  /**
   * Replaces what looks like a secret by `[redacted:rule]`. Text without one comes back as it is, and a second pass
   * changes nothing.
   */
  readonly text: Redact;
  /** The same for parsed JSON: values of secret keys go as a whole, whatever they look like. */
  readonly value: (value: unknown) => unknown;
}

export function createRedactor({ prefixes, keys }: OwnSecrets): Redactor {
  const rules = [
    ...redactionRules,
    ...(prefixes.length === 0 ? [] : [ruleOfPrefixes(prefixes)]),
    ...(keys.length === 0 ? [] : [ruleOfKeys(keys)]),
  ];
  const text: Redact = (foreign) => redactRandom(rules.reduce(applyRule, foreign));
  return { text, value: (value) => redactValue(value, { text, keys }) };
}

const usual = createRedactor({ prefixes: [], keys: [] });

/** What is secret everywhere; see `Redactor`. */
export const redactText: Redact = usual.text;

/** The same for parsed JSON. */
export const redactJson: Redactor['value'] = usual.value;

/** More passes than a command line has passwords. */
const MOST_PASSES = 8;

/** Until nothing changes: what a match skips at its beginning, such as a command that stands twice, may hold another. */
function applyRule(text: string, { name, keyword, pattern, spares }: RedactionRule): string {
  if (!keyword.test(text)) return text;
  let clean = text;
  for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
    const before = clean;
    clean = before.replace(pattern, (found: string, group: unknown) => {
      // Without a group, the second argument is the offset.
      const kept = typeof group === 'string' ? group : '';
      if (spares?.(found.slice(kept.length), kept) === true) return found;
      return `${kept}[redacted:${name}]`;
    });
    if (clean === before) break;
  }
  return clean;
}
