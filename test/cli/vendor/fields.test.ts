import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { readFields } from '../../../src/cli/vendor/column.ts';
import { UsageError } from '../../../src/platform/errors.ts';

const typed = (text: string) => ({ text, isTyped: true });

describe('readFields()', () => {
  test('keeps texts, and reads typed values as JSON where they are', () => {
    const fields = readFields([
      { text: 'a=1', isTyped: false },
      { text: 'b=@x', isTyped: false },
      ...['c=1', 'd=true', 'e=null', 'f={"x":[1]}', 'g=plain', 'h=', 'i=a=b'].map(typed),
    ]);

    assert.deepEqual(fields, {
      a: '1',
      b: '@x',
      c: 1,
      d: true,
      e: null,
      f: { x: [1] },
      g: 'plain',
      h: '',
      i: 'a=b',
    });
  });

  test('reaches deeper', () => {
    const fields = readFields(['a[b][c]=1', 'a[b][d]=2', 'a[e][]=3', 'a[e][]=4'].map(typed));

    assert.deepEqual(fields, { a: { b: { c: 1, d: 2 }, e: [3, 4] } });
  });

  for (const texts of [
    ['=1'],
    ['a'],
    ['a[=1'],
    ['[a]=1'],
    ['a=1', 'a[b]=2'],
    ['a[]=1', 'a[b]=2'],
    ['a[][b]=1'],
  ]) {
    test(`refuses ${texts.join(' ')}`, () => {
      assert.throws(() => readFields(texts.map(typed)), UsageError);
    });
  }

  test('never reaches a prototype', () => {
    assert.throws(() => readFields([typed('__proto__[polluted]=1')]), UsageError);
    assert.throws(() => readFields([typed('a[__proto__][polluted]=1')]), UsageError);
    const fields = readFields([typed('constructor[prototype][polluted]=1')]);

    assert.ok(!('polluted' in {}));
    assert.deepEqual(Object.keys(fields), ['constructor']);
  });
});
