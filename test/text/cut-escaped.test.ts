import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { cutEscaped } from '../../src/text/sanitize.ts';

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

test('cutEscaped() leaves a text that fits to the last character', () => {
  assert.equal(cutEscaped('a < b', 8, escape), 'a &lt; b');
});

test('cutEscaped() counts what the escaping adds, and tears no escape sequence', () => {
  assert.equal(cutEscaped('a < b', 7, escape), 'a &lt;…');
  assert.equal(cutEscaped('a <<', 9, escape), 'a &lt;…');
});

test('cutEscaped() tears no family, flag or accent apart', () => {
  const family = '👨‍👩‍👧‍👦';

  assert.equal(cutEscaped(family.repeat(2), family.length * 2 - 1, escape), `${family}…`);
  assert.equal(cutEscaped('🇩🇪🇫🇷🇪🇸', 11, escape), '🇩🇪🇫🇷…');
  assert.equal(cutEscaped('e\u0301e\u0301', 3, escape), 'e\u0301…');
});

test('cutEscaped() never exceeds the limit, and cuts only what does not fit', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('<', '&', 'a', ' ', '\u0301', '👍🏽', '🇩🇪') }),
      fc.integer({ min: 1, max: 40 }),
      (text, max) => {
        const cut = cutEscaped(text, max, escape);

        if (escape(text).length <= max) return cut === escape(text);
        return cut.length <= max && cut.endsWith('…') && !/&(?!amp;|lt;)/.test(cut);
      },
    ),
  );
});
