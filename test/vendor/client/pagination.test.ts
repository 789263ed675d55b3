import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { Page } from '../../../src/vendor/client/index.ts';
import { ForbiddenError, PaginationError } from '../../../src/vendor/client/index.ts';
import { isJsonObject } from '../../../src/platform/json.ts';
import { report, session } from './samples.ts';
import { json, openService, queryOf, rejection } from './service.ts';

const sessions = (ids: readonly string[], pagination: object): ReturnType<typeof json> =>
  json({ sessions: ids.map((sessionId) => session({ sessionId })), pagination });
const reports = (...ids: readonly string[]): ReturnType<typeof json> =>
  json({ reports: ids.map((reportId) => report({ reportId })) });

const to = (nextCursor: string): ReturnType<typeof json> =>
  sessions(['x'], { hasMore: true, nextCursor });

test('acceptance 107, A10, A11: pages are walked by cursor, empty ones too, until hasMore is not true', async () => {
  await using service = await openService(
    sessions(['a'], { hasMore: true, nextCursor: 'c1' }),
    sessions([], { hasMore: true, nextCursor: '' }),
    sessions(['b'], { hasMore: null, nextCursor: 'c3' }),
  );

  const found = await service.client().sessions.list({ limit: 50 }).all({ max: 99 });

  assert.deepEqual(
    found.map(({ sessionId }) => sessionId),
    ['a', 'b'],
  );
  assert.deepEqual(
    service.base.requests.map(({ path }) => queryOf(path)),
    [{ limit: '50' }, { limit: '50', cursor: 'c1' }, { limit: '50', cursor: '' }],
  );
});

test('A10: more without a cursor gives the page first and then fails', async () => {
  await using service = await openService(sessions(['a'], { hasMore: true }));
  const found: string[] = [];

  const walk = async (): Promise<void> => {
    for await (const { sessionId } of service.client().sessions.list()) found.push(sessionId);
  };
  const error = await rejection(walk(), PaginationError);

  assert.deepEqual(found, ['a']);
  assert.match(error.message, /returned no cursor/);
});

test('C4: all() rejects with the items of the pages before the one that failed, kept out of logs', async () => {
  await using service = await openService(
    sessions(['a', 'b'], { hasMore: true, nextCursor: 'c1' }),
    sessions(['c'], { hasMore: true, nextCursor: 'c2' }),
    json({ detail: 'No more for you' }, 403),
  );

  const error = await rejection(service.client().sessions.list().all({ max: 99 }), ForbiddenError);

  assert.deepEqual(
    error.received.map((item) => isJsonObject(item) && item['sessionId']),
    ['a', 'b', 'c'],
  );
  assert.doesNotMatch(`${inspect(error)}${JSON.stringify(error)}`, /sessionId/);
});

test('C4: an error of a call without pages has received nothing', async () => {
  await using service = await openService(json({}, 403));

  const error = await rejection(service.client().sessions.get({ sessionId: 's' }), ForbiddenError);

  assert.deepEqual(error.received, []);
});

test('A11: a cycle of cursors ends the walk', async () => {
  await using service = await openService(to('A'), to('B'), to('A'));

  const error = await rejection(service.client().sessions.list().all({ max: 99 }), PaginationError);

  assert.match(error.message, /repeated the cursor "A"/);
  assert.equal(service.base.requests.length, 3);
});

test('A11: a cursor that leads back to where the walk began ends it', async () => {
  await using service = await openService(sessions([], { hasMore: true, nextCursor: 'A' }));

  await rejection(
    service.client().sessions.list({ cursor: 'A' }).all({ max: 99 }),
    PaginationError,
  );

  assert.equal(service.base.requests.length, 1);
});

test('A11: an endless walk is given up after a maximum of pages', async () => {
  await using service = await openService();
  const api = service.client({
    fetch: async (url) => {
      const next = Number(new URL(url).searchParams.get('cursor') ?? 0) + 1;
      const body = { sessions: [], pagination: { hasMore: true, nextCursor: String(next) } };
      return Response.json(body);
    },
  });

  const byDefault = await rejection(api.sessions.list().all({ max: 1 }), PaginationError);
  const asked = await rejection(
    api.sessions.list({}, { maxPages: 3 }).all({ max: 1 }),
    PaginationError,
  );

  assert.match(byDefault.message, /after 1000 pages/);
  assert.match(asked.message, /after 3 pages/);
});

test('all() stops asking at the most it may take, and each walk starts anew', async () => {
  await using service = await openService(
    sessions(['a', 'b', 'c'], { hasMore: true, nextCursor: 'n' }),
  );
  const list = service.client().sessions.list();

  assert.equal((await list.all({ max: 2 })).length, 2);
  assert.equal((await list.all({ max: 3 })).length, 3);
  assert.deepEqual(await list.all({ max: 0 }), []);

  assert.deepEqual(service.calls(), ['GET /api/v0/sessions', 'GET /api/v0/sessions']);
});

test('pages() returns where to continue and what the service sent', async () => {
  await using service = await openService(
    sessions(['a'], { hasMore: true, nextCursor: 'n' }),
    sessions(['b'], { hasMore: false, nextCursor: 'stale' }),
  );

  const pages: Page<unknown>[] = [];
  for await (const page of service.client().sessions.list().pages()) pages.push(page);

  assert.deepEqual(
    pages.map(({ next }) => next),
    ['n', null],
  );
  assert.deepEqual(pages[0]?.raw, {
    sessions: [session({ sessionId: 'a' })],
    pagination: { hasMore: true, nextCursor: 'n' },
  });
});

test('acceptance 094, 095, A22: readiness goes on from the last report, and ends with nothing new', async () => {
  await using service = await openService(reports('r3', 'r1'), reports('r1', 'r2'), reports('r2'));

  const found = await service.client().readiness.list({ repoId: 'x' }).all({ max: 99 });

  assert.deepEqual(
    found.map(({ reportId }) => reportId),
    ['r3', 'r1', 'r2'],
  );
  assert.deepEqual(
    service.app.requests.map(({ path }) => queryOf(path)),
    [{ repoId: 'x' }, { repoId: 'x', startAfter: 'r1' }, { repoId: 'x', startAfter: 'r2' }],
  );
});

test('acceptance 095: an empty page ends the walk over reports, a short one does not', async () => {
  await using service = await openService(reports('r1'), reports('r2'), reports());

  const found = await service.client().readiness.list({ limit: 50 }).all({ max: 99 });

  assert.equal(found.length, 2);
  assert.equal(service.app.requests.length, 3);
});

test('acceptance 095: a page of nothing but unreadable reports cannot be gone on from', async () => {
  await using service = await openService(json({ reports: [{ repoUrl: 'x' }] }));

  await rejection(service.client().readiness.list().all({ max: 9 }), PaginationError);
});
