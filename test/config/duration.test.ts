import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { duration } from '../../src/config/units.ts';
import { parseDuration } from '../../src/text/duration.ts';

describe('parseDuration()', () => {
  const table: readonly [string, number | null][] = [
    ['500ms', 500],
    ['30s', 30_000],
    ['2m', 120_000],
    ['1h30m', 5_400_000],
    ['90d', 7_776_000_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['0s', 0],
    ['', null],
    ['30', null],
    ['s', null],
    ['-1s', null],
    ['1.5h', null],
    ['30 s', null],
    ['30m1h', null],
    ['1h1h', null],
    ['30S', null],
    [' 30s', null],
    ['30s\n', null],
    ['1e3s', null],
    ['٣s', null],
    [`${'9'.repeat(400)}s`, null],
  ];
  for (const [text, ms] of table) {
    test(`reads ${JSON.stringify(text.slice(0, 20))} as ${ms}`, () => {
      assert.equal(parseDuration(text), ms);
    });
  }

  test('is finite or null for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('0', '1', '9', 'd', 'h', 'm', 's') }),
        (text) => {
          const ms = parseDuration(text);

          assert.ok(ms === null || Number.isSafeInteger(ms));
        },
      ),
    );
  });
});

describe('duration()', () => {
  test('keeps its bounds, both included', () => {
    const schema = duration({ min: '1s', max: '1m' });

    assert.equal(schema.parse('1s'), 1_000);
    assert.equal(schema.parse('60s'), 60_000);
    assert.equal(schema.safeParse('999ms').error?.issues[0]?.message, 'is shorter than 1s');
    assert.equal(schema.safeParse('61s').error?.issues[0]?.message, 'is longer than 1m');
  });

  test('is at most ten years where nothing else is said', () => {
    assert.equal(duration().parse('3650d'), 315_360_000_000);
    assert.equal(duration().safeParse('3651d').success, false);
  });
});
