import { UsageError } from '../platform/errors.ts';

/** Reads the value of `--limit`: a whole number from 1. */
export function readLimit(value: string): number {
  const limit = /^[0-9]+$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(limit) && limit >= 1) return limit;
  throw new UsageError(`The limit is "${value}", expected a whole number from 1`);
}

/** Reads a whole number from 0. */
export function readWholeNumber(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new UsageError(`"${value}" is not a whole number`);
}

/** Reads a port; 0 is a free one. */
export function readPort(value: string): number {
  const port = readWholeNumber(value);
  if (port <= 65_535) return port;
  throw new UsageError(`The port is "${value}", expected 0 to 65535`);
}

/** The words that each reader accepts, for completion. */
const wordsOf = new WeakMap<object, readonly string[]>();

/** Returns the words that a reader made here accepts; none for any other reader. */
export function knownWords(reader: object): readonly string[] {
  return wordsOf.get(reader) ?? [];
}

/** Makes a reader for an option that takes one word of a known list. */
export function readWord(known: readonly string[]): (value: string) => string {
  const reader = (value: string): string => {
    if (known.includes(value)) return value;
    throw new UsageError(`Unknown value "${value}", expected one of ${known.join(', ')}`);
  };
  wordsOf.set(reader, known);
  return reader;
}

/** For several words, separated by commas. */
export function readWords(known: readonly string[]): (value: string) => readonly string[] {
  const read = readWord(known);
  const reader = (value: string): readonly string[] =>
    value.split(',').map((word) => read(word.trim()));
  wordsOf.set(reader, known);
  return reader;
}

/** Gathers the values of an option that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** For words of a known list. */
export function collectWords(
  known: readonly string[],
): (value: string, earlier?: readonly string[]) => readonly string[] {
  const read = readWord(known);
  const reader = (value: string, earlier: readonly string[] = []): readonly string[] =>
    collect(read(value), earlier);
  wordsOf.set(reader, known);
  return reader;
}

/** Splits "key=value". @throws UsageError without a key */
export function splitPair(pair: string): readonly [string, string] {
  const at = pair.indexOf('=');
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new UsageError(`"${pair}" has no value, expected KEY=VALUE`);
}
