import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { TokenRow } from '../../../src/vendor/client/index.ts';
import { addDays } from '../../../src/vendor/client/index.ts';
import { routes } from '../../../src/vendor/client/index.ts';
import { checkBudgets, daysForBudgets } from '../../../src/vendor/reports/check-budgets.ts';

const policy = {
  organization: null,
  models: {},
  users: {},
  thresholds: [50, 80, 100],
  rate: null,
  anomaly: null,
};

/** Rows as the service sends them, read by the client's own schema. */
function rowsOf(rows: readonly object[]): readonly TokenRow[] {
  return routes['analytics.tokens'].response.parse({ data: rows, meta: {} }).data;
}

const rows = rowsOf([
  {
    date: '2026-06-01',
    billable_tokens: 30,
    by_model: [
      { model_id: 'aurora', billable_tokens: 20 },
      { model_id: 'borealis', billable_tokens: 10 },
    ],
    by_user: [
      { user_id: 'u1', user_email: 'Ann@example.com', billable_tokens: 25 },
      { user_id: 'u2', user_email: null, billable_tokens: 5 },
    ],
  },
  {
    date: '2026-06-02',
    billable_tokens: 10,
    by_model: [{ model_id: 'aurora', billable_tokens: 10 }],
    by_user: [{ user_id: 'u1', user_email: 'ann@example.com', billable_tokens: 10 }],
  },
]);

test('checkBudgets() adds up the organization, models and users, whatever the case of an address', () => {
  const { budgets } = checkBudgets(
    rows,
    {
      ...policy,
      organization: 100,
      models: { aurora: 60, absent: 5 },
      users: { 'ann@example.com': 70, '*': 50 },
    },
    '2026-06-02',
  );

  assert.deepEqual(
    budgets.map(({ scope, name, spent, limit }) => [scope, name, spent, limit]),
    [
      ['organization', null, 40, 100],
      ['model', 'aurora', 30, 60],
      ['user', 'ann@example.com', 35, 70],
      ['user', 'u2', 5, 50],
      ['model', 'absent', 0, 5],
    ],
  );
});

test('checkBudgets() knows nothing of the models of a day that does not list them', () => {
  const unlisted = rowsOf([{ date: '2026-06-03', billable_tokens: 7 }]);

  const { budgets } = checkBudgets(
    [...rows, ...unlisted],
    { ...policy, organization: 100, models: { aurora: 60 } },
    '2026-06-03',
  );

  assert.deepEqual(
    budgets.map(({ missingDays }) => missingDays),
    [[], ['2026-06-03']],
  );
});

test('checkBudgets() names users with an unusual day only where that is asked for', () => {
  const spike = rowsOf(
    Array.from({ length: 10 }, (_, index) => ({
      date: addDays('2026-06-01', index),
      billable_tokens: index === 9 ? 900 : 90,
      by_user: [{ user_id: 'u1', user_email: null, billable_tokens: index === 9 ? 900 : 90 }],
    })),
  );
  const spenders = (users: boolean): unknown =>
    checkBudgets(spike, { ...policy, anomaly: { floor: 100, users } }, '2026-06-10').anomalies.map(
      ({ scope, name }) => [scope, name],
    );

  assert.deepEqual(spenders(false), [['organization', null]]);
  assert.deepEqual(spenders(true), [
    ['organization', null],
    ['user', 'u1'],
  ]);
});

for (const [asOf, startDate] of [
  ['2026-06-02', '2026-05-05'],
  ['2026-06-30', '2026-06-01'],
]) {
  test(`daysForBudgets() of ${asOf} begins on ${startDate}: the month, and four weeks back`, () => {
    assert.deepEqual(daysForBudgets(asOf ?? ''), { startDate, endDate: asOf });
  });
}
