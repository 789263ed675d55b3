import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { backoffMs } from '../../src/platform/retry.ts';

describe('backoffMs()', () => {
  test('doubles its ceiling up to the cap', () => {
    const ceilings = [1, 2, 3, 8, 9, 100].map((attempt) => backoffMs(attempt, 0.999_999_9));

    assert.deepEqual(ceilings, [2_000, 4_000, 8_000, 256_000, 300_000, 300_000]);
  });

  test('spreads evenly below its ceiling', () => {
    assert.equal(backoffMs(3, 0.5), 4_000);
    assert.equal(backoffMs(3, 0.25), 2_000);
  });

  test('takes base and cap', () => {
    assert.equal(backoffMs(1, 0.5, { baseMs: 10_000 }), 10_000);
    assert.equal(backoffMs(9, 0.5, { capMs: 2_000 }), 1_000);
  });

  test('is a whole number between 250 ms and the cap for any attempt', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 }), random, (attempt, chance) => {
        const ms = backoffMs(attempt, chance);

        assert.ok(Number.isInteger(ms) && ms >= 250 && ms <= 300_000);
      }),
    );
  });
});
