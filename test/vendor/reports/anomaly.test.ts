import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { addDays } from '../../../src/vendor/client/index.ts';
import { anomalyOf } from '../../../src/vendor/reports/check-budgets.ts';

/** A Friday. */
const DAY = '2026-06-26';

/** The days up to `DAY`, it included as the last one; null where a day is not known. */
function upTo(...credits: readonly (number | null)[]): Map<string, number> {
  return new Map(
    credits.flatMap((amount, index) =>
      amount === null ? [] : [[addDays(DAY, index + 1 - credits.length), amount] as const],
    ),
  );
}

/** Four weeks of 100 on weekdays and 10 on weekends, then the day itself. */
function weeks(last: number): Map<string, number> {
  const week = [100, 10, 10, 100, 100, 100, 100];
  return upTo(...week, ...week, ...week, ...week, last);
}

const steady = Array.from({ length: 28 }, () => 100);

const rows = [
  { name: 'finds a day of more than three medians', days: upTo(...steady, 301), usual: 100 },
  { name: 'leaves one of exactly three medians', days: upTo(...steady, 300), usual: undefined },
  { name: 'sees no spike in a steady burn', days: upTo(...steady, 100), usual: undefined },
  {
    name: 'leaves a day that varied days explain',
    days: upTo(10, 400, 50, 600, 100, 300, 80, 500, 620),
    usual: undefined,
  },
  {
    name: 'is not moved by the one spike of last week',
    days: upTo(...steady.slice(1), 90_000, 400),
    usual: 100,
  },
  { name: 'compares a weekday with weekdays', days: weeks(250), usual: undefined },
  {
    name: 'leaves a day below the floor',
    days: upTo(1, 1, 1, 1, 1, 1, 1, 49),
    usual: undefined,
  },
  {
    name: 'lets the floor decide where fewer than 7 days are known',
    days: upTo(1, 1, 1, 60),
    usual: null,
  },
  {
    name: 'takes missing days for unknown, not for zero',
    days: upTo(...Array.from({ length: 14 }, (_, index) => (index % 2 === 0 ? 100 : null)), 250),
    usual: undefined,
  },
  { name: 'never rings for a day that is missing', days: upTo(...steady, null), usual: undefined },
  {
    name: 'takes all days where too few of the class are known',
    days: upTo(
      ...steady.slice(25),
      ...Array.from({ length: 4 }, () => null),
      ...steady.slice(25),
      ...Array.from({ length: 3 }, () => null),
      100,
      500,
    ),
    usual: 100,
  },
];

for (const { name, days, usual } of rows) {
  test(`anomalyOf() ${name}`, () => {
    assert.equal(anomalyOf(days, DAY, 50)?.usual, usual);
  });
}

test('anomalyOf() compares a weekend with weekends once four are known', () => {
  const saturday = addDays(DAY, 1);
  const days = weeks(100).set(saturday, 80);

  assert.equal(anomalyOf(days, saturday, 50)?.usual, 10);
});

test('anomalyOf() judges a day by the 28 before it alone: what came after or long ago changes nothing', () => {
  const credits = fc.integer({ min: 0, max: 10_000 });
  fc.assert(
    fc.property(fc.array(credits, { minLength: 60, maxLength: 60 }), credits, (days, other) => {
      const series = upTo(...days);
      const changed = new Map(series).set(addDays(DAY, 1), other).set(addDays(DAY, -29), other);

      assert.deepEqual(anomalyOf(changed, DAY, 50), anomalyOf(series, DAY, 50));
    }),
  );
});
