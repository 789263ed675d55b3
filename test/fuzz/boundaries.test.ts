import { describe, test } from 'node:test';
import * as fc from 'fast-check';

import { boundaries } from './boundaries.ts';
import { inputs } from './inputs.ts';

/** HOOKBELL_FUZZ_RUNS=1000000 looks for as long as one likes; HOOKBELL_SEED repeats a run that failed. */
const numRuns = Number(process.env['HOOKBELL_FUZZ_RUNS'] ?? 300);
const seed = process.env['HOOKBELL_SEED'];

describe('whatever comes in, a boundary answers (fault 46)', () => {
  for (const { name, take } of boundaries) {
    test(name, async (t) => {
      let slowestMs = 0;
      await fc.assert(
        fc.asyncProperty(inputs, async (input) => {
          const startedAt = performance.now();
          await take(input);
          slowestMs = Math.max(slowestMs, performance.now() - startedAt);
        }),
        { numRuns, ...(seed === undefined ? {} : { seed: Number(seed) }) },
      );
      t.diagnostic(`the slowest of ${numRuns} took ${slowestMs.toFixed(1)} ms`);
    });
  }
});
