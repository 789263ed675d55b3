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

/** A single day with these credits, by user and in total. */
function dayOfUsers(date: string, credits: Readonly<Record<string, number>>): readonly TokenRow[] {
  const by_user = Object.entries(credits).map(([user_email, billable_tokens]) => ({
    user_email,
    billable_tokens,
  }));
  const billable_tokens = by_user.reduce((sum, user) => sum + user.billable_tokens, 0);
  const data = [{ date, billable_tokens, by_user }];
  return routes['analytics.tokens'].response.parse({ data, meta: {} }).data;
}

test('the budget source says whom a budget concerns where it is of one user, and what the credits cost', async () => {
  const { work, events } = budgetSource({
    rows: dayOfUsers('2026-06-01', { 'ada@x.test': 60 }),
    policy: {
      organization: null,
      users: { '*': 100 },
      rate: { price: 2, per: 10, currency: 'EUR' },
    },
  });

  await work('2026-06-01', { mayWait: true });

  assert.deepEqual(
    events.map(({ id, about, headline }) => [id, about, headline]),
    [
      [
        'budget 2026-06-01 user/ada@x.test 50',
        'budget/user/ada@x.test',
        'The budget of user ada@x.test is 50 % used',
      ],
    ],
  );
  assert.match(events[0]?.details ?? '', /\(UTC\), about 12\.00 EUR \(estimate\)$/m);
  assert.deepEqual(Object.keys(events[0]?.payload ?? {}).at(-1), 'concerns');
});

test('the budget source names no person of an unusual day of several users', async () => {
  const { work, events } = budgetSource({
    rows: dayOfUsers('2026-06-11', { 'ada@x.test': 60, 'ben@x.test': 70 }),
    policy: { organization: null, anomaly: { floor: 10, users: true } },
  });

  await work('2026-06-11', { mayWait: true });

  assert.equal(
    events[0]?.details,
    [
      'the organization: 130 standard credits (too few days of data to compare)',
      'user ada@x.test: 60 standard credits (too few days of data to compare)',
      'user ben@x.test: 70 standard credits (too few days of data to compare)',
    ].join('\n'),
  );
  assert.deepEqual(Object.keys(events[0]?.payload ?? {}), ['asOf', 'anomalies']);
});

for (const { name, organization, line } of [
  {
    name: 'usage stays below the limit',
    organization: 295,
    line: 'At this pace usage stays below the limit: 270 standard credits by 2026-06-30',
  },
  {
    name: 'the limit was reached',
    organization: 180,
    line: 'The limit was reached on 2026-06-20; at this pace usage will be 270 standard credits by 2026-06-30',
  },
]) {
  test(`the budget source says of a pace at which ${name} when, and which days have no data`, async () => {
    const { work, events } = budgetSource({
      rows: [
        ...rowsFrom('2026-06-01', '2026-06-10', 9),
        ...rowsFrom('2026-06-12', '2026-06-21', 9),
      ],
      policy: { organization },
    });

    await work('2026-06-21', { mayWait: true });

    const [, ...lines] = events[0]?.details.split('\n') ?? [];
    assert.deepEqual(lines, [line, 'No data, not in the sum: 2026-06-11']);
  });
}

test('the budget source waits for a day whose row has no amount', async () => {
  const rows = routes['analytics.tokens'].response.parse({
    data: [{ date: '2026-06-11', billable_tokens: null }],
    meta: {},
  }).data;

  assert.equal(await budgetSource({ rows }).work('2026-06-11', { mayWait: true }), 'waiting');
});

test('the budget source projects nothing where no day of the last four weeks is known', async () => {
  const { work, events } = budgetSource({ rows: rowsFrom('2026-07-01', '2026-07-01', 60) });

  await work('2026-07-31', { mayWait: false });

  const [first, second, ...others] = events[0]?.details.split('\n') ?? [];
  assert.match(first ?? '', /^60 of 100 standard credits \(60 %\)/);
  assert.match(second ?? '', /^No data, not in the sum: 2026-07-02, .*, 2026-07-31$/);
  assert.deepEqual(others, []);
});
