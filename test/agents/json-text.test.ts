import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { decodeText, firstJsonValue, type JsonLimits } from '../../src/agents/support/json-text.ts';

const everything = Number.POSITIVE_INFINITY;

function first(text: string, limits: Partial<JsonLimits> = {}): string | null {
  return firstJsonValue(Buffer.from(text), { text: everything, member: everything, ...limits });
}

/** A note in the place of what was cut: its length, and the start of its hash. */
function parsed(text: string | null): unknown {
  const short = text?.replaceAll(/ \((\d+) more bytes, SHA-256 (...)\w{61}\)/g, '~$1~');
  return JSON.parse(short ?? 'null');
}

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe('firstJsonValue()', () => {
  const rows: readonly (readonly [string, string | null])[] = [
    ['{"a":1}', '{"a":1}'],
    [' \t\r\n{"a":[{}]}{"b":2}', '{"a":[{}]}'],
    ['[1,[2]] [3]', '[1,[2]]'],
    ['"a b" c', '"a b"'],
    ['"a\\" b" c', '"a\\" b"'],
    ['"a\\\\" b"', '"a\\\\"'],
    ['12\n3', '12'],
    ['true', 'true'],
    ['{"a":"}]"}', '{"a":"}]"}'],
    ['{"a":"\\"}"} x', '{"a":"\\"}"}'],
    ['{"a":[1}', null],
    ['"a', null],
    ['"a\\"', null],
    ['{"a', null],
    ['', null],
    [' \n', null],
  ];
  for (const [text, value] of rows) {
    test(`of ${JSON.stringify(text)} is ${value}`, () => {
      assert.equal(first(text), value);
    });
  }

  const encodings: readonly (readonly [string, readonly number[], string])[] = [
    ['UTF-8', [0x22, 0xc3, 0xa4, 0x22], '"\u00e4"'],
    ['a mark of UTF-8', [0xef, 0xbb, 0xbf, 0x31], '1'],
    ['two marks of UTF-8', [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x31], '\ufeff1'],
    ['a part of a mark', [0xef, 0xbb, 0x31], '\ufffd1'],
    ['another part of a mark', [0xef, 0x31, 0xbf], '\ufffd1\ufffd'],
    ['UTF-16LE', [0xff, 0xfe, 0x31, 0x00], '1'],
    ['UTF-16BE', [0xfe, 0xff, 0x00, 0x31], '1'],
    ['half a mark of UTF-16', [0xff, 0x31], '\ufffd1'],
    ['another half', [0xfe, 0x31], '\ufffd1'],
  ];
  for (const [name, bytes, text] of encodings) {
    test(`reads ${name}`, () => {
      assert.equal(firstJsonValue(Uint8Array.from(bytes)), text);
      assert.equal(decodeText(Uint8Array.from(bytes)), text);
    });
  }

  test('makes null of what is nested deeper than 64', () => {
    assert.equal(first(nested(64)), nested(64));
    assert.equal(first(nested(65)), `${'['.repeat(64)}null${']'.repeat(64)}`);
    assert.equal(first(objects(64)), objects(64));
    assert.equal(first(objects(66)), `${'{"a":'.repeat(64)}null${'}'.repeat(64)}`);
    const beside = `{"x":${nested(70)},"y":[1]}`;
    assert.match(first(beside) ?? '', /,"y":\[1\]\}$/);
  });
});

const kept = (inside: string) =>
  JSON.stringify(parsed(first(`["${inside}"]`, { text: 3 }))).replace(/~\d+~/, '');

const cutBefore = (end: string) => first(`["${'x'.repeat(99)}${end}"]`, { text: 9 });

describe('firstJsonValue() with limits', () => {
  test('cuts a string, in the object and in a list, behind its first bytes', () => {
    // The limit counts the quote before the string.
    assert.deepEqual(parsed(first('{"a":"12345","b":[["123456"]]}', { text: 4 })), {
      a: '123~2~',
      b: [['123~3~']],
    });
    assert.equal(first('{"a":"123"}', { text: 5 }), '{"a":"123"}');
    assert.deepEqual(parsed(first('{"a":"1234"}', { text: 5 })), { a: '1234~0~' });
  });

  test('cuts no string in a character or an escape', () => {
    assert.equal(kept('a\u00e4bcd'), JSON.stringify(['a\u00e4']));
    assert.equal(kept('\u263abcd'), JSON.stringify(['\u263a']));
    assert.equal(kept('a\\nbcd'), JSON.stringify(['a\n']));
    assert.equal(kept('\\n\\nbcd'), JSON.stringify(['\n']));
    assert.equal(kept('a\\u263abcd'), JSON.stringify(['a\u263a']));
    assert.equal(kept('a\\\\bcdef'), JSON.stringify(['a\\']));
  });

  test('ends a member of an object or a list at the element that reaches the limit', () => {
    const rows: readonly (readonly [string, unknown])[] = [
      ['{"a":[1,2,3,4,5,6,7],"b":1}', { a: [1, 2, '~11~'], b: 1 }],
      ['[[1,2,3,4,5,6,7],8]', [[1, 2, 3, 4, '~7~'], 8]],
      ['[1,[1,2,3,4,5,6,7],8]', [1, [1, 2, 3, 4, '~7~'], 8]],
      ['{"a":{"b":1,"c":2,"d":3},"e":[]}', { a: { b: 1, '': '~13~' }, e: [] }],
      ['{"a":[[1,2,3,4,5],6],"b":1}', { a: [[1, 2, '~10~']], b: 1 }],
    ];
    for (const [text, wanted] of rows)
      assert.deepEqual(parsed(first(text, { member: 8 })), wanted, text);
    const cut = first('{"z":1,"a":[["12345","67890",3,4,5],6]}', { text: 3, member: 16 });
    assert.deepEqual(parsed(cut), { z: 1, a: [['12~3~', '~18~']] }, 'once its strings are cut');
  });

  test('counts each member of the outermost for itself', () => {
    const text = '{"a":[1,2],"b":[1,2],"c":[1,2]}';

    assert.equal(first(text, { member: 9 }), text);
  });

  test('keeps values apart that differ in what is cut', () => {
    assert.notEqual(cutBefore('a'), cutBefore('b'));
    assert.equal(cutBefore('a'), cutBefore('a'));
  });
});
