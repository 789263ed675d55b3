import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { csvLine, readCsv } from '../../src/text/csv.ts';

test('readCsv() reads quotes, line ends of all kinds, a byte order mark, and says where a record begins', () => {
  const text = '\ufeffemail,limit\r\n"a ""b""\nc", 7 \n\n\r,,\r\nlast,';

  assert.deepEqual(readCsv(text), [
    { line: 1, fields: ['email', 'limit'] },
    { line: 2, fields: ['a "b"\nc', '7'] },
    { line: 7, fields: ['last', ''] },
  ]);
});

test('readCsv() gives back what csvLine() wrote, formulas included', () => {
  const field = fc.string().map((text) => text.replace(/^[\s']+/, '').trimEnd());
  const row = fc.tuple(fc.constant('x'), field, field);
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const text = rows.map((fields) => csvLine(fields)).join('');

      assert.deepEqual(
        readCsv(text).map(({ fields }) => fields),
        rows,
      );
    }),
  );
});

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
