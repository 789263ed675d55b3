import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ask, knownIds, openMock, WEEK } from './ask.ts';

const TOKENS = '/api/v1/analytics/tokens';
const REPORTS = '/api/organization/maturity-level-reports';

test('A manager reads analytics as the owner does', async () => {
  await using mock = await openMock();

  const answered = await ask(mock, `${TOKENS}?${WEEK}`, { key: mock.keys.manager });

  assert.equal(answered.status, 200);
});

for (const key of ['member', 'guest', 'jwt'] as const) {
  test(`v0: the ${key} may ask, since the document states no role`, async () => {
    await using mock = await openMock();

    assert.equal((await ask(mock, '/api/v0/computers', { key: mock.keys[key] })).status, 200);
  });
}

test('analytics: an error has exactly title, detail, status and requestId', async () => {
  await using mock = await openMock();

  const { json, headers } = await ask(mock, `${TOKENS}?startDate=2026-07-15&endDate=2026-07-15`);

  assert.deepEqual(json, {
    title: 'Bad Request',
    detail: 'Data is available through yesterday (UTC), "2026-07-14"',
    status: 400,
    requestId: headers.get('x-request-id'),
  });
});

test('v0: error bodies take turns: problem JSON, {message}, {error: {message}}, text, nothing', async () => {
  await using mock = await openMock();

  const forms: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const { headers, text } = await ask(mock, '/api/v0/computers/x');
    forms.push(`${headers.get('content-type')} ${text.replaceAll(/"req_\d+"/g, 'ID')}`);
  }

  assert.deepEqual(forms, [
    'application/problem+json {"type":"about:blank","title":"Not Found","detail":"No computer \\"x\\"","status":404,"requestId":ID}',
    'application/json {"message":"No computer \\"x\\""}',
    'application/json {"error":{"message":"No computer \\"x\\""}}',
    'text/plain; charset=utf-8 No computer "x"',
    'null ',
    'application/problem+json {"type":"about:blank","title":"Not Found","detail":"No computer \\"x\\"","status":404,"requestId":ID}',
  ]);
});

test('The two addresses are kept apart: neither serves what the other does', async () => {
  await using mock = await openMock();
  const headers = { authorization: `Bearer ${mock.keys.owner}` };

  const mixedUp = await fetch(`${mock.baseUrl}${REPORTS}`, { headers });
  const otherWay = await fetch(`${mock.appUrl}/api/v0/computers`, { headers });

  assert.deepEqual([mixedUp.status, otherWay.status], [404, 404]);
});

test('install-deps: 202, and 409 while it runs', async () => {
  await using mock = await openMock();
  const path = `/api/v0/computers/${knownIds(mock).computerId}/install-deps`;

  const first = await ask(mock, path, { method: 'POST' });
  const second = await ask(mock, path, { method: 'POST' });
  mock.clock.advance(60_000);
  const later = await ask(mock, path, { method: 'POST' });

  assert.deepEqual([first.status, second.status, later.status], [202, 409, 202]);
});

test('expiring: the key is good for a number of requests, then 401', async () => {
  await using mock = await openMock({ expiringUses: 2 });

  const statuses: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    statuses.push((await ask(mock, '/api/v0/computers', { key: mock.keys.expiring })).status);
  }

  assert.deepEqual(statuses, [200, 200, 401, 401]);
});

test('A body of more than 20 MB is a 413, and adds nothing', async () => {
  await using mock = await openMock();
  const { sessionId } = knownIds(mock);
  const before = mock.state().sessions[0]?.messages.length;

  const answered = await ask(mock, `/api/v0/sessions/${sessionId}/messages`, {
    method: 'POST',
    body: { text: 'x'.repeat(20 * 1024 * 1024) },
  });

  assert.equal(answered.status, 413);
  assert.equal(mock.state().sessions[0]?.messages.length, before);
});
