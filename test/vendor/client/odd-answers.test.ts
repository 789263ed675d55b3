import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  ApiConnectionError,
  BadRequestError,
  MissingKeyError,
  PaginationError,
  RateLimitError,
  rawPages,
  RedirectError,
  ResponseShapeError,
  AuthError,
} from '../../../src/vendor/client/index.ts';
import { report, session } from './samples.ts';
import { json, openService, rejection } from './service.ts';

const RANGE = { startDate: '2026-03-01', endDate: '2026-03-02' };

test('a redirect without a new address says which setting to check', async () => {
  await using service = await openService();
  service.base.answer({ status: 302 }, { status: 302, headers: { location: 'http://[' } });
  service.app.answer({ status: 308 });
  const api = service.client();
  const get = (): Promise<unknown> => api.sessions.get({ sessionId: 's1' });

  const none = await rejection(get(), RedirectError);
  const broken = await rejection(get(), RedirectError);
  const app = await rejection(api.readiness.list().all({ max: 1 }), RedirectError);

  assert.match(none.message, /returned 302 without a new address; check base_url/);
  assert.match(broken.message, /returned 302 without a new address; check base_url/);
  assert.match(app.message, /returned 308 without a new address; check app_url/);
});

test('a response that is nested too deep to process is refused, and not asked for again', async () => {
  await using service = await openService({ status: 200, body: '['.repeat(2_000) });

  const error = await rejection(
    service.client().sessions.get({ sessionId: 's1' }),
    ResponseShapeError,
  );

  assert.match(error.message, /the response is nested too deep/);
  assert.equal(service.base.requests.length, 1);
});

function brokenKey(): string {
  AbortSignal.abort('gone').throwIfAborted();
  return 'never';
}

test('a key that cannot be read is missing, whatever its reader throws', async () => {
  await using service = await openService();
  const error = await rejection(
    service.client({ apiKey: brokenKey }).sessions.get({ sessionId: 's1' }),
    MissingKeyError,
  );

  assert.match(error.message, /the API key is not readable/);
  assert.equal(error.cause, 'gone');
});

test('a refusal is reported as such where the key cannot be reread', async () => {
  await using service = await openService(json({ detail: 'Expired' }, 401));
  let reads = 0;
  const apiKey = async (): Promise<string> => {
    reads += 1;
    if (reads > 1) throw new Error('The file is gone');
    return 'key-for-tests-1234';
  };

  const error = await rejection(
    service.client({ apiKey }).sessions.get({ sessionId: 's1' }),
    AuthError,
  );

  assert.match(error.message, /Expired/);
  assert.deepEqual([reads, service.base.requests.length], [2, 1]);
});

test('a call that may not wait fails during a pause of the service, and sends nothing', async () => {
  await using service = await openService(json({}, 429, { 'retry-after': '30' }), json(session()));
  const api = service.client();
  const once = { maxRetries: 0 };
  await rejection(api.sessions.get({ sessionId: 's1' }, once), RateLimitError);

  const error = await rejection(api.sessions.get({ sessionId: 's1' }, once), RateLimitError);
  const short = await rejection(
    api.sessions.get({ sessionId: 's1' }, { totalTimeoutMs: 20_000 }),
    RateLimitError,
  );

  assert.match(error.message, /the service asked for a pause, 30 s remaining/);
  assert.deepEqual([error.retryAfterMs, short.retryAfterMs], [30_000, 30_000]);
  assert.equal(service.base.requests.length, 1);
});

test('a call that may wait is sent when the pause of the service is over', async () => {
  await using service = await openService(json({}, 429, { 'retry-after': '30' }), json(session()));
  const api = service.client();
  await rejection(api.sessions.get({ sessionId: 's1' }, { maxRetries: 0 }), RateLimitError);

  const { sessionId } = await api.sessions.get({ sessionId: 's1' });

  assert.equal(sessionId, 's1');
  assert.deepEqual(service.waits, [30_000]);
});

test('a call whose time is over before its turn was never sent', async () => {
  await using service = await openService('silence');
  const api = service.client({ requestQueue: { concurrency: 1 } });
  const first = new AbortController();
  const arrived = service.base.nextRequest();
  const busy = api.sessions.get({ sessionId: 's1' }, { signal: first.signal });
  await arrived;

  const error = await rejection(
    api.sessions.get({ sessionId: 's2' }, { totalTimeoutMs: 20 }),
    ApiConnectionError,
  );

  assert.match(error.message, /no connection \(TIMEOUT\)/);
  assert.deepEqual([error.attempts, service.base.requests.length], [0, 1]);
  first.abort(new Error('Enough'));
  await assert.rejects(busy, /^Error: Enough$/);
});

test('a list of analytics with more but no cursor fails after its first page', async () => {
  const row = { date: '2026-03-01', user_id: 'u1' };
  await using service = await openService(
    json({ data: [row], meta: { has_more: true, next_cursor: null } }),
  );

  const error = await rejection(
    service.client().analytics.users(RANGE).all({ max: 9 }),
    PaginationError,
  );

  assert.match(error.message, /reports more pages but returned no cursor/);
  assert.equal(error.received.length, 1);
});

test('a walk over reports that never ends is given up after a maximum of pages', async () => {
  await using service = await openService();
  let made = 0;
  service.app.answer(() => {
    made += 1;
    return json({ reports: [report({ reportId: `r${made}` })] });
  });

  const error = await rejection(
    service.client().readiness.list({}, { maxPages: 2 }).all({ max: 9 }),
    PaginationError,
  );

  assert.match(error.message, /paging did not end after 2 pages/);
  assert.deepEqual([made, error.received.length], [2, 2]);
});

for (const { name, body, items } of [
  { name: 'a list is its items', body: [1, 2], items: [1, 2] },
  { name: 'an object with one list is that list', body: { a: 1, list: [1] }, items: [1] },
  {
    name: 'an object with two lists is one item',
    body: { one: [1], other: [2] },
    items: [{ one: [1], other: [2] }],
  },
  { name: 'an object without a list is one item', body: { a: 1 }, items: [{ a: 1 }] },
  { name: 'a text is one item', body: 'up', items: ['up'] },
]) {
  test(`rawPages(): ${name}`, async () => {
    await using service = await openService(json(body));

    const pages = [];
    for await (const page of rawPages(service.client().request, '/x')) pages.push(page.items);

    assert.deepEqual(pages, [items]);
  });
}

test('rawPages() goes on after the last report, and ends with a page that has none', async () => {
  await using service = await openService(
    json({ reports: [{ reportId: 'r1' }, { reportId: 'r2' }] }),
    json({ reports: [] }),
  );
  const options = { query: { limit: '2' } };

  const pages = [];
  for await (const page of rawPages(service.client().request, '/x', options)) pages.push(page);

  assert.deepEqual(
    pages.map(({ items, next }) => [items.length, next]),
    [
      [2, 'r2'],
      [0, null],
    ],
  );
  assert.deepEqual(service.calls(), ['GET /x?limit=2', 'GET /x?limit=2&startAfter=r2']);
});

test('a raw request to the configured path of readiness goes to its address', async () => {
  await using service = await openService(json({ reports: [] }));

  await service.client({ readinessPath: '/ready' }).request('GET', '/ready');

  assert.deepEqual(
    service.app.requests.map(({ path }) => path),
    ['/ready'],
  );
});

test('setLimits() of an entry that the service names without a limit or an error says just that', async () => {
  await using service = await openService(
    json({ updated: [{ email: 'A@x.test' }], errors: [{ email: 'b@x.test', error: null }] }),
  );

  const { outcomes } = await service.client().organization.setLimits([
    { email: 'a@x.test', limit: 1 },
    { email: 'b@x.test', limit: 2 },
    { email: 'c@x.test', limit: 3 },
  ]);

  assert.deepEqual(outcomes, [
    { email: 'a@x.test', limit: 1, outcome: 'updated', returned: null },
    { email: 'b@x.test', limit: 2, outcome: 'refused', error: '' },
    { email: 'c@x.test', limit: 3, outcome: 'no-answer', reason: 'unnamed' },
  ]);
});

test('setLimits() that is aborted rejects with the reason instead of a report', async () => {
  await using service = await openService(json({}));
  const signal = AbortSignal.abort(new Error('Enough'));

  await assert.rejects(
    service.client().organization.setLimits([{ email: 'a@x.test', limit: 1 }], { signal }),
    /^Error: Enough$/,
  );
});

test('a refused set of limits shows the reasons of each field', async () => {
  await using service = await openService(json({ errors: { users: ['are too many'] } }, 400));

  const { failure } = await service
    .client()
    .organization.setLimits([{ email: 'a@x.test', limit: 1 }]);

  assert.ok(failure instanceof BadRequestError);
  assert.match(failure.message, /users are too many/);
});
