import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compareVersions } from '../../src/platform/compare-versions.ts';

test('compareVersions() puts versions in the order of semver.org', () => {
  const ordered = [
    '0.9.9',
    '0.10.0',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
  ];

  const sorted = ordered.toReversed().toSorted(compareVersions);

  assert.deepEqual(sorted, ordered);
  assert.equal(compareVersions('1.0.0+one', '1.0.0+other'), 0);
});

for (const [older, newer] of [
  ['1.0.0-rc.1', '1.0.0'],
  ['1.0.0-alpha', '1.0.0-alpha.1'],
  ['1.0.0-9', '1.0.0-alpha'],
  ['1.0.0-alpha.2', '1.0.0-alpha.beta'],
  ['1.0.0-alpha', '1.0.0-beta'],
  ['1.0.0-rc.9', '1.0.0-rc.10'],
  ['1.0.0-a', '1.0.0-a-b'],
  ['1.9.0', '1.10.0-rc.1'],
] as const) {
  test(`compareVersions() takes ${older} for older than ${newer}, in either order`, () => {
    assert.ok(compareVersions(older, newer) < 0);
    assert.ok(compareVersions(newer, older) > 0);
    assert.equal(compareVersions(older, `${older}+build`), 0);
  });
}
