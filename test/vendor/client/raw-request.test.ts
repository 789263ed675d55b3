import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AmbiguousWriteError, ServerError, UsageError } from '../../../src/vendor/client/index.ts';
import { json, openService, rejection } from './service.ts';

test('a raw request sends what a typed call refuses, with query, body and key', async () => {
  await using service = await openService(json({ any: 'thing' }, 201, { 'x-request-id': 'r1' }));

  const { status, headers, body } = await service
    .client()
    .request('patch', '/api/v0/computers/c1', { query: { a: 'b c' }, body: { name: '' } });

  assert.deepEqual([status, headers.get('x-request-id'), body], [201, 'r1', { any: 'thing' }]);
  const [request] = service.base.requests;
  assert.equal(`${request?.method} ${request?.path}`, 'PATCH /api/v0/computers/c1?a=b+c');
  assert.equal(request?.body, '{"name":""}');
});

test('a raw request accepts responses that are not JSON, or empty', async () => {
  await using service = await openService({ status: 200, body: 'plain' }, { status: 204 });
  const api = service.client();

  assert.equal((await api.request('GET', '/status')).body, 'plain');
  assert.equal((await api.request('DELETE', '/x')).body, null);
});

test('acceptance 089: a raw request goes to the address of its route, or to a given one', async () => {
  await using service = await openService(json({}));
  const api = service.client();

  await api.request('GET', '/api/organization/maturity-level-reports');
  await api.request('GET', '/other', { address: 'app' });
  await api.request('GET', '/other');

  assert.deepEqual(
    service.app.requests.map(({ path }) => path),
    ['/api/organization/maturity-level-reports', '/other'],
  );
  assert.deepEqual(service.calls(), ['GET /other']);
});

for (const path of [
  'https://evil.test/',
  '//evil.test/x',
  '/\\evil.test',
  'api/v0/sessions',
  '/api/../x',
  '/api/%2e%2E/x',
  '/a/.',
  '/a b',
  '/a?b=c',
  '/a#b',
]) {
  test(`a raw request to ${path} is refused`, async () => {
    await using service = await openService();

    await rejection(service.client().request('GET', path), UsageError);

    assert.equal(service.base.requests.length, 0);
  });
}

test('a raw request needs a method of HTTP', async () => {
  await using service = await openService();

  await rejection(service.client().request('BREW', '/x'), UsageError);
});

test('a raw read is repeated, an unknown write is not', async () => {
  await using service = await openService(json({}, 500), json({}));
  const api = service.client();
  await api.request('GET', '/x');
  assert.equal(service.base.requests.length, 2);

  service.base.answer(json({}, 500));
  const error = await rejection(api.request('POST', '/x'), AmbiguousWriteError);

  assert.ok(error.cause instanceof ServerError);
  assert.equal(service.base.requests.length, 3);
});
