import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from 'zod';

import type {
  AnalyticsResult,
  GroupedTokenRow,
  TokenRow,
} from '../../../../src/vendor/client/index.ts';
import {
  BadRequestError,
  ResponseShapeError,
  UsageError,
  daysOf,
} from '../../../../src/vendor/client/index.ts';
import { analytics } from '../samples.ts';
import type { TestService } from '../service.ts';
import { json, openService, queryOf, rejection } from '../service.ts';

const RANGE = { startDate: '2026-03-01', endDate: '2026-03-02' };
const LONG = { startDate: '2026-01-14', endDate: '2026-03-14' };

/** A service that has a row for every day it is asked for, and refuses ranges of more days than it likes. */
function rowsForDays(longest: number, refusal = 'Range too long'): { fetch: typeof answer } {
  async function answer(url: string): Promise<Response> {
    const query = queryOf(url);
    const range = { startDate: query['startDate'] ?? '', endDate: query['endDate'] ?? '' };
    const days = daysOf(range);
    if (days.length > longest) return Response.json({ detail: refusal }, { status: 400 });
    return Response.json(analytics(days.toReversed().map((date) => ({ date, tool_calls: 1 }))));
  }
  return { fetch: answer };
}

const Raw = z.looseObject({
  meta: z.looseObject({ has_more: z.boolean(), next_cursor: z.string() }),
});

/** The first of what comes; the walk ends there. */
async function arrayOfOne<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  for await (const item of items) return [item];
  return [];
}

function rangesOf(service: TestService): string[] {
  return service.base.requests.map(({ path }) => {
    const { startDate, endDate } = queryOf(path);
    return `${startDate}/${endDate}`;
  });
}

for (const [what, body, path] of [
  ['data is missing', { meta: {} }, '$.data'],
  ['meta is missing', { data: [] }, '$.meta'],
  ['data is no list', { data: {}, meta: {} }, '$.data'],
  ['the answer is a list', [], '$'],
] as const) {
  test(`acceptance 033, 034, 226: ${what}: a typed error with endpoint and path`, async () => {
    await using service = await openService(json(body));

    const error = await rejection(service.client().analytics.tokens(RANGE), ResponseShapeError);

    assert.equal(error.jsonPath, path);
    assert.equal(error.path, '/api/v1/analytics/tokens');
    assert.equal(error.route, 'analytics.tokens');
  });
}

test('acceptance 035, 036, 037: rows of days and the echo of the range, with no cursor needed', async () => {
  const row = { date: '2026-03-01', by_model: [{ model_id: 'm', billable_tokens: 2 }] };
  await using service = await openService(json(analytics([row])));

  const { data, meta } = await service.client().analytics.tokens(RANGE);

  assert.deepEqual(data, [row]);
  assert.deepEqual(meta, { org_id: 'o1', start_date: '2026-03-01', end_date: '2026-03-02' });
});

test('acceptance 038: rows of a group are flat and have a separate type', async () => {
  const row = { date: '2026-03-01', group_key: 'm', billable_tokens: 2 };
  await using service = await openService(json(analytics([row])));
  const api = service.client();

  // The annotations are the test: neither would take the other's result.
  const grouped: AnalyticsResult<GroupedTokenRow> = await api.analytics.tokens({
    ...RANGE,
    group_by: 'model',
  });
  const days: AnalyticsResult<TokenRow> = await api.analytics.tokens(RANGE);

  assert.equal(grouped.data[0]?.group_key, 'm');
  // @ts-expect-error A row of a day has no group key that is known to be text.
  const key: string = days.data[0]?.group_key;
  assert.equal(key, 'm');
});

test('acceptance 226: a grouped row without its key is set aside, the others stay', async () => {
  const good = { date: '2026-03-01', group_key: 'm' };
  await using service = await openService(json(analytics([{ date: '2026-03-01' }, good])));

  const { data, badItems } = await service
    .client()
    .analytics.tokens({ ...RANGE, group_by: 'model' });

  assert.deepEqual(data, [good]);
  assert.deepEqual(badItems[0]?.jsonPath, '$.data[0].group_key');
});

test('acceptance 081: an end of today is refused, and a raw request shows the text of the service', async () => {
  await using service = await openService(json({ detail: 'Today is not available' }, 400));
  const api = service.client();
  const range = { startDate: '2026-03-01', endDate: '2026-03-15' };

  await rejection(api.analytics.tokens(range), UsageError);
  assert.equal(service.base.requests.length, 0);
  const raw = api.request('GET', '/api/v1/analytics/tokens', { query: range });

  assert.match((await rejection(raw, BadRequestError)).message, /Today is not available/);
});

test('acceptance 083: a moved start is sent and reported', async () => {
  await using service = await openService(json(analytics([])));
  const range = { startDate: '2026-01-01', endDate: '2026-01-20' };

  const { warnings } = await service.client().analytics.tokens(range);

  assert.deepEqual(rangesOf(service), ['2026-01-14/2026-01-20']);
  assert.match(warnings.join(), /startDate moved/);
});

test('acceptance 219, A14: a long range is asked in windows of 31 days and merged without loss', async () => {
  await using service = await openService();
  const api = service.client(rowsForDays(31));

  const { data, missingDays } = await api.analytics.tools(LONG);

  assert.deepEqual(
    data.map(({ date }) => date),
    daysOf(LONG),
  );
  assert.deepEqual(missingDays, []);
});

test('A14: a window that is refused for its length is halved until it passes', async () => {
  await using service = await openService();

  const { data } = await service.client(rowsForDays(5)).analytics.tools(LONG);

  assert.deepEqual(
    data.map(({ date }) => date),
    daysOf(LONG),
  );
});

test('A14: "date range" speaks of the length', async () => {
  await using service = await openService();
  const api = service.client(rowsForDays(5, 'The date range is too long'));

  assert.equal((await api.analytics.tools(LONG)).data.length, daysOf(LONG).length);
});

test('A14: a refusal that speaks of dates, or of a single day, is not asked in halves', async () => {
  await using service = await openService(json({ detail: 'Invalid date' }, 400));
  await rejection(service.client().analytics.tools(RANGE), BadRequestError);
  assert.equal(service.base.requests.length, 1);

  service.base.answer(json({ detail: 'No' }, 400));
  await rejection(
    service.client().analytics.tools({ startDate: '2026-03-01', endDate: '2026-03-01' }),
    BadRequestError,
  );
  assert.equal(service.base.requests.length, 2);
});

test('acceptance 086, 219, A13: rows are sorted, repeats dropped, and those outside the range too', async () => {
  const rows = ['2026-03-02', '2026-03-01', '2026-03-01', '2026-02-28', '2026-03-03'].map(
    (date, index) => ({ date, tool_calls: index }),
  );
  await using service = await openService(json(analytics(rows)));
  const api = service.client();

  const { data } = await api.analytics.tools(RANGE);

  assert.deepEqual(data, [
    { date: '2026-03-01', tool_calls: 1 },
    { date: '2026-03-02', tool_calls: 0 },
  ]);
  assert.deepEqual(
    api.drift().map(({ kind, count }) => [kind, count]),
    [
      ['duplicate', 1],
      ['out-of-range', 2],
    ],
  );
});

test('acceptance 088: days without a row are named, not made up', async () => {
  await using service = await openService(json(analytics([{ date: '2026-03-13' }])));

  const { data, missingDays } = await service
    .client()
    .analytics.activity({ startDate: '2026-03-12', endDate: '2026-03-14' });

  assert.equal(data.length, 1);
  assert.deepEqual(missingDays, ['2026-03-12', '2026-03-14']);
});

test('acceptance 082: a job steps back one day, once, when the service takes yesterday for today', async () => {
  const refusal = json({ detail: 'endDate must not be today' }, 400);
  await using service = await openService(refusal, json(analytics([{ date: '2026-03-13' }])));
  const range = { startDate: '2026-03-13', endDate: '2026-03-14' };
  const job = { stepBack: true };

  const { data, warnings } = await service.client().analytics.tools(range, job);
  assert.equal(data.length, 1);
  assert.match(warnings.join(), /"2026-03-14" is omitted/);
  assert.deepEqual(rangesOf(service), ['2026-03-13/2026-03-14', '2026-03-13/2026-03-13']);

  service.base.answer(refusal);
  await rejection(service.client().analytics.tools(range, job), BadRequestError);
  await rejection(service.client().analytics.tools(range), BadRequestError);
  assert.equal(service.base.requests.length, 5);
});

function userRow(user_id: string, date = '2026-03-01'): object {
  return { user_id, date };
}

test('acceptance 084, 085, A12: users are walked by next_cursor with the same parameters, whatever the count', async () => {
  await using service = await openService(
    json(
      analytics([userRow('u1'), userRow('u1', '2026-03-02')], {
        has_more: true,
        next_cursor: 'u1',
      }),
    ),
    json(analytics([userRow('u1'), userRow('u2')], { has_more: false, next_cursor: 'u2' })),
  );

  const rows = await service
    .client()
    .analytics.users({ ...RANGE, limit: 50 })
    .all({ max: 99 });

  const query = { ...RANGE, limit: '50' };
  assert.deepEqual(
    service.base.requests.map(({ path }) => queryOf(path)),
    [query, { ...query, cursor: 'u1' }],
  );
  assert.deepEqual(rows, [userRow('u1'), userRow('u2'), userRow('u1', '2026-03-02')]);
});

test('acceptance 087: a user and day that came on an earlier page counts once', async () => {
  const row = { user_id: 'u1', date: '2026-03-01', tool_calls: 3 };
  await using service = await openService(
    json(analytics([row], { has_more: true, next_cursor: 'u1' })),
    json(
      analytics(
        [
          { ...row, tool_calls: 4 },
          { ...row, user_id: 'u2' },
        ],
        { has_more: false },
      ),
    ),
  );

  const rows = await service.client().analytics.users(RANGE).all({ max: 99 });

  assert.deepEqual(rows, [row, { ...row, user_id: 'u2' }]);
});

test('acceptance 219: users of a long range are walked window by window', async () => {
  await using service = await openService(json(analytics([], { has_more: false })));

  await service.client().analytics.users(LONG).all({ max: 9 });

  assert.deepEqual(rangesOf(service), ['2026-01-14/2026-02-13', '2026-02-14/2026-03-14']);
});

/** Pages of a user each, with cursors that belong to one range alone, as the service has them. */
function usersByRange(count: number): { fetch: (url: string) => Promise<Response> } {
  return {
    fetch: async (url) => {
      const { startDate = '', endDate = '', cursor } = queryOf(url);
      const scope = `${startDate}${endDate}`;
      const at = cursor === undefined ? 0 : Number(cursor.replace(`${scope}:`, ''));
      if (Number.isNaN(at)) return Response.json({ detail: 'Unknown cursor' }, { status: 400 });
      const has_more = at + 1 < count;
      const next_cursor = has_more ? `${scope}:${at + 1}` : '';
      return Response.json(analytics([userRow(`u${at}`, startDate)], { has_more, next_cursor }));
    },
  };
}

// A test before this one pinned that a cursor is sent with the whole range, which the service answers with 400.
test('acceptance 085, 219: a long range of users can be walked by hand, by one cursor over all windows (C3)', async () => {
  await using service = await openService();
  const api = service.client(usersByRange(3));
  const found: string[] = [];
  const cursors: string[] = [];
  let cursor: string | undefined;

  do {
    const question = cursor === undefined ? LONG : { ...LONG, cursor };
    const [page] = await arrayOfOne(api.analytics.users(question).pages());
    found.push(...(page?.items ?? []).map(({ user_id: user, date }) => `${user} ${date}`));
    cursor = page?.next ?? undefined;
    const { meta } = Raw.parse(page?.raw);
    assert.deepEqual([meta.has_more, meta.next_cursor], [cursor !== undefined, cursor ?? '']);
    if (cursor !== undefined) cursors.push(cursor);
  } while (cursor !== undefined);

  const days = ['2026-01-14', '2026-02-14'];
  assert.deepEqual(
    found,
    days.flatMap((day) => ['u0', 'u1', 'u2'].map((user) => `${user} ${day}`)),
  );
  assert.equal(cursors[2], 'window:2026-02-14');
  const rest = await api.analytics.users({ ...LONG, cursor: cursors[1] ?? '' }).all({ max: 99 });
  assert.equal(rest.length, 4);
});

test('acceptance 085: a cursor of a range in one window stays the one of the service', async () => {
  await using service = await openService();
  const { analytics: asked } = service.client(usersByRange(2));

  const [page] = await arrayOfOne(asked.users(RANGE).pages());

  assert.equal(page?.next, '2026-03-012026-03-02:1');
});

for (const cursor of ['u1', 'window:2026-04-01', 'window:2026-02-01:2026-01-20:x', 'window:x']) {
  test(`acceptance 219: the cursor "${cursor}" of another range is refused, with what to pass instead (C3)`, async () => {
    await using service = await openService(json(analytics([])));
    const { analytics: asked } = service.client();

    assert.throws(() => asked.users({ ...LONG, cursor }), {
      name: 'UsageError',
      message:
        /cursor ".*" does not belong to this range: more than 31 days are requested in windows/,
    });
    assert.deepEqual(service.base.requests, []);
  });
}
