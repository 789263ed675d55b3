import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { addDays, daysOf } from '../../../src/vendor/client/index.ts';
import { projectCredits } from '../../../src/vendor/reports/check-budgets.ts';

/** From the first of June 2026, a Monday: what was used day by day; null where that is not known. */
function june(...credits: readonly (number | null)[]): Map<string, number> {
  return new Map(
    credits.flatMap((amount, index) =>
      amount === null ? [] : [[addDays('2026-06-01', index), amount] as const],
    ),
  );
}

const rows = [
  {
    name: 'projects the mean of the known days to the end of the month',
    days: june(10, 10, 10),
    asOf: '2026-06-03',
    expected: { spent: 30, projected: 300, crossesOn: '2026-06-20' },
  },
  {
    name: 'expects on weekends what weekends used',
    days: june(10, 10, 10, 10, 10, 0, 0),
    asOf: '2026-06-07',
    expected: { spent: 50, projected: 220, crossesOn: '2026-06-26' },
  },
  {
    name: 'takes a missing day for unknown, not for zero',
    days: june(10, null, 10),
    asOf: '2026-06-03',
    expected: { spent: 20, projected: 300, crossesOn: '2026-06-20' },
  },
  {
    name: 'names the day on which the limit was reached',
    days: june(10, 190, 10),
    asOf: '2026-06-03',
    expected: { spent: 210, projected: 2_100, crossesOn: '2026-06-02' },
  },
  {
    name: 'names no day where the month ends before',
    days: june(1, 1),
    asOf: '2026-06-02',
    expected: { spent: 2, projected: 30, crossesOn: null },
  },
  {
    name: 'projects nothing where nothing is known',
    days: june(),
    asOf: '2026-06-02',
    expected: { spent: 0, projected: null, crossesOn: null },
  },
  {
    name: 'leaves out the days after the last complete one',
    days: june(10, 10, 999),
    asOf: '2026-06-02',
    expected: { spent: 20, projected: 300, crossesOn: '2026-06-20' },
  },
];

for (const { name, days, asOf, expected } of rows) {
  test(`projectCredits() ${name}`, () => {
    const { spent, projected, crossesOn } = projectCredits(days, 200, asOf);

    assert.deepEqual({ spent, projected, crossesOn }, expected);
  });
}

test('projectCredits() goes by the weeks before the month where it has just begun', () => {
  const before = daysOf({ startDate: '2026-05-05', endDate: '2026-05-31' });
  const days = new Map([...before, '2026-06-01'].map((day) => [day, 7] as const));

  assert.equal(projectCredits(days, 1, '2026-06-01').projected, 210);
});

test('projectCredits() lists the days of the month that are missing, which are not zero (acceptance 088)', () => {
  const { missingDays } = projectCredits(june(1, null, 1, null), 5, '2026-06-04');

  assert.deepEqual(missingDays, ['2026-06-02', '2026-06-04']);
});

test('projectCredits() projects at least what is spent, and reaches a limit exactly if the projection does', () => {
  const credits = fc.option(fc.integer({ min: 0, max: 1_000 }));
  const limit = fc.integer({ min: 1, max: 40_000 });
  fc.assert(
    fc.property(fc.array(credits, { minLength: 1, maxLength: 30 }), limit, (month, most) => {
      const asOf = addDays('2026-06-01', month.length - 1);

      const { spent, projected, crossesOn, missingDays } = projectCredits(
        june(...month),
        most,
        asOf,
      );

      assert.equal(missingDays.length, month.filter((one) => one === null).length);
      assert.equal(
        projected === null,
        month.every((one) => one === null),
      );
      if (projected === null) return;
      assert.ok(projected >= spent);
      assert.equal(crossesOn !== null, projected >= most);
    }),
  );
});
