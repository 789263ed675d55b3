import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { csvLine, displayWidth } from '../../src/cli/display-width.ts';

describe('csvLine()', () => {
  for (const [field, written] of [
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['', ''],
    ['=1+1', `'=1+1`],
    ['+49 30', `'+49 30`],
    ['-2', `'-2`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['\t=1', `'\t=1`],
    ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
    [-2, '-2'],
    [0.5, '0.5'],
  ] as const) {
    test(`writes ${JSON.stringify(field)} as ${JSON.stringify(written)} (acceptance 062)`, () => {
      assert.equal(csvLine([field, 1]), `${written},1\r\n`);
    });
  }
});

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
