import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { csvLine } from '../../src/cli/csv.ts';
import { readLimitRows } from '../../src/reports/limit-rows.ts';
import { readCsv } from '../../src/reports/read-csv.ts';

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

for (const { text, problems } of [
  { text: 'mail,limit\n', problems: ['line 1: has no column "email"'] },
  { text: '', problems: ['line 1: has no column "email" and "limit"'] },
  { text: 'email,limit\n', problems: ['line 1: nothing is below it'] },
  {
    text: 'email,limit\nann,1\nbob@x.test,"1,500"\nBob@x.test,2\n',
    problems: [
      'line 2: "ann" is no e-mail address',
      'line 3: "1,500" is no number of credits',
      'line 4: "Bob@x.test" has a limit in line 3 already',
    ],
  },
]) {
  test(`readLimitRows() says all that is wrong with ${JSON.stringify(text)}`, () => {
    assert.deepEqual(readLimitRows(text), { ok: false, problems });
  });
}

test('readLimitRows() finds its columns among others, in any order', () => {
  const read = readLimitRows(
    'Limit,Team,E-Mail,EMAIL\n5,a,b,ann@x.test\n,a,b,bob@x.test\nnull,,,eve@x.test',
  );

  assert.deepEqual(read, {
    ok: true,
    rows: [
      { line: 2, email: 'ann@x.test', limit: 5 },
      { line: 3, email: 'bob@x.test', limit: undefined },
      { line: 4, email: 'eve@x.test', limit: null },
    ],
  });
});
