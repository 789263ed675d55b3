import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cellText } from '../../../src/cli/vendor/column.ts';
import { createDirectory, OrganizationUser } from '../../../src/vendor/client/organization.ts';
import { routes } from '../../../src/vendor/client/index.ts';
import { createPaged } from '../../../src/vendor/client/pagination.ts';
import { jsonPathOf } from '../../../src/vendor/client/parse-response.ts';
import {
  compareCriteria,
  criterionWarning,
  newestReportsFirst,
  ReadinessReport,
  reportCardView,
} from '../../../src/vendor/client/readiness.ts';
import { createBreaker, createRequestQueue } from '../../../src/vendor/client/request-queue.ts';
import {
  ApiSession,
  childUsage,
  sessionPhase,
  sessionCredits,
  writableTags,
} from '../../../src/vendor/client/sessions.ts';
import { readErrorBody } from '../../../src/vendor/client/status-error.ts';
import { report, session } from './samples.ts';

test('createDirectory() finds people among users without id or address, and takes no such address for a domain', async () => {
  const users = [{ id: 'u1', email: ' Ada@X.test ' }, { id: 'u2' }, { email: 'b@y.test' }].map(
    (user) => OrganizationUser.parse(user),
  );
  async function* pages() {
    yield { items: users, badItems: [], next: null, raw: null };
  }
  const directory = createDirectory(
    () => createPaged(pages),
    () => 0,
  );

  assert.equal((await directory.byEmail('ada@x.TEST'))?.id, 'u1');
  assert.equal((await directory.byId('u2'))?.id, 'u2');
  assert.equal(await directory.byId('u3'), null);
  assert.equal(await directory.hasDomainOf('new@x.test'), true);
  for (const email of ['new@z.test', 'x.test', '@x.test', '']) {
    assert.equal(await directory.hasDomainOf(email), false, email);
  }
});

test('jsonPathOf() quotes names that are not identifiers', () => {
  assert.equal(jsonPathOf(['a', 3, 'b_c', 'd-e', 'say "x"']), '$.a[3].b_c["d-e"]["say \\"x\\""]');
  assert.equal(jsonPathOf([]), '$');
});

const never = (): Promise<void> => new Promise(() => {});

test('createRequestQueue() ends its wait when the last job leaves, and names a reason that is not an error', async () => {
  const settings = { concurrency: 1, requestsPerSecond: 1, burst: 1 };
  const sleeps: AbortSignal[] = [];
  const queue = createRequestQueue(
    settings,
    () => 0,
    (_, signal) => {
      if (signal !== undefined) sleeps.push(signal);
      return never();
    },
  );
  const job = { priority: 'foreground', access: 'read', task: () => Promise.resolve(1) } as const;
  await queue.run({ ...job, signal: new AbortController().signal });
  const [one, other] = [new AbortController(), new AbortController()];
  const first = queue.run({ ...job, signal: one.signal });
  const second = queue.run({ ...job, signal: other.signal });

  one.abort('enough');
  await assert.rejects(first, /^Error: The call was aborted$/);
  assert.equal(sleeps.at(-1)?.aborted, false);
  other.abort(new Error('Too'));
  await assert.rejects(second, /^Error: Too$/);

  assert.equal(sleeps.at(-1)?.aborted, true);
});

test('createBreaker() lets a single trial call pass after a minute, and the others when it has ended', () => {
  let at = 0;
  const breaker = createBreaker(() => at);
  for (let failure = 0; failure < 5; failure += 1) {
    assert.equal(breaker.enter(), 0);
    breaker.failed();
  }
  assert.equal(breaker.enter(), 60_000);

  at = 60_000;
  assert.deepEqual([breaker.enter(), breaker.enter()], [0, 5_000]);
  breaker.gaveUp();
  assert.equal(breaker.enter(), 0);
  breaker.failed();
  assert.equal(breaker.enter(), 60_000);
  at = 120_000;
  assert.equal(breaker.enter(), 0);
  breaker.succeeded();

  assert.deepEqual([breaker.enter(), breaker.enter()], [0, 0]);
});

for (const { fields, phase } of [
  { fields: { status: 'idle' }, phase: 'done' },
  { fields: { status: 'finished' }, phase: 'done' },
  { fields: { status: 'aborted', completedAt: 1 }, phase: 'failed' },
  { fields: { status: 'asleep', completedAt: 1 }, phase: 'done' },
  { fields: { status: 'asleep', completedAt: null }, phase: 'unknown' },
  { fields: { status: null }, phase: 'unknown' },
  { fields: { status: null, completedAt: 0 }, phase: 'done' },
]) {
  test(`sessionPhase() of ${JSON.stringify(fields)} is ${phase}`, () => {
    const { sessions } = routes['sessions.list'].response.parse({
      sessions: [session(fields)],
      pagination: {},
    });

    assert.deepEqual(sessions.map(sessionPhase), [phase]);
  });
}

test('a session shows credits, child sessions and tags as far as they have the expected shape', () => {
  const { columns } = routes['sessions.get'].view;
  const shown = (fields: object): readonly string[] =>
    ['service credits', 'child sessions', 'tags'].map((name) => {
      const column = columns.find((one) => one.name === name);
      return column === undefined ? 'no column' : cellText(session(fields), column);
    });
  const usage = { a: { serviceCredits: 12_345 }, b: {}, c: 'odd' };

  assert.deepEqual(shown({}), ['-', '-', '-']);
  assert.deepEqual(
    shown({
      sessionSettings: {
        tokenUsage: { serviceCredits: 7 },
        childInclusiveTokenUsageBySessionId: usage,
        tags: [{ name: 'x' }, { name: 'y' }],
      },
    }),
    ['7', 'a: 12,345\nb\nc', 'x, y'],
  );
  // Unreadable as a session: the other columns are still shown.
  assert.deepEqual(shown({ createdAt: 'soon', sessionSettings: { tags: 'odd' } }), ['-', '-', '-']);
});

test('childUsage() and sessionCredits() of a session without settings are empty', () => {
  const plain = ApiSession.parse(session());

  assert.equal(childUsage(plain).size, 0);
  assert.equal(sessionCredits(plain), null);
});

test('writableTags() gives every tag the name and the metadata that the interface requires', () => {
  assert.deepEqual(writableTags([{}, { name: 'a', metadata: { b: 1 } }]), [
    { name: '', metadata: {} },
    { name: 'a', metadata: { b: 1 } },
  ]);
});

test('criterionWarning() names a numerator that is missing first', () => {
  assert.equal(criterionWarning({}), 'numerator is missing');
  assert.equal(criterionWarning({ numerator: null, denominator: 0 }), 'numerator is missing');
});

test('compareCriteria() takes a report without criteria for one that has none', () => {
  const empty = ReadinessReport.parse(report({ report: null }));
  const full = ReadinessReport.parse(report({ report: { a: {} } }));

  assert.deepEqual(compareCriteria(empty, full), { added: ['a'], removed: [], changed: [] });
  assert.deepEqual(compareCriteria(full, empty), { added: [], removed: ['a'], changed: [] });
});

test('the views of a report count criteria, and show applications, as far as they are readable', () => {
  const list = routes['readiness.list'].view.columns;
  const cells = (fields: object): readonly string[] =>
    [...list, ...reportCardView.columns]
      .filter(({ name }) => /criteria|passed|commit|applications/.test(name))
      .map((column) => cellText(report(fields), column));

  assert.deepEqual(cells({}), ['-', '0', '0', '-', '-']);
  assert.deepEqual(
    cells({
      commitHash: 'abcdef0123456789',
      report: {
        all: { numerator: 2, denominator: 2 },
        some: { numerator: 1, denominator: 2 },
        nothing: { numerator: 0, denominator: 0 },
        odd: 'x',
      },
      apps: { '.': { description: 'The shop' }, docs: { description: '' }, lib: 5 },
    }),
    ['abcdef01', '3', '1', 'abcdef0123456789', '.: The shop\ndocs\nlib'],
  );
});

test('newestReportsFirst() puts reports without a time last', () => {
  const sorted = newestReportsFirst([{ id: 1 }, { id: 2, createdAt: 5 }, { id: 3, createdAt: 9 }]);

  assert.deepEqual(
    sorted.map(({ id }) => id),
    [3, 2, 1],
  );
});

for (const { name, body, detail } of [
  {
    name: 'reasons by field, each with its text',
    body: { errors: { email: ['is taken', { message: 'is short' }], age: 'is low' } },
    detail: 'email is taken, is short; age is low',
  },
  {
    name: 'reasons without any text as if there were none',
    body: { message: 'Invalid', errors: { email: [{}, 5], age: {}, name: [] } },
    detail: 'Invalid',
  },
  {
    name: 'the reasons that have a text among others without',
    body: { errors: { email: [{}, 'is taken', 5] } },
    detail: 'email is taken',
  },
  {
    name: 'the places of reasons',
    body: { detail: [{ loc: ['body', 'limit'], msg: 'too big' }, { field: 'a', code: 'odd' }, {}] },
    detail: 'body.limit: too big; a: odd',
  },
  {
    name: 'five of many reasons, and how many more there are',
    body: { errors: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
    detail: 'a; b; c; d; e; and 2 more',
  },
]) {
  test(`readErrorBody() shows ${name}`, () => {
    assert.equal(readErrorBody(JSON.stringify(body), new Headers()).detail, detail);
  });
}
