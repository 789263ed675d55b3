/** A stream of numbers that depends on its labels alone, so that the same seed makes the same bytes. Not for secrets. */
export interface Random {
  /** 0 up to, but not including, 1. */
  next(): number;
  /** Both ends included. */
  integer(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
  hex(length: number): string;
  uuid(): string;
}

/** Every list of labels has a separate stream, so one part's draws do not shift another's. */
export function randomFor(...labels: readonly (string | number)[]): Random {
  let state = hashOf(labels.join('/'));

  // Mulberry32: https://github.com/cprosche/mulberry32
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  function integer(min: number, max: number): number {
    return min + Math.floor(next() * (max - min + 1));
  }

  function pick<Item>(items: readonly Item[]): Item {
    const item = items[integer(0, items.length - 1)];
    if (item === undefined) throw new RangeError('Cannot pick from an empty list');
    return item;
  }

  function shuffle<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, rank: next() }))
      .toSorted((one, other) => one.rank - other.rank)
      .map(({ item }) => item);
  }

  function hex(length: number): string {
    return Array.from({ length }, () => integer(0, 15).toString(16)).join('');
  }

  function uuid(): string {
    return `${hex(8)}-${hex(4)}-4${hex(3)}-${pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`;
  }

  return { next, integer, chance: (probability) => next() < probability, pick, shuffle, hex, uuid };
}

/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}
