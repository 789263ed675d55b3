import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  changesText,
  type FileChange,
  fileChangeText,
  promptMark,
  withChanges,
} from '../../src/core/hook-event.ts';

function change(path: string, added: number | null = 1, removed: number | null = 2): FileChange {
  return { path, added, removed };
}

describe('withChanges()', () => {
  test('has one entry for each file, whose lines are known while each change knows them', () => {
    const before = [change('a'), change('b'), change('c')];

    const after = withChanges(before, [change('b', 10, 20), change('a', null, 1), change('d')]);

    assert.deepEqual(after, [change('a', null, 3), change('b', 11, 22), change('c'), change('d')]);
    assert.deepEqual(withChanges([change('a', 1, null)], [change('a', 1, 1)]), [
      change('a', 2, null),
    ]);
    assert.equal(withChanges(before, []), before);
  });

  test('takes no more than 200 files, and goes on counting those', () => {
    const many = Array.from({ length: 200 }, (_, index) => change(`file-${index}`));

    const after = withChanges(many, [change('one more'), change('file-0')]);

    assert.deepEqual([after.length, after[0]], [200, change('file-0', 2, 4)]);
    assert.equal(withChanges(many.slice(1), [change('one more')]).length, 200);
  });
});

test('changesText() names three files and counts the others', () => {
  const files = ['a', 'b', 'c', 'd', 'e'].map((path) => change(path));

  assert.equal(changesText([]), null);
  assert.equal(changesText(files.slice(0, 1)), '1 file changed: a +1 −2');
  assert.equal(changesText(files.slice(0, 3)), '3 files changed: a +1 −2, b +1 −2, c +1 −2');
  assert.match(changesText(files) ?? '', /^5 files changed: .*, c \+1 −2 and 2 more$/);
  assert.equal(fileChangeText(change('a', null, null)), 'a');
  assert.equal(fileChangeText(change('a', null, 0)), 'a −0');
});

test('promptMark() knows a prompt again by sixteen digits, whatever the spaces around it', () => {
  assert.match(promptMark('check the build'), /^[0-9a-f]{16}$/);
  assert.equal(promptMark(' check the build\n'), promptMark('check the build'));
  assert.notEqual(promptMark('check the build!'), promptMark('check the build'));
});
