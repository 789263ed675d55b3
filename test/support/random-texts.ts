import { seededRandom } from './seeded-random.ts';

/** Characters of chance that a seed repeats. */
export interface RandomTexts {
  readonly below: (limit: number) => number;
  readonly of: (alphabet: string, length: number) => string;
  readonly hex: (length: number) => string;
  readonly alnum: (length: number) => string;
  readonly lower: (length: number) => string;
  readonly upper: (length: number) => string;
  readonly digits: (length: number) => string;
  readonly uuid: () => string;
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
}

const DIGITS = '0123456789';
export const LOWER = 'abcdefghijklmnopqrstuvwxyz';
export const UPPER = LOWER.toUpperCase();

export function randomTexts(seed: number): RandomTexts {
  const next = seededRandom(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  const of = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join('');
  const hex = (length: number): string => of(`${DIGITS}abcdef`, length);
  return {
    below,
    of,
    hex,
    alnum: (length) => of(UPPER + LOWER + DIGITS, length),
    lower: (length) => of(LOWER + DIGITS, length),
    upper: (length) => of(UPPER + DIGITS, length),
    digits: (length) => of(DIGITS, length),
    uuid: () => [8, 4, 4, 4, 12].map(hex).join('-'),
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}
