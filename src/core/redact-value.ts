import { isJsonObject } from './json-object.ts';

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
export function redactValue(
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
