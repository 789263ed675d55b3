import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { matchesGlob } from '../../src/alerts/route.ts';

function words(letter: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.array(letter, { maxLength: 8 }).map((parts) => parts.join(''));
}

test('matchesGlob() agrees with the regular expression that means the same', () => {
  const alphabet = fc.constantFrom('a', 'b', '*', '?', '/');
  const letters = fc.constantFrom('a', 'b', '/');

  fc.assert(
    fc.property(words(alphabet), words(letters), (glob, text) => {
      const expression = new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`);

      assert.equal(matchesGlob(glob, text), expression.test(text));
    }),
  );
});

test('matchesGlob() takes special characters of expressions literally and ignores case', () => {
  assert.equal(matchesGlob('A.(b)*', 'a.(B) and more'), true);
  assert.equal(matchesGlob('a.c', 'abc'), false);
});

test('matchesGlob() takes a decomposed letter, as in folders that Finder makes, for the same', () => {
  assert.equal(matchesGlob('*/b\u00fcro/?', '/Users/me/Bu\u0308ro/\u00e9'), true);
});

test('matchesGlob() ends soon for a glob that would explode a backtracking matcher', () => {
  assert.equal(matchesGlob(`${'a*'.repeat(50)}b`, 'a'.repeat(5_000)), false);
});
