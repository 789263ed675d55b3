import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { durationText } from '../../src/text/duration.ts';

describe('durationText()', () => {
  const rows: readonly (readonly [number, string])[] = [
    [0, '0 s'],
    [499, '0 s'],
    [12_000, '12 s'],
    [59_600, '1 min'],
    [252_000, '4 min 12 s'],
    [3_600_000, '1 h'],
    [3_780_000, '1 h 03 min'],
    [86_400_000, '24 h'],
  ];
  for (const [ms, wanted] of rows) {
    test(`says ${ms} ms as "${wanted}"`, () => {
      assert.equal(durationText(ms), wanted);
    });
  }
});
