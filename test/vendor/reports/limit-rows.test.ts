import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { readLimitAmount, readLimitRows } from '../../../src/vendor/reports/limit-rows.ts';

const strict = { emptyLimit: 'refused', null: 'refused' } as const;
const DIGITS = 'expected standard credits in digits alone, such as 2000000';

for (const { text, problems } of [
  {
    text: 'mail,limit\n',
    problems: [
      'line 1: has no column "email"',
      'line 1: has the column "mail", expected "email" and "limit" alone',
    ],
  },
  { text: '', problems: ['line 1: has no column "email" and "limit"'] },
  { text: 'email,limit\n', problems: ['line 1: no rows follow it'] },
  // C1: the surplus cells were cut off, which set the limit to 1.
  {
    text: 'email,limit\nada@example.com,1,000,000\n',
    problems: ['line 2: has 4 cells, expected 2: write a limit without commas'],
  },
  {
    text: 'email,limit\n"ada@example.com,5\nbob@example.com,6\n',
    problems: ['line 2: a quote is not closed'],
  },
  {
    text: 'email,limit\na@b;5\n',
    problems: ['line 2: has 1 cell, expected 2: cells are separated by commas, not by semicolons'],
  },
  {
    text: 'email;limit\na@b;5\n',
    problems: ['line 1: the columns are separated by semicolons, expected commas'],
  },
  // The test this replaces found its columns among others; a surplus column may be a limit cut in two.
  {
    text: 'email,limit,LIMIT\na@b,5,6\n',
    problems: ['line 1: has the column "limit" more than once'],
  },
  {
    text: 'email,limit,team\na@b,5,x\n',
    problems: ['line 1: has the column "team", expected "email" and "limit" alone'],
  },
  {
    text: 'email,limit\nann,1\nbob@x.test,"1,500"\nBob@x.test,2\neve@x.test,\nfay@x.test\n"gus"x@x.test,7\nhal@x.test,null\nida@x.test, 5\n\u200bjan@x.test,5\n',
    problems: [
      'line 2: email is "ann", expected an email address',
      `line 3: limit is "1,500", ${DIGITS}`,
      'line 4: "Bob@x.test" is already in line 3',
      'line 5: "eve@x.test" has no limit',
      'line 6: has 1 cell, expected 2',
      'line 7: there is text after a closing quote',
      'line 8: limit is "null", which removes a limit and needs --allow-null',
      `line 9: limit is " 5", ${DIGITS}`,
      'line 10: email is "\u200bjan@x.test", expected an email address',
    ],
  },
]) {
  test(`readLimitRows() says in one run all that is wrong with ${JSON.stringify(text)} (C1)`, () => {
    assert.deepEqual(readLimitRows(text, strict), { ok: false, problems });
  });
}

test('readLimitRows() reads its columns in any order, quotes, and what its rules accept', () => {
  const read = readLimitRows(
    '\ufeffLimit,Email\r\n5,"ann@x.test"\r\n,bob@x.test\r\n\r\n,\r\nnull,eve@x.test',
    { emptyLimit: 'accepted', null: 'accepted' },
  );

  assert.deepEqual(read, {
    ok: true,
    rows: [
      { line: 2, email: 'ann@x.test', limit: 5 },
      { line: 3, email: 'bob@x.test', limit: undefined },
      { line: 6, email: 'eve@x.test', limit: null },
    ],
  });
});

for (const text of [
  '',
  ' ',
  '\t',
  '\u3000',
  ' 5',
  '5 ',
  '0x10',
  '1e3',
  '-5',
  '+5',
  '5.0',
  '1,000',
  '1_000',
  '\u0661',
  '\uff19',
  'Infinity',
  '9007199254740993',
]) {
  test(`readLimitAmount() takes decimal digits alone, not ${JSON.stringify(text)} (C2)`, () => {
    assert.ok(Number.isNaN(readLimitAmount(text)));
  });
}

/** What a person reads in a line: an address, a comma and digits, each perhaps in quotes. */
const READABLE = /^(?:"([^"\s,;@]+@[^"\s,;@]+)"|([^"\s,;@]+@[^"\s,;@]+)),(?:"([0-9]+)"|([0-9]+))$/;

test('readLimitRows() reads a corrupted file as a person does, or not at all (C1)', () => {
  const name = fc.stringMatching(/^[a-z]{1,6}$/);
  const row = fc.record({ name, limit: fc.nat({ max: 9_000_000 }), quoted: fc.boolean() });
  const scratch = fc.record({
    at: fc.nat(),
    cut: fc.nat({ max: 2 }),
    put: fc.constantFrom(
      '',
      ',',
      '"',
      ';',
      '\n',
      '\r',
      ' ',
      '\u3000',
      '\t',
      '0',
      '1',
      '.',
      '-',
      'e',
      '@',
      "'",
      '=',
      ',000',
      '\u200b',
    ),
  });
  let read = 0;
  fc.assert(
    fc.property(
      fc.uniqueArray(row, { minLength: 1, maxLength: 5, selector: (one) => one.name }),
      fc.array(scratch, { minLength: 1, maxLength: 3 }),
      (rows, scratches) => {
        const lines = rows.map(({ name: who, limit, quoted }) =>
          quoted ? `"${who}@x.test","${limit}"` : `${who}@x.test,${limit}`,
        );
        let text = ['email,limit', ...lines, ''].join('\n');
        for (const { at, cut, put } of scratches) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + put + text.slice(place + cut);
        }

        const found = readLimitRows(text, strict);

        if (!found.ok) return;
        read += 1;
        const [, ...written] = text
          .split(/\r\n|\n|\r/)
          .filter((line) => line !== '' && line !== ',');
        assert.deepEqual(
          found.rows.map(({ email, limit }) => ({ email, limit })),
          written.map((line) => {
            const [, inQuotes, bare, digits, plain] = READABLE.exec(line) ?? [];
            return { email: inQuotes ?? bare, limit: Number(digits ?? plain) };
          }),
        );
      },
    ),
    { numRuns: 5_000, seed: 1 },
  );
  assert.ok(read > 50, `only ${read} of the files could be read`);
});
