import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RecentMap } from '../../src/platform/recent-map.ts';

test('RecentMap drops the entry set longest ago', () => {
  const map = new RecentMap<string, number>(2, [
    ['a', 1],
    ['b', 2],
  ]);
  map.set('a', 3);
  map.set('c', 4);

  assert.deepEqual(
    [...map],
    [
      ['a', 3],
      ['c', 4],
    ],
  );
});

test('RecentMap keeps the last entries of those it begins with', () => {
  assert.deepEqual(
    [
      ...new RecentMap(1, [
        ['a', 1],
        ['b', 2],
      ]),
    ],
    [['b', 2]],
  );
});
