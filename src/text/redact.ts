import { isJsonObject } from '../platform/json.ts';
import { type RedactionRule, redactionRules, ruleOfKeys, ruleOfPrefixes } from './redact-rules.ts';

/** A run of letters and digits without a sign in between. */
const PART_LENGTH = 20;
/** Checked length of a run. */
const LOOKED_AT = 512;
/** Random letters and digits have 0.45, `camelCaseNames2` below 0.25. */
const UNEVEN = 0.27;
/** Bits per character; random letters and digits have more than 4.2 on a run this short. */
const VARIED = 3.8;

/** File hashes with their algorithm as a prefix, and public SSH keys in their fixed encoding. */
const PUBLIC = /^(?:sha(?:1|256|384|512)-|AAAA[A-Z][23][NV]jZHNh|AAAA[A-Z]3NzaC1)/;

/**
 * True for a word that looks like a generated secret: long, of upper-case and lower-case letters and digits without the
 * rhythm of words. False for hexadecimal numbers, UUIDs, paths and names in camelCase; also for secrets in hexadecimal,
 * which looks like the hash of a commit.
 */
function looksRandom(word: string): boolean {
  if (word.startsWith('/') || PUBLIC.test(word)) return false;
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

/** Shannon entropy, bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Shorter words are never redacted by their look alone. */
const LONG_WORD = 32;

/** Replaces words that look like generated secrets; linear, and fast if a text has few long words. */
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

/** A word that is long enough covers one of the checked positions, so all others can be skipped. */
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

/** File names, and images encoded in a text, may look random. */
function isNoSecret(text: string, from: number, to: number): boolean {
  const after = text.slice(to, to + 8);
  return (
    /^\.[a-z][a-z0-9]{0,4}\b/.test(after) || text.slice(Math.max(0, from - 8), from) === ';base64,'
  );
}

/** Parsed JSON nested deeper is dropped. */
const MAX_DEPTH = 100;

/** Parts of keys with secret values, in lower case and without `-` and `_`. */
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

/** Without values of secret keys at any depth; keys match regardless of case, `-` and `_`. */
function redactValue(
  value: unknown,
  { text, keys }: Pick<OwnSecrets, 'keys'> & { readonly text: Redact },
): unknown {
  const configuredKeys = new Set(keys.map(fold));

  function walk(current: unknown, depth: number): unknown {
    if (typeof current === 'string') return text(current);
    if (typeof current !== 'object' || current === null) return current;
    if (depth > MAX_DEPTH) return '[redacted:depth]';
    if (Array.isArray(current)) return current.map((entry) => walk(entry, depth + 1));
    if (!isJsonObject(current)) return current;
    return Object.fromEntries(
      Object.entries(current).map(([key, entry]) => {
        const isRedacted = typeof entry === 'string' && entry.startsWith('[redacted:');
        const isSecret = isSecretKey(fold(key), entry, configuredKeys) && !isRedacted;
        return [text(key), isSecret ? '[redacted:key]' : walk(entry, depth + 1)];
      }),
    );
  }
  return walk(value, 0);
}

function isSecretKey(key: string, value: unknown, configuredKeys: ReadonlySet<string>): boolean {
  if (value === null || value === '' || typeof value === 'boolean') return false;
  if (configuredKeys.has(key) || secretKeys.has(key)) return true;
  // "max_token": 4096 is a number of tokens.
  if (key.endsWith('token')) return typeof value !== 'number';
  return secretParts.some((part) => key.includes(part));
}

function fold(key: string): string {
  return key.toLowerCase().replace(/[-_ .]/g, '');
}

/** Configured secrets besides the built-in ones. */
export interface OwnSecrets {
  /** Prefixes of tokens, such as "acme_". */
  readonly prefixes: readonly string[];
  /** Names of values, such as "license_key". */
  readonly keys: readonly string[];
}

export type Redact = (text: string) => string;

export interface Redactor {
  /**
   * Replaces secrets by `[redacted:rule]`. Text without one is returned unchanged, and a second pass changes nothing.
   */
  readonly text: Redact;
  /** Redacts parsed JSON: values of secret keys are removed entirely, whatever they look like. */
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

/** Redacts built-in secrets; see `Redactor`. */
export const redactText: Redact = usual.text;

/** Redacts parsed JSON. */
export const redactJson: Redactor['value'] = usual.value;

/** More passes than the number of passwords in a command line. */
const MOST_PASSES = 8;

/**
 * Repeats until nothing changes: the skipped start of a match, such as a repeated command, may contain another secret.
 */
function applyRule(text: string, { name, keyword, pattern, spares }: RedactionRule): string {
  if (!keyword.test(text)) return text;
  let clean = text;
  for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
    const before = clean;
    clean = before.replace(pattern, (found: string, group: unknown) => {
      // Without a group, the second argument is the offset.
      const unredacted = typeof group === 'string' ? group : '';
      if (spares?.(found.slice(unredacted.length), unredacted) === true) return found;
      return `${unredacted}[redacted:${name}]`;
    });
    if (clean === before) break;
  }
  return clean;
}
