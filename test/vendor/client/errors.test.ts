import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { ApiError, Client } from '../../../src/vendor/client/index.ts';
import {
  AuthError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  MissingKeyError,
  NotFoundError,
  RateLimitError,
  RedirectError,
  ServerError,
  TooLargeError,
  UnexpectedStatusError,
  UnprocessableError,
} from '../../../src/vendor/client/index.ts';
import { session } from './samples.ts';
import { KEY, json, openService, rejection } from './service.ts';

const RANGE = { startDate: '2026-03-01', endDate: '2026-03-02' };
const tokens = (api: Client): Promise<unknown> => api.analytics.tokens(RANGE, { maxRetries: 0 });
const reports = (api: Client): Promise<unknown> =>
  api.readiness.list({}, { maxRetries: 0 }).all({ max: 1 });
const get = (api: Client): Promise<unknown> =>
  api.sessions.get({ sessionId: 's1' }, { maxRetries: 0 });

const classes: readonly (readonly [number, abstract new (...args: never[]) => ApiError])[] = [
  [400, BadRequestError],
  [401, AuthError],
  [403, ForbiddenError],
  [404, NotFoundError],
  [409, ConflictError],
  [413, TooLargeError],
  [422, UnprocessableError],
  [429, RateLimitError],
  [500, ServerError],
  [503, ServerError],
  [418, UnexpectedStatusError],
];

for (const [status, kind] of classes) {
  test(`acceptance 206, 208, 210, 211, 220: ${status} is a ${kind.name} at every family`, async () => {
    await using service = await openService(json({}, status));

    for (const call of [tokens, reports, get]) {
      const error = await rejection(call(service.client()), kind);
      assert.deepEqual([error.status, error.method, error.attempts], [status, 'GET', 1]);
      assert.match(error.path, /^\/api\//);
      assert.match(error.message, new RegExp(`"${error.path}": the service returned ${status}`));
    }
  });
}

test('acceptance 205, 206: an analytics error has title, detail, status and requestId, in fields and text', async () => {
  const body = { title: 'Bad Request', detail: 'Invalid date', status: 400, requestId: 'req_1' };
  await using service = await openService(json(body, 400));

  const error = await rejection(tokens(service.client()), BadRequestError);

  const { title, detail, status, requestId } = error;
  assert.deepEqual({ title, detail, status, requestId }, body);
  for (const part of ['Bad Request', 'Invalid date', '400', 'req_1']) {
    assert.ok(error.message.includes(part), part);
  }
});

for (const [what, body, detail] of [
  ['problem JSON', '{"type":"about:blank","title":"Gone","detail":"No such id"}', 'No such id'],
  ['{message}', '{"message":"No such id"}', 'No such id'],
  ['{error: {message}}', '{"error":{"message":"No such id"}}', 'No such id'],
  ['{error: text}', '{"error":"No such id"}', 'No such id'],
  ['{errors: […]}', '{"errors":[{"message":"No such id"}]}', 'No such id'],
  ['{errors: {field: […]}}', '{"errors":{"id":[{},"is unknown"]}}', 'id is unknown'],
  ['a JSON text', '"No such id"', 'No such id'],
  [
    'HTML',
    '<html><head><style>b{}</style></head><body><h1>No such</h1> id</body></html>',
    'No such id',
  ],
  ['text with control characters', 'No \u001b such\u0000\r\n id', 'No such id'],
  ['nothing', '', undefined],
  ['null', 'null', 'null'],
  ['a list', '[1,2]', undefined],
  ['wrong types', '{"detail":5,"message":{}}', undefined],
] as const) {
  test(`acceptance 209, A34: an error body of ${what} keeps status, text and raw body`, async () => {
    await using service = await openService({ status: 404, body });

    const error = await rejection(get(service.client()), NotFoundError);

    assert.deepEqual([error.status, error.detail, error.rawBody], [404, detail, body]);
  });
}

for (const header of ['x-request-id', 'request-id', 'x-amzn-requestid', 'cf-ray']) {
  test(`acceptance 209, A44: the request id comes from ${header} when the body has none`, async () => {
    await using service = await openService(json({}, 404, { [header]: 'req_9' }));

    const error = await rejection(get(service.client()), NotFoundError);

    assert.equal(error.requestId, 'req_9');
  });
}

test('acceptance 209: a long text is cut, and a page without an end is not read to it', async () => {
  await using service = await openService(
    { status: 404, body: 'x'.repeat(5_000) },
    { status: 500, flood: 50_000_000 },
  );

  const long = await rejection(get(service.client()), NotFoundError);
  const flood = await rejection(get(service.client()), ServerError);

  assert.equal(long.detail?.length, 300);
  assert.ok((flood.rawBody?.length ?? 0) <= 65_536);
});

test('acceptance 198, 201: without a key the error says where to make one, and why it may not work', async () => {
  await using service = await openService();

  for (const apiKey of [() => null, '', '  ']) {
    const error = await rejection(get(service.client({ apiKey })), MissingKeyError);
    assert.match(error.message, /no API key is configured/);
    assert.ok(error.hint?.includes(`${service.app.url}/settings/api-keys`));
    assert.match(error.hint ?? '', /restrictApiKeyCreationToManagers/);
  }
  assert.equal(service.base.requests.length, 0);
});

test('acceptance 198, 200: a refused key points to the page of keys', async () => {
  await using service = await openService(json({}, 401));

  const error = await rejection(tokens(service.client()), AuthError);

  assert.ok(error.hint?.includes(`${service.app.url}/settings/api-keys`));
});

test('acceptance 199, 203: 403 names the role analytics needs, and assumes none elsewhere', async () => {
  await using service = await openService(json({}, 403));

  const analytics = await rejection(tokens(service.client()), ForbiddenError);
  const readiness = await rejection(reports(service.client()), ForbiddenError);
  const v0 = await rejection(get(service.client()), ForbiddenError);

  assert.match(analytics.hint ?? '', /Manager or Owner/);
  assert.doesNotMatch(`${readiness.hint} ${v0.hint}`, /Manager|Owner/);
});

test('acceptance A45: a redirect is not followed, the key goes nowhere else, and the text says what to set', async () => {
  await using service = await openService();
  await using other = await openService(json(session()));
  const location = `${other.base.url}/moved?token=abc`;
  service.base.answer({ status: 302, headers: { location } });
  service.app.answer({ status: 308, headers: { location: '/elsewhere' } });

  const base = await rejection(get(service.client()), RedirectError);
  const app = await rejection(reports(service.client()), RedirectError);

  assert.ok(base.message.includes(`base_url is redirected to "${other.base.url}/moved"`));
  assert.ok(app.message.includes(`app_url is redirected to "${service.app.url}/elsewhere"`));
  assert.equal(base.message.includes('abc'), false);
  assert.equal(other.base.requests.length, 0);
});

test('acceptance 211: no error ever shows the credential, even when the service echoes it', async () => {
  const echo = {
    title: `Bearer ${KEY}`,
    detail: `Key ${KEY} is bad`,
    requestId: KEY,
    Authorization: `Bearer ${KEY}`,
  };
  for (const answer of [
    json(echo, 400, { 'x-request-id': KEY }),
    json(echo, 401),
    json(echo, 500),
    { status: 302, headers: { location: `https://x.test/?key=${KEY}` } },
    { status: 200, body: `{"key":"${KEY}"` },
    { status: 200, body: KEY },
    json({ sessionId: 5, echo }),
    'reset',
    'reset-midway',
  ] as const) {
    await using service = await openService(answer);
    const error: unknown = await get(service.client()).catch((reason: unknown) => reason);
    assert.ok(error instanceof Error);
    const shown = [inspect(error, { depth: 9 }), JSON.stringify(error), error.stack].join('\n');
    assert.equal(shown.includes(KEY), false, shown);
  }
});

test('acceptance 211: a key that fits no header is refused without being shown', async () => {
  await using service = await openService();
  const apiKey = 'two\nlines-of-key';

  const error = await rejection(get(service.client({ apiKey })), MissingKeyError);

  assert.equal(inspect(error, { depth: 9 }).includes('lines-of-key'), false);
  assert.equal(service.base.requests.length, 0);
});
