import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Effect } from '../../support/reference-service/faults/effects.ts';
import type { Mock } from '../../support/reference-service/reference-server.ts';
import { ask, object, openMock, rows, text, WEEK } from './ask.ts';

const USERS = '/api/v0/organization/users';
const REPORTS = '/api/organization/maturity-level-reports';

interface Seen {
  readonly ids: string[];
  readonly more: unknown;
  readonly next: unknown;
}

async function page(mock: Mock, cursor?: string, limit = 5): Promise<Seen> {
  const suffix = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const { status, json, text: body } = await ask(mock, `${USERS}?limit=${limit}${suffix}`);
  assert.equal(status, 200, body);
  const { hasMore, nextCursor } = object(json['pagination']);
  return { ids: rows(json, 'users').map(({ id }) => text(id)), more: hasMore, next: nextCursor };
}

/** Walks as a client without any guard does, up to `most` pages. */
async function walk(mock: Mock, most = 9): Promise<Seen[]> {
  const pages: Seen[] = [];
  let cursor: string | undefined;
  while (pages.length < most) {
    const seen = await page(mock, cursor);
    pages.push(seen);
    if (seen.more !== true || typeof seen.next !== 'string') break;
    cursor = seen.next;
  }
  return pages;
}

function fault(mock: Mock, effect: Effect, nth?: number): void {
  mock.fault({ match: { path: USERS, ...(nth === undefined ? {} : { nth }) }, effect });
}

test('A walk sees every item once; the last page has hasMore false and an empty cursor', async () => {
  await using mock = await openMock();

  const pages = await walk(mock);

  assert.deepEqual(
    pages.map(({ ids, more }) => [ids.length, more]),
    [
      [5, true],
      [5, true],
      [2, false],
    ],
  );
  assert.equal(new Set(pages.flatMap(({ ids }) => ids)).size, 12);
  assert.equal(pages.at(-1)?.next, '');
});

test('analytics users: the cursor is the id of the last user of the page, and pages do not overlap', async () => {
  await using mock = await openMock();
  const seen: string[] = [];
  let cursor = '';

  for (let more = true; more;) {
    const suffix = cursor === '' ? '' : `&cursor=${cursor}`;
    const { json } = await ask(mock, `/api/v1/analytics/users?${WEEK}&limit=5${suffix}`);
    const meta = object(json['meta']);
    seen.push(...new Set(rows(json, 'data').map((row) => text(row['user_id']))));
    more = meta['has_more'] === true;
    cursor = text(meta['next_cursor']);
    if (more) assert.match(cursor, /^user_/);
  }

  assert.equal(new Set(seen).size, seen.length);
  assert.ok(seen.length >= 10);
});

test('A cursor continues its own question only: other parameters are a 400', async () => {
  await using mock = await openMock();
  const { next } = await page(mock);

  const other = await ask(mock, `${USERS}?limit=6&cursor=${String(next)}`);

  assert.equal(other.status, 400);
});

test('readiness: startAfter walks over all nine, and the filter keeps one repository', async () => {
  await using mock = await openMock();
  const ids: string[] = [];
  const sizes: number[] = [];

  for (let after = ''; ; after = `?startAfter=${ids.at(-1)}`) {
    const reports = rows((await ask(mock, REPORTS + after)).json, 'reports');
    sizes.push(reports.length);
    if (reports.length === 0) break;
    ids.push(...reports.map(({ reportId }) => text(reportId)));
  }
  const filtered = await ask(mock, `${REPORTS}?repoId=repo_api&limit=100`);
  const unknown = await ask(mock, `${REPORTS}?repoId=repo_none`);

  assert.deepEqual(sizes, [4, 4, 1, 0]);
  assert.equal(new Set(ids).size, 9);
  assert.equal(rows(filtered.json, 'reports').length, 3);
  assert.deepEqual(unknown.json, { reports: [] });
});

test('sessions: computerId keeps the sessions of one computer, by get as well', async () => {
  await using mock = await openMock();
  const [computer, other] = mock.state().computers;

  const { json } = await ask(mock, `/api/v0/sessions?limit=100&computerId=${computer?.id}`);

  const found = rows(json, 'sessions');
  assert.ok(found.length > 0 && found.length < 47);
  assert.ok(found.every(({ computerId }) => computerId === computer?.id));
  const path = `/api/v0/sessions/${text(found[0]?.['sessionId'])}`;
  assert.equal((await ask(mock, `${path}?computerId=${computer?.id}`)).status, 200);
  assert.equal((await ask(mock, `${path}?computerId=${other?.id}`)).status, 404);
});

test('cursor repeated: the second page names the cursor that was just sent', async () => {
  await using mock = await openMock();
  fault(mock, { kind: 'cursor', fault: 'repeated' });

  const [first, second, third] = await walk(mock, 3);

  assert.equal(second?.next, first?.next);
  assert.deepEqual(third, second);
});

test('cursor cyclic: A, B, A, B', async () => {
  await using mock = await openMock();
  fault(mock, { kind: 'cursor', fault: 'cyclic' });

  const cursors = (await walk(mock, 5)).map(({ next }) => next);

  const [a, b] = cursors;
  assert.notEqual(a, b);
  assert.deepEqual(cursors, [a, b, a, b, a]);
});

for (const [name, expected] of [
  ['missing', undefined],
  ['null', null],
] as const) {
  test(`cursor ${name}: hasMore is true without a cursor`, async () => {
    await using mock = await openMock();
    fault(mock, { kind: 'cursor', fault: name });

    const { ids, more, next } = await page(mock);

    assert.deepEqual([ids.length, more, next], [5, true, expected]);
  });
}

test('cursor empty: "" is a cursor like any other, and no item is lost', async () => {
  await using mock = await openMock();
  fault(mock, { kind: 'cursor', fault: 'empty' }, 1);

  const pages = await walk(mock);

  assert.deepEqual([pages[0]?.more, pages[0]?.next], [true, '']);
  assert.equal(new Set(pages.flatMap(({ ids }) => ids)).size, 12);
});

test('page empty: a page without items leads to the rest', async () => {
  await using mock = await openMock();
  fault(mock, { kind: 'page', fault: 'empty' }, 2);

  const pages = await walk(mock);

  assert.deepEqual(
    pages.map(({ ids }) => ids.length),
    [5, 0, 5, 2],
  );
  assert.equal(new Set(pages.map(({ next }) => next)).size, 4);
});

test('page short: fewer items than asked for, none lost', async () => {
  await using mock = await openMock();
  fault(mock, { kind: 'page', fault: 'short' }, 1);

  const pages = await walk(mock);

  assert.deepEqual(
    pages.map(({ ids }) => ids.length),
    [3, 5, 4],
  );
});

test('page overlapping: the last item of one page is the first of the next', async () => {
  await using mock = await openMock();
  fault(mock, { kind: 'page', fault: 'overlapping' }, 2);

  const [first, second, third] = await walk(mock);

  assert.equal(second?.ids[0], first?.ids.at(-1));
  assert.equal(second?.ids.length, 6);
  assert.equal(third?.ids.length, 2);
});

test('readiness: repeated, empty, short and overlapping pages', async () => {
  await using mock = await openMock();
  const all = rows((await ask(mock, `${REPORTS}?limit=9`)).json, 'reports');
  const ids = all.map(({ reportId }) => text(reportId));
  const after = async (effect: Effect): Promise<string[]> => {
    const answered = await ask(mock, `${REPORTS}?startAfter=${ids[3]}`, {
      headers: { 'x-ref-fault': JSON.stringify(effect) },
    });
    return rows(answered.json, 'reports').map(({ reportId }) => text(reportId));
  };

  assert.deepEqual(await after({ kind: 'cursor', fault: 'repeated' }), ids.slice(0, 4));
  assert.deepEqual(await after({ kind: 'page', fault: 'empty' }), []);
  assert.deepEqual(await after({ kind: 'page', fault: 'short' }), ids.slice(4, 6));
  assert.deepEqual(await after({ kind: 'page', fault: 'overlapping' }), ids.slice(3, 8));
});
