import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { displayWidth } from '../../src/cli/display-width.ts';

describe('displayWidth()', () => {
  for (const [text, width] of [
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['日本語', 6],
    ['한글', 4],
    ['🧹', 2],
    ['👨‍👩‍👧', 2],
    ['Ω', 1],
  ] as const) {
    test(`of ${JSON.stringify(text)} is ${width}`, () => {
      assert.equal(displayWidth(text), width);
    });
  }
});
