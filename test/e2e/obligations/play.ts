import type { Act } from './acts/act.ts';
import type { Oracle } from './settle.ts';
import { createOracle } from './settle.ts';
import type { Site } from './site.ts';

export interface Performance {
  readonly acts: readonly Act[];
  /** Asked before each act, with how many were played so far. */
  readonly goesOn: (played: number) => boolean;
  /** Plays one: `work` answers what was wrong after it, in words. */
  readonly stage: (act: Act, work: () => Promise<readonly string[]>) => Promise<void>;
}

/**
 * Plays the acts in an order of chance, over and over, and looks after each whether everything is as it is owed; at
 * the end once more, with fresh events.
 *
 * @returns what was wrong with the run as a whole, in words
 */
export async function play(
  site: Site,
  { acts, goesOn, stage }: Performance,
): Promise<readonly string[]> {
  const oracle = createOracle(site);
  await site.start();
  for (let played = 0; goesOn(played);) {
    for (const act of shuffled(acts, site.random)) {
      if (!goesOn(played)) break;
      await stage(act, () => playOne(act, site, oracle));
      played += 1;
    }
  }
  await site.handIn(3);
  return [...(await oracle.settle()), ...(await oracle.conclude())];
}

async function playOne(act: Act, site: Site, oracle: Oracle): Promise<readonly string[]> {
  try {
    await act.run(site);
    await site.start();
    return await oracle.settle();
  } catch (error) {
    return [String(error)];
  }
}

function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .toSorted((left, right) => left.rank - right.rank)
    .map(({ item }) => item);
}
