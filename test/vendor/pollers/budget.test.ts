import assert from 'node:assert/strict';
import { test } from 'node:test';

import { daysOf, routes, type TokenRow } from '../../../src/vendor/client/index.ts';
import type { BudgetPolicy } from '../../../src/config/report-schema.ts';
import type { PollerMemory } from '../../../src/core/source-event.ts';
import { createBudgetPoller } from '../../../src/vendor/pollers/budget-poller.ts';
import { raisedEvents, sourceMemory } from '../../support/source-run.ts';

const policy: BudgetPolicy = {
  organization: 100,
  models: {},
  users: {},
  thresholds: [50, 80, 100],
  rate: null,
  anomaly: null,
  schedule: { at: 480, until: 840, timezone: 'UTC' },
};

/** Days from the first of a month on, the same amount each. */
function rowsFrom(startDate: string, endDate: string, credits: number): readonly TokenRow[] {
  const data = daysOf({ startDate, endDate }).map((date) => ({ date, billable_tokens: credits }));
  return routes['analytics.tokens'].response.parse({ data, meta: {} }).data;
}

interface Run {
  readonly rows: readonly TokenRow[];
  readonly memory?: PollerMemory;
  readonly policy?: Partial<BudgetPolicy>;
}

function budgetSource({ rows, memory = sourceMemory(), policy: own }: Run) {
  const { raise, events } = raisedEvents();
  const work = createBudgetPoller({
    policy: { ...policy, ...own },
    tokens: ({ startDate, endDate }) =>
      Promise.resolve(rows.filter(({ date }) => date >= startDate && date <= endDate)),
    raise,
    memory,
  });
  return { work, events, memory };
}

test('the budget source notifies once for each threshold of a month, and again in the next month', async () => {
  const rows = [
    ...rowsFrom('2026-06-01', '2026-06-30', 5),
    ...rowsFrom('2026-07-01', '2026-07-31', 5),
  ];
  const { work, events } = budgetSource({ rows });

  for (const { date } of rows) {
    await work(date, { mayWait: true });
    await work(date, { mayWait: true });
  }

  assert.deepEqual(
    events.map(({ id }) => id),
    ['2026-06-01', '2026-07-01'].flatMap((month) =>
      [50, 80, 100].map((threshold) => `budget ${month} organization ${threshold}`),
    ),
  );
  assert.deepEqual(
    events.map(({ failed }) => failed),
    [false, false, true, false, false, true],
  );
});

test('the budget source reports only the highest of several thresholds', async () => {
  const { work, events } = budgetSource({ rows: rowsFrom('2026-06-01', '2026-06-10', 9) });

  await work('2026-06-10', { mayWait: true });

  assert.deepEqual(
    events.map(({ headline }) => headline),
    ['The budget of the organization is 80 % used'],
  );
  assert.match(
    events[0]?.details ?? '',
    /^90 of 100 standard credits \(90 %\) from 2026-06-01 to 2026-06-10 \(UTC\)\nAt this pace usage reaches the limit on 2026-06-12: 270 standard credits by 2026-06-30$/,
  );
});

test('the budget source raises the same event again if its memory was not saved (a crash between)', async () => {
  const rows = rowsFrom('2026-06-01', '2026-06-10', 5);
  const first = budgetSource({ rows });
  const second = budgetSource({ rows });

  await first.work('2026-06-10', { mayWait: true });
  await second.work('2026-06-10', { mayWait: true });

  assert.equal(first.events[0]?.id, second.events[0]?.id);
});

test('the budget source is silent about a threshold it remembers, whatever the history forgot', async () => {
  const rows = rowsFrom('2026-06-01', '2026-06-10', 5);
  const { work, memory } = budgetSource({ rows });
  await work('2026-06-10', { mayWait: true });

  const again = budgetSource({ rows, memory });
  await again.work('2026-06-10', { mayWait: true });

  assert.deepEqual(again.events, []);
});

for (const { name, last } of [
  { name: 'a day that is missing', last: [] },
  { name: 'a day of zeros', last: rowsFrom('2026-06-11', '2026-06-11', 0) },
]) {
  test(`the budget source waits for ${name}, and never takes it for unusual`, async () => {
    const { work, events } = budgetSource({
      rows: [...rowsFrom('2026-06-01', '2026-06-10', 9), ...last],
      policy: { anomaly: { floor: 1, users: false } },
    });

    assert.equal(await work('2026-06-11', { mayWait: true }), 'waiting');
    assert.deepEqual(events, []);
    assert.equal(await work('2026-06-11', { mayWait: false }), 'waiting');
    assert.deepEqual(
      events.map(({ event }) => event),
      ['budget.threshold'],
    );
  });
}

test('the budget source reports an unusual day, and names the day', async () => {
  const { work, events } = budgetSource({
    rows: [...rowsFrom('2026-06-01', '2026-06-10', 1), ...rowsFrom('2026-06-11', '2026-06-11', 30)],
    policy: { anomaly: { floor: 10, users: false } },
  });

  await work('2026-06-11', { mayWait: true });

  assert.deepEqual(
    events.map(({ headline, details }) => [headline, details]),
    [
      [
        'Unusual usage of standard credits on 2026-06-11 (UTC)',
        'the organization: 30 standard credits (usually 1)',
      ],
    ],
  );
});
