import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Effect } from '../../support/reference-service/faults/effects.ts';
import type { Mock } from '../../support/reference-service/reference-server.ts';
import { ask, NOW, object, openMock, rows, WEEK, YESTERDAY } from './ask.ts';

const TOKENS = `/api/v1/analytics/tokens?${WEEK}`;

/** One request that carries its own fault. */
function askWith(mock: Mock, path: string, ...effects: readonly Effect[]) {
  return ask(mock, path, { headers: { 'x-ref-fault': JSON.stringify(effects) } });
}

test('batch late: yesterday is missing', async () => {
  await using mock = await openMock();

  const data = rows((await askWith(mock, TOKENS, { kind: 'batch', fault: 'late' })).json, 'data');

  assert.deepEqual([data.length, data.at(-1)?.['date']], [6, '2026-07-13']);
});

test('batch zero: yesterday is there and empty', async () => {
  await using mock = await openMock();

  const data = rows((await askWith(mock, TOKENS, { kind: 'batch', fault: 'zero' })).json, 'data');

  const last = data.at(-1);
  assert.deepEqual(
    [data.length, last?.['date'], last?.['billable_tokens'], last?.['by_model']],
    [7, YESTERDAY, 0, []],
  );
});

test('max-span: a longer range is a 400, one as long passes', async () => {
  await using mock = await openMock();

  assert.equal((await askWith(mock, TOKENS, { kind: 'max-span', days: 6 })).status, 400);
  assert.equal((await askWith(mock, TOKENS, { kind: 'max-span', days: 7 })).status, 200);
});

test('skew: a clock a day behind takes yesterday for today, and its Date header says so', async () => {
  await using mock = await openMock();

  const answered = await askWith(mock, TOKENS, { kind: 'skew', ms: -86_400_000 });

  assert.equal(answered.status, 400);
  assert.equal(answered.headers.get('date'), new Date(NOW - 86_400_000).toUTCString());
});

test('revoke-key: the walk breaks at the page it meets, and the key stays revoked', async () => {
  await using mock = await openMock();
  mock.fault({ match: { path: '*/tokens', nth: 2 }, effect: { kind: 'revoke-key' } });

  const statuses: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) statuses.push((await ask(mock, TOKENS)).status);
  const other = await ask(mock, TOKENS, { key: mock.keys.manager });

  assert.deepEqual(statuses, [200, 401, 401]);
  assert.equal(other.status, 200);
});

test('role: the owner counts as a member', async () => {
  await using mock = await openMock();

  assert.equal((await askWith(mock, TOKENS, { kind: 'role', role: 'member' })).status, 403);
});

for (const status of [403, 404] as const) {
  test(`v0-off: v0 answers ${status}, analytics goes on`, async () => {
    await using mock = await openMock({ faults: [{ effect: { kind: 'v0-off', status } }] });

    assert.equal((await ask(mock, '/api/v0/sessions')).status, status);
    assert.equal((await ask(mock, TOKENS)).status, 200);
  });
}

test('list-status: items of the session list carry their status', async () => {
  await using mock = await openMock();

  const { json } = await askWith(mock, '/api/v0/sessions', { kind: 'list-status' });

  assert.ok(rows(json, 'sessions').every(({ status }) => typeof status === 'string'));
});

test('shuffle: the same rows in another order', async () => {
  await using mock = await openMock();
  const sorted = rows((await ask(mock, TOKENS)).json, 'data').map(({ date }) => String(date));

  const { json } = await askWith(mock, TOKENS, { kind: 'shuffle' });

  const dates = rows(json, 'data').map(({ date }) => String(date));
  assert.notDeepEqual(dates, sorted);
  assert.deepEqual(
    dates.toSorted((one, other) => one.localeCompare(other)),
    sorted,
  );
});

test('field extra, null, missing and retyped reach any depth, and leave the data as it is', async () => {
  await using mock = await openMock();
  const path = '/api/v0/computers';

  const { json } = await askWith(
    mock,
    path,
    { kind: 'field', fault: 'extra' },
    { kind: 'field', fault: 'extra', at: 'computers.*' },
    { kind: 'field', fault: 'null', at: 'computers.*.status' },
    { kind: 'field', fault: 'missing', at: 'computers.*.providerType' },
    { kind: 'field', fault: 'retyped', at: 'computers.*.createdAt' },
    { kind: 'field', fault: 'retyped', at: 'computers.*.name' },
  );
  const untouched = (await ask(mock, path)).json;

  const [first] = rows(json, 'computers');
  assert.deepEqual(json['surpriseField'], { isNew: true });
  assert.deepEqual(first?.['surpriseField'], { isNew: true });
  assert.equal(first?.['status'], null);
  assert.ok(first !== undefined && !('providerType' in first));
  assert.deepEqual([typeof first['createdAt'], first['name']], ['string', 42]);
  assert.equal(rows(json, 'computers')[3]?.['status'], undefined);
  assert.equal(rows(untouched, 'computers')[0]?.['providerType'], 'byom');
});

test('field retyped: a list becomes an object, an object a string', async () => {
  await using mock = await openMock();

  const list = await askWith(mock, TOKENS, { kind: 'field', fault: 'retyped', at: 'data' });
  const meta = await askWith(mock, TOKENS, { kind: 'field', fault: 'retyped', at: 'meta' });

  assert.deepEqual(object(list.json['data']), { not: 'a list' });
  assert.equal(meta.json['meta'], 'not an object');
});

test('bad-item: one item of the list is not an object', async () => {
  await using mock = await openMock();

  const { json } = await askWith(mock, '/api/v0/computers', { kind: 'bad-item', index: 2 });

  const computers = json['computers'];
  assert.ok(Array.isArray(computers));
  assert.deepEqual(
    computers.map((item: unknown) => typeof item),
    ['object', 'object', 'string', 'object', 'object', 'object'],
  );
});
