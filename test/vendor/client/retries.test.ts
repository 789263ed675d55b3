import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client, RateLimitNote } from '../../../src/vendor/client/index.ts';
import {
  ApiConnectionError,
  ApiError,
  CircuitOpenError,
  RateLimitError,
  ResponseShapeError,
  ServerError,
} from '../../../src/vendor/client/index.ts';
import { openHttpEndpoint } from '../../support/http-endpoint.ts';
import type { ScriptedAnswer } from '../../support/scripted-answer.ts';
import { session } from './samples.ts';
import { NOON, json, openService, rejection } from './service.ts';

const good = json(session());
const get = (api: Client): Promise<unknown> => api.sessions.get({ sessionId: 's1' });
const update = (api: Client): Promise<unknown> =>
  api.sessions.update({ sessionId: 's1', sessionSettings: { model: 'm' } });

const whole = JSON.stringify(session());

/** Responses after which a read is sent again. */
const passing: readonly (readonly [string, ScriptedAnswer])[] = [
  ['a reset before the headers', 'reset'],
  ['a reset in the middle of the body', 'reset-midway'],
  ['500', json({}, 500)],
  ['503 without a body', { status: 503 }],
  ['429', json({}, 429)],
  ['half a document', { status: 200, body: whole.slice(0, 40) }],
  ['an empty 200', { status: 200, body: '' }],
  ['a broken gzip stream', { status: 200, headers: { 'content-encoding': 'gzip' }, body: whole }],
];

for (const [what, answer] of passing) {
  test(`acceptance 207, 218: a read is sent again after ${what}`, async () => {
    await using service = await openService(answer, good);

    await get(service.client());

    assert.equal(service.base.requests.length, 2);
    assert.deepEqual(service.waits, [500]);
  });
}

test('an idempotent write is sent again after a lost answer', async () => {
  await using service = await openService('reset', good);

  await update(service.client());

  assert.deepEqual(service.calls(), ['PATCH /api/v0/sessions/s1', 'PATCH /api/v0/sessions/s1']);
});

test('acceptance 207: after two retries a server error is thrown with its request id', async () => {
  await using service = await openService(json({ title: 'Oops', requestId: 'req_7' }, 500));

  const error = await rejection(get(service.client()), ServerError);

  assert.deepEqual([error.attempts, error.requestId, error.status], [3, 'req_7', 500]);
  assert.match(error.message, /500: Oops \(request id "req_7"\)/);
  assert.deepEqual(service.waits, [500, 1_000]);
});

test('acceptance 218: waits double up to 8 s and lose up to a quarter', async () => {
  await using service = await openService(json({}, 500));

  await rejection(get(service.client({ random: () => 0.999999 })), ServerError);
  await rejection(
    service.client().sessions.get({ sessionId: 's1' }, { maxRetries: 6 }),
    ServerError,
  );

  assert.deepEqual(service.waits, [375, 750, 500, 1_000, 2_000, 4_000, 8_000, 8_000]);
});

for (const status of [400, 401, 403, 404, 409, 413, 418, 422]) {
  test(`acceptance 200, 206, 210: ${status} is final`, async () => {
    await using service = await openService(json({}, status), good);

    await rejection(get(service.client()), ApiError);

    assert.equal(service.base.requests.length, 1);
  });
}

const inSevenSeconds = new Date(NOON + 7_000).toUTCString();

for (const [headers, waitMs] of [
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': inSevenSeconds, date: new Date(NOON).toUTCString() }, 7_000],
  [{ 'retry-after-ms': '1234', 'retry-after': '9' }, 1_234],
  [{ 'ratelimit-reset': '3' }, 3_000],
  [{ 'ratelimit-reset': String(NOON / 1_000 + 4) }, 4_000],
  [{ 'retry-after': 'soon' }, 500],
  [{ 'retry-after': '-3' }, 500],
  [{ 'retry-after': '0' }, 500],
] as const) {
  test(`acceptance 218, A35: ${JSON.stringify(headers).replace(/"date".*/, '…')} means ${waitMs} ms`, async () => {
    await using service = await openService(json({}, 429, headers), good);

    await get(service.client());

    assert.deepEqual(service.waits, [waitMs]);
  });
}

test('acceptance 218: the date of Retry-After is meant by the clock of the service', async () => {
  const date = new Date(NOON - 3_600_000);
  const later = new Date(NOON - 3_600_000 + 5_000);
  await using service = await openService(
    json({}, 503, { 'retry-after': later.toUTCString(), date: date.toUTCString() }),
    good,
  );

  await get(service.client());

  assert.deepEqual(service.waits, [5_000]);
});

test('acceptance 218, A35: a wait over a minute is not slept through, and the caller gets the error', async () => {
  await using service = await openService(json({}, 429, { 'retry-after': '3600' }));
  const notes: RateLimitNote[] = [];

  const error = await rejection(
    get(service.client({ onRateLimit: (note) => notes.push(note) })),
    RateLimitError,
  );

  assert.equal(error.retryAfterMs, 3_600_000);
  assert.deepEqual(service.waits, []);
  assert.deepEqual(notes, [
    { route: 'sessions.get', priority: 'foreground', retryAfterMs: 3_600_000 },
  ]);
});

test('an absurd Retry-After counts as a day', async () => {
  await using service = await openService(json({}, 429, { 'retry-after': '9'.repeat(30) }));

  const error = await rejection(get(service.client()), RateLimitError);

  assert.equal(error.retryAfterMs, 86_400_000);
});

test('a refused connection was never sent, and is tried again', async () => {
  const gone = await openHttpEndpoint();
  await gone[Symbol.asyncDispose]();
  await using service = await openService();

  const error = await rejection(get(service.client({ baseUrl: gone.url })), ApiConnectionError);

  assert.deepEqual([error.phase, error.code, error.attempts], ['connect', 'ECONNREFUSED', 3]);
  assert.equal(error.hint, 'Check the network and "api.base_url"');
});

for (const [what, answer] of [
  ['drip by drip', { status: 200, drip: '{"a":' }],
  ['in silence', 'silence'],
] as const) {
  test(`an attempt that takes too long fails, ${what}, and is sent again`, async () => {
    await using service = await openService(answer);
    const options = { timeoutMs: 100, maxRetries: 1 };

    const call = service.client().sessions.get({ sessionId: 's1' }, options);

    const { code, attempts } = await rejection(call, ApiConnectionError);
    assert.deepEqual([code, attempts], ['TIMEOUT', 2]);
  });
}

test('the total timeout ends a call whatever its retries', async () => {
  await using service = await openService('silence');

  const error = await rejection(
    service.client().sessions.get({ sessionId: 's1' }, { totalTimeoutMs: 100, maxRetries: 9 }),
    ApiConnectionError,
  );

  assert.deepEqual([error.code, error.phase, error.attempts], ['TIMEOUT', 'headers', 1]);
});

test('a wait that does not fit into the total timeout is not begun', async () => {
  await using service = await openService(json({}, 429, { 'retry-after': '20' }));

  const options = { totalTimeoutMs: 15_000 };
  await rejection(service.client().sessions.get({ sessionId: 's1' }, options), RateLimitError);

  assert.deepEqual(service.waits, []);
});

test('an aborted call rejects with the reason and is not repeated', async () => {
  await using service = await openService('silence');
  const controller = new AbortController();
  const reason = new Error('Enough');

  const call = service.client().sessions.get({ sessionId: 's1' }, { signal: controller.signal });
  await service.base.nextRequest();
  controller.abort(reason);

  await assert.rejects(call, (error) => error === reason);
  assert.equal(service.base.requests.length, 1);
});

test('an HTML response does not come from the service and is not retried', async () => {
  await using service = await openService({ status: 200, body: '<html>Please log in</html>' });

  const error = await rejection(get(service.client()), ResponseShapeError);

  assert.deepEqual([error.jsonPath, error.attempts, error.status], ['$', 1, 200]);
});

test('an answer beyond the limit is let go', async () => {
  await using service = await openService({ status: 200, flood: 50_000_000 });

  const error = await rejection(
    get(service.client({ maxAnswerBytes: 100_000 })),
    ApiConnectionError,
  );

  assert.deepEqual([error.code, error.attempts], ['TOO_LONG', 1]);
  assert.ok(service.base.flooded() < 50_000_000);
});

test('a byte order mark in front of the answer does no harm', async () => {
  await using service = await openService({ status: 200, body: `\uFEFF${whole}` });

  await get(service.client());
});

test('acceptance A35, A16: background work rests after a 429, the foreground says for how long', async () => {
  await using service = await openService(json({}, 429, { 'retry-after': '90' }), good);
  const api = service.client();
  await rejection(get(api), RateLimitError);

  const { retryAfterMs, attempts } = await rejection(get(api), RateLimitError);
  assert.deepEqual([retryAfterMs, attempts, service.waits], [90_000, 0, []]);
  await rejection(
    api.sessions.get({ sessionId: 's1' }, { priority: 'background' }),
    RateLimitError,
  );
  assert.equal(service.base.requests.length, 1);

  service.pass(90_000);
  await get(api);
});

test('acceptance A35: background work stops after five failures and returns after a minute', async () => {
  await using service = await openService(json({}, 500));
  const api = service.client();
  const background = { priority: 'background', maxRetries: 0 } as const;
  for (let call = 0; call < 5; call += 1) {
    await rejection(api.sessions.get({ sessionId: 's1' }, background), ServerError);
  }

  const error = await rejection(
    api.sessions.get({ sessionId: 's1' }, background),
    CircuitOpenError,
  );
  assert.deepEqual([error.retryAfterMs, service.base.requests.length], [60_000, 5]);
  await rejection(api.sessions.get({ sessionId: 's1' }, { maxRetries: 0 }), ServerError);

  service.base.answer(good);
  service.pass(60_000);
  await api.sessions.get({ sessionId: 's1' }, background);
});
