/** How often each name was seen. */
export type Tally = ReadonlyMap<string, number>;

export function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

export function totalOf(tally: Tally): number {
  return sumOf(tally.values());
}

/** Adds tallies up, name by name. */
export function merge(tallies: Iterable<Tally>): Tally {
  const merged = new Map<string, number>();
  for (const tally of tallies) {
    for (const [name, count] of tally) merged.set(name, (merged.get(name) ?? 0) + count);
  }
  return merged;
}

/** The name seen most; the first one of equals; "" when there is none. */
export function mostSeen(tally: Tally): string {
  let best = '';
  for (const [name, count] of tally) {
    if (best === '' || count > (tally.get(best) ?? 0)) best = name;
  }
  return best;
}
