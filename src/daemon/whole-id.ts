import { UsageError } from '../core/errors.ts';
import type { Store } from '../core/store.ts';

/** How many candidates an error lists. */
const LISTED = 5;

const nouns = {
  events: 'events',
  deliveries: 'deliveries',
  queue: 'deliveries',
  mutes: 'mutes',
} as const;

/**
 * The id that a person means by an id or the beginning of one.
 *
 * @returns null where no id begins with it
 * @throws UsageError with the candidates where several do, none of them being the whole word
 */
export async function wholeId(
  store: Pick<Store, 'idsBeginning'>,
  table: keyof typeof nouns,
  word: string,
): Promise<string | null> {
  const found = await store.idsBeginning(table, word, LISTED + 1);
  const [first, ...others] = found;
  if (first === undefined) return null;
  // The whole id comes first in the order of the alphabet.
  if (first === word || others.length === 0) return first;
  throw ambiguousId(nouns[table], word, found);
}

/**
 * The whole ids that are meant; a word that no id begins with stays, and nothing is found under it later.
 *
 * @param tables where to look, the first that has such an id being the one that counts
 */
export function wholeIds(
  store: Pick<Store, 'idsBeginning'>,
  tables: readonly (keyof typeof nouns)[],
  words: readonly string[],
): Promise<readonly string[]> {
  return Promise.all(
    words.map(async (word) => {
      for (const table of tables) {
        const found = await wholeId(store, table, word);
        if (found !== null) return found;
      }
      return word;
    }),
  );
}

/** @param candidates what the person may have meant, as they can type it */
export function ambiguousId(noun: string, word: string, candidates: readonly string[]): UsageError {
  const listed = candidates.slice(0, LISTED).join(', ');
  const more = candidates.length > LISTED ? ', …' : '';
  return new UsageError(`Several ${noun} have an id that begins with "${word}"`, {
    hint: `Type more of one of these: ${listed}${more}`,
  });
}
