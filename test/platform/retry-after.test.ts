import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { parseRetryAfter } from '../../src/platform/retry.ts';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
const HOUR = 3_600_000;

describe('parseRetryAfter() (fault 29)', () => {
  const table: readonly [string | null | undefined, number | null][] = [
    [null, null],
    [undefined, null],
    ['', null],
    ['  ', null],
    ['7', 7_000],
    [' 7 ', 7_000],
    ['1.5', 1_500],
    ['0', 1_000],
    ['0.001', 1_000],
    ['99999', HOUR],
    ['9'.repeat(400), HOUR],
    ['-1', null],
    ['+5', null],
    ['1e5', null],
    ['0x10', null],
    ['abc', null],
    ['abc 1', null],
    ['May 5', null],
    ['2026-11-21', null],
    ['NaN', null],
    ['Infinity', null],
    ['7 seconds', null],
    ['Sat, 21 Nov 2026 12:02:00 GMT', 120_000],
    ['Saturday, 21-Nov-26 12:02:00 GMT', 120_000],
    ['Sat Nov 21 12:02:00 2026', 120_000],
    ['sat, 21 nov 2026 12:02:00 gmt', 120_000],
    ['Sat, 21 Nov 2026 13:02:00 +0100', 120_000],
    ['Sat, 21 Nov 2026 12:00:00 GMT', 1_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 1_000],
    ['Sun, 21 Nov 2027 12:00:00 GMT', HOUR],
    ['Sat, nonsense GMT', null],
  ];
  for (const [header, ms] of table) {
    test(`reads ${header?.slice(0, 40) ?? String(header)} as ${ms}`, () => {
      assert.equal(parseRetryAfter(header, NOW), ms);
    });
  }

  test('never says less than 1 s or more than 1 h, whatever the header', () => {
    const header = fc.oneof(
      fc.string(),
      fc.nat().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(header, (text) => {
        const ms = parseRetryAfter(text, NOW);

        assert.ok(ms === null || (ms >= 1_000 && ms <= HOUR));
      }),
    );
  });
});
