import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ask, knownIds, number, object, openMock, rows } from './ask.ts';

const LIMITS = '/api/v0/organization/usage/limits/users';

function idleSession(mock: Awaited<ReturnType<typeof openMock>>): string {
  const session = mock.state().sessions.find(({ status }) => status === 'idle');
  if (session === undefined) throw new Error('No session is idle');
  return `/api/v0/sessions/${session.sessionId}`;
}

test('sessions.update: the settings sent are replaced, all others stay', async () => {
  await using mock = await openMock();
  const path = `/api/v0/sessions/${knownIds(mock).sessionId}`;
  const before = (await ask(mock, path)).json;

  const body = { sessionSettings: { tags: [{ name: 'done' }] } };
  const answered = (await ask(mock, path, { method: 'PATCH', body })).json;

  const expected = { ...object(before['sessionSettings']), tags: [{ name: 'done' }] };
  assert.deepEqual(answered['sessionSettings'], expected);
  assert.deepEqual((await ask(mock, path)).json, answered);
});

test('sessions.addMessage: the message can be read back, and the session works and then rests', async () => {
  await using mock = await openMock();
  const path = idleSession(mock);
  const before = (await ask(mock, path)).json;

  const sent = await ask(mock, `${path}/messages`, { method: 'POST', body: { text: 'Go on' } });
  const message = (await ask(mock, `${path}/messages/${String(sent.json['messageId'])}`)).json;
  const states: unknown[] = [];
  for (const ms of [0, 2_000, 20_000]) {
    mock.clock.advance(ms);
    const { status, messageCount } = (await ask(mock, path)).json;
    states.push([status, Number(messageCount) - Number(before['messageCount'])]);
  }

  assert.equal(sent.json['status'], 'pending');
  assert.equal(message['role'], 'user');
  assert.equal(rows(message, 'content')[0]?.['text'], 'Go on');
  assert.deepEqual(states, [
    ['pending', 1],
    ['running', 1],
    ['idle', 2],
  ]);
});

test('computers.update: the new name is found, the old one is not', async () => {
  await using mock = await openMock();
  const { computerId, computerName } = knownIds(mock);

  await ask(mock, `/api/v0/computers/${computerId}`, { method: 'PATCH', body: { name: 'ü/1' } });

  const found = await ask(mock, `/api/v0/computers/name/${encodeURIComponent('ü/1')}`);
  assert.equal(found.json['id'], computerId);
  assert.equal((await ask(mock, `/api/v0/computers/name/${computerName}`)).status, 404);
});

test('computers.installDeps: the failed step runs again, and the computer is active in the end', async () => {
  await using mock = await openMock();
  const failed = mock.state().computers.find(({ status }) => status === 'error');
  const path = `/api/v0/computers/${failed?.id}`;

  const retried = (await ask(mock, `${path}/install-deps`, { method: 'POST' })).json;
  mock.clock.advance(30_000);
  const later = (await ask(mock, path)).json;

  const [, step] = rows(retried, 'provisioningSteps');
  assert.equal(retried['status'], 'provisioning');
  assert.deepEqual([step?.['status'], step?.['error']], ['installing', undefined]);
  assert.equal(later['status'], 'active');
  assert.equal(typeof rows(later, 'provisioningSteps')[1]?.['completedAt'], 'number');
});

test('org.setLimits: every entry is updated or has its error; e-mails are compared without case', async () => {
  await using mock = await openMock();
  const users = ['ADA@example.com', 'nobody@example.com', 'lena@example.com'].map((email) => ({
    email,
    limit: 5,
  }));

  const { json } = await ask(mock, LIMITS, { method: 'PUT', body: { users } });

  assert.deepEqual(json, {
    updated: [{ email: 'ADA@example.com', limit: 5 }],
    errors: [
      { email: 'nobody@example.com', error: 'User not found in organization' },
      { email: 'lena@example.com', error: 'Guests have no credit limit' },
    ],
  });
  assert.deepEqual([...mock.state().limits], [['ada@example.com', 5]]);
});

for (const [fault, expected] of [
  ['errors', { updated: [5_000_000], errors: ['Could not be updated, try again'] }],
  ['silence', { updated: [5_000_000], errors: [] }],
  ['clamp', { updated: [5_000_000, 1_000_000], errors: [] }],
] as const) {
  test(`limits ${fault}: every second entry meets it`, async () => {
    await using mock = await openMock({ faults: [{ effect: { kind: 'limits', fault } }] });
    const users = ['ada', 'bruno'].map((name) => ({
      email: `${name}@example.com`,
      limit: 5_000_000,
    }));

    const { json } = await ask(mock, LIMITS, { method: 'PUT', body: { users } });

    assert.deepEqual(
      {
        updated: rows(json, 'updated').map(({ limit }) => limit),
        errors: rows(json, 'errors').map(({ error }) => error),
      },
      expected,
    );
  });
}

test('work: a scenario writes to three idle sessions in turn, and each goes over pending and running to idle', async () => {
  await using mock = await openMock();
  const idle = mock.state().sessions.filter(({ status }) => status === 'idle');
  const [first, second] = idle.map(({ sessionId, messages }) => ({
    path: `/api/v0/sessions/${sessionId}`,
    before: messages.length,
  }));
  mock.scenario('work');

  const states: unknown[] = [];
  const counts: unknown[] = [];
  for (const ms of [0, 2_000, 8_000, 12_000, 10_000]) {
    mock.clock.advance(ms);
    const one = (await ask(mock, first?.path ?? '')).json;
    const other = (await ask(mock, second?.path ?? '')).json;
    states.push(`${String(one['status'])} ${String(other['status'])}`);
    counts.push(number(one['messageCount']) - (first?.before ?? 0));
  }

  assert.deepEqual(states, [
    'pending idle',
    'running idle',
    'running pending',
    'idle running',
    'idle idle',
  ]);
  assert.deepEqual(counts, [1, 1, 1, 2, 2]);
});

test('computer-fails: a scenario makes a second computer fail, with a session to look at', async () => {
  await using mock = await openMock();
  mock.scenario('computer-fails');

  const computers = rows((await ask(mock, '/api/v0/computers')).json, 'computers');

  assert.equal(computers.filter(({ status }) => status === 'error').length, 2);
});

test('spike: a scenario makes yesterday the most expensive day by far', async () => {
  await using mock = await openMock();
  const path = '/api/v1/analytics/tokens?startDate=2026-07-14&endDate=2026-07-14';
  const before = rows((await ask(mock, path)).json, 'data')[0];

  mock.scenario('spike');
  const after = rows((await ask(mock, path)).json, 'data')[0];

  assert.ok(Number(after?.['billable_tokens']) > 3 * Number(before?.['billable_tokens']));
});

test('incident: a computer fails, credits spike and some requests meet a 503', async () => {
  await using mock = await openMock();
  mock.scenario('incident');

  const statuses: number[] = [];
  for (let turn = 0; turn < 40; turn += 1) {
    statuses.push((await ask(mock, '/api/v0/computers')).status);
  }

  assert.equal(mock.state().computers.filter(({ status }) => status === 'error').length, 2);
  assert.deepEqual(new Set(statuses), new Set([200, 503]));
});
