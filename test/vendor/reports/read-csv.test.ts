import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { csvLine } from '../../../src/cli/display-width.ts';
import { readCsv } from '../../../src/vendor/reports/read-csv.ts';

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
