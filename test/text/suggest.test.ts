import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { didYouMean, suggest } from '../../src/text/suggest.ts';

describe('suggest()', () => {
  const candidates = ['channels', 'plans', 'routes', 'turn.done', 'key', 'to'];
  const table: readonly { name: string; word: string; expected: string | null }[] = [
    { name: 'a missing letter', word: 'chanels', expected: 'channels' },
    { name: 'a letter too much', word: 'plaans', expected: 'plans' },
    { name: 'a wrong letter', word: 'rootes', expected: 'routes' },
    { name: 'two letters swapped, which count as one slip', word: 'plasn', expected: 'plans' },
    { name: 'two slips in a long word', word: 'channnells', expected: 'channels' },
    { name: 'another case', word: 'Routes', expected: 'routes' },
    { name: 'nothing after three slips', word: 'cannelsss', expected: null },
    { name: 'nothing after two slips in a short word', word: 'plaxx', expected: null },
    { name: 'nothing for words so short that everything is close', word: 'ta', expected: null },
    { name: 'nothing for giant words', word: 'channels'.repeat(10), expected: null },
  ];
  for (const { name, word, expected } of table) {
    test(`sees ${name}`, () => {
      assert.equal(suggest(word, candidates), expected);
    });
  }

  test('takes the nearest of several', () => {
    assert.equal(suggest('turn.don', ['turn.gone', 'turn.done']), 'turn.done');
  });
});

test('didYouMean() is the end of a sentence, or nothing', () => {
  assert.equal(didYouMean('planz', ['plans']), ', did you mean "plans"?');
  assert.equal(didYouMean('xyz', ['plans']), '');
});
