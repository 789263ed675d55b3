import * as fc from 'fast-check';

import { boundaries as places } from '../test/fuzz/boundaries.ts';
import { inputs, words } from '../test/fuzz/inputs.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';

const INPUTS = 1_000;
const SEED = 1;
/** Of texts that agents send; files of people are shorter. */
const LONG_BYTES = 65_536;
/** What interrupts a run does not interrupt the next ones: an input is as slow as the fastest of them. */
const TRIES = 3;
const WARM_UP = 100;

/** How long strangers can keep the daemon's only thread busy with one input, wherever theirs come in. */
export const boundaries: Benchmark = {
  name: 'boundaries',
  async run() {
    const short = fc.sample(inputs, { numRuns: INPUTS, seed: SEED });
    const slowest = { short: { ms: 0, name: '' }, long: { ms: 0, name: '' } };
    for (const { name, take, longest = LONG_BYTES } of places) {
      const long = words.map((word) => repeated(word, longest));
      for (const input of short.slice(0, WARM_UP)) await take(input);
      for (const [kind, some] of [
        ['short', short],
        ['long', long],
      ] as const) {
        for (const input of some) {
          const ms = await fastest(() => take(input));
          if (ms > slowest[kind].ms) slowest[kind] = { ms, name };
        }
      }
    }
    const slowness = slownessOf(Array.from({ length: 20 }, () => nodeStartMs()));
    return [
      { what: `of ${INPUTS} hostile inputs`, of: slowest.short },
      { what: `of ${words.length} long inputs`, of: slowest.long },
    ].map(({ what, of }) => ({
      name: `the slowest ${what} to each boundary`,
      value: of.ms,
      unit: 'ms',
      bound: 50,
      better: 'lower',
      slowness,
      note: of.name,
    }));
  },
};

function repeated(word: string, length: number): Buffer {
  return Buffer.from(word.repeat(Math.ceil(length / word.length)).slice(0, length));
}

async function fastest(work: () => void | Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < TRIES; round += 1) {
    const startedAt = performance.now();
    await work();
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}
