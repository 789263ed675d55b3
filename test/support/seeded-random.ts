/** Numbers from 0 to 1 that a seed repeats (mulberry32), so that a test that failed by chance can be run again. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * How often to repeat what chance decides. Every check does a few, each time others: HOOKBELL_ROUNDS=20 does twenty times as
 * many, for the night.
 */
export function rounds(few: number): number {
  return Math.ceil(few * Number(process.env['HOOKBELL_ROUNDS'] ?? 1));
}

/** The seed to use: HOOKBELL_SEED, or one of chance. */
export function chooseSeed(): number {
  return Number(process.env['HOOKBELL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
}
