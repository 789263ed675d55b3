import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { test } from 'node:test';

import { ask, NOW, openMock, rows } from './ask.ts';

function post(mock: Awaited<ReturnType<typeof openMock>>, name: string, body: unknown) {
  return ask(mock, `/__ref/${name}`, { method: 'POST', key: null, body });
}

test('control: faults, clock, scenario and reset do what the functions do', async () => {
  await using mock = await openMock({ control: true });

  await post(mock, 'fault', { match: { times: 1 }, effect: { kind: 'status', status: 500 } });
  const broken = await ask(mock, '/api/v0/computers');
  const clock = await post(mock, 'clock', { advanceMs: 1_000 });
  await post(mock, 'scenario', { name: 'computer-fails' });
  const { json } = await ask(mock, '/__ref/state', { key: null });
  await post(mock, 'reset', {});

  assert.equal(broken.status, 500);
  assert.equal(clock.json['now'], NOW + 1_000);
  const failed = rows(json, 'computers').filter(({ status }) => status === 'error');
  assert.equal(failed.length, 2);
  assert.equal(mock.clock.now(), NOW);
  assert.deepEqual(mock.requests(), []);
});

test('control: a web page whose name leads to this machine may not read it (D15)', async () => {
  await using mock = await openMock({ control: true });

  const statuses = await Promise.all(
    ['evil.example', new URL(mock.baseUrl).host].map((host) => statusFor(mock.baseUrl, host)),
  );

  assert.deepEqual(statuses, [403, 200]);
});

/** The status of a request with this Host header; `fetch` always sends the host of the address. */
async function statusFor(baseUrl: string, host: string): Promise<number | undefined> {
  const request = get(`${baseUrl}/__ref/state`, { headers: { host } });
  const [response]: readonly IncomingMessage[] = await once(request, 'response');
  response?.resume();
  return response?.statusCode;
}

test('control: the log names the owner of the key but not the key', async () => {
  await using mock = await openMock({ control: true });
  await ask(mock, '/api/v0/computers?x=1', { key: mock.keys.manager });

  const { json, text } = await ask(mock, '/__ref/log', { key: null });

  const [entry] = rows(json, 'requests');
  assert.equal(entry?.['key'], 'manager');
  assert.deepEqual(entry['query'], { x: '1' });
  assert.ok(!text.includes(mock.keys.manager));
  assert.equal(mock.requests()[0]?.headers.authorization, `Bearer ${mock.keys.manager}`);
});

for (const [name, body] of [
  ['fault', { effect: { kind: 'explode' } }],
  ['fault', {}],
  ['fault', { match: { nth: 0 }, effect: { kind: 'empty' } }],
  ['fault', { match: { probability: 2 }, effect: { kind: 'empty' } }],
  ['fault', { effect: { kind: 'status', status: 99 } }],
  ['fault', { effect: { kind: 'status', status: 500, headers: { 'a b': 'c' } } }],
  ['fault', { effect: { kind: 'redirect', to: 'https://a.example/\r\nx: y' } }],
  ['fault', { effect: { kind: 'drip', ms: 1, bytes: 0 } }],
  ['fault', { effect: { kind: 'latency', ms: 1e12 } }],
  ['fault', { effect: { kind: 'max-span', days: 0 } }],
  ['clock', { now: 1e20 }],
  ['clock', { advanceMs: 'a' }],
  ['clock', 'no JSON'],
  ['scenario', { name: 'nothing' }],
] as const) {
  test(`control: ${name} with ${JSON.stringify(body)} is a 400`, async () => {
    await using mock = await openMock({ control: true });

    assert.equal((await post(mock, name, body)).status, 400);
  });
}

test('control: is not there unless asked for, and never for a page in a browser', async () => {
  await using closed = await openMock();
  await using open = await openMock({ control: true });

  const absent = await ask(closed, '/__ref/state');
  const unknown = await ask(open, '/__ref/nothing');
  const page = await ask(open, '/__ref/state', { headers: { origin: 'https://a.example' } });

  assert.deepEqual([absent.status, unknown.status, page.status], [404, 404, 403]);
});
