import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../../src/vendor/client/index.ts';
import { AuthError, MissingKeyError } from '../../../src/vendor/client/index.ts';
import { session } from './samples.ts';
import type { TestService } from './service.ts';
import { json, openService, rejection } from './service.ts';

const get = (api: Client): Promise<unknown> => api.sessions.get({ sessionId: 's1' });
const sent = (service: TestService): (string | undefined)[] =>
  service.base.requests.map(({ headers }) => headers.authorization);

test('acceptance 196, 197, A33: the JWT goes to /api/v0 only, everything else gets the key', async () => {
  await using service = await openService(json({ ...session(), data: [], meta: {}, reports: [] }));
  const api = service.client({ apiKey: 'the-key', jwt: 'the-jwt' });
  const range = { startDate: '2026-03-01', endDate: '2026-03-01' };

  await get(api);
  await api.request('GET', '/api/v0/sessions/s1');
  await api.request('GET', '/api/v0/not/in/the/table');
  await api.analytics.tokens(range);
  await api.request('GET', '/api/v1/not/in/the/table');
  await api.readiness.list().all({ max: 1 });
  await api.analytics.tokens(range, { credential: 'jwt' });

  const [jwt, key] = ['Bearer the-jwt', 'Bearer the-key'];
  assert.deepEqual(sent(service), [jwt, jwt, jwt, key, key, jwt]);
  assert.equal(service.app.requests[0]?.headers.authorization, key);
});

test('acceptance 197: without a JWT /api/v0 gets the key', async () => {
  await using service = await openService(json(session()));

  await get(service.client({ apiKey: 'the-key' }));

  assert.deepEqual(sent(service), ['Bearer the-key']);
});

test('acceptance 196: a JWT alone does not open analytics', async () => {
  await using service = await openService();
  await rejection(
    service
      .client({ apiKey: () => null, jwt: 'the-jwt' })
      .analytics.tokens({ startDate: '2026-03-01', endDate: '2026-03-01' }),
    MissingKeyError,
  );

  assert.equal(service.base.requests.length, 0);
});

test('acceptance 202: a source is read once, again after a 401, and the call is sent once more', async () => {
  await using service = await openService(json(session()), json({}, 401), json(session()));
  let reads = 0;
  const api = service.client({ apiKey: async () => `key-${(reads += 1)}\n` });

  await get(api);
  await get(api);
  await get(api);

  assert.equal(reads, 2);
  assert.deepEqual(sent(service), ['Bearer key-1', 'Bearer key-1', 'Bearer key-2', 'Bearer key-2']);
});

test('acceptance 200, 202: a key that stays the same, or is refused again, is not sent a third time', async () => {
  await using service = await openService(json({}, 401));
  let reads = 0;

  await rejection(get(service.client({ apiKey: () => 'same' })), AuthError);
  assert.equal(service.base.requests.length, 1);
  await rejection(get(service.client({ apiKey: 'fixed' })), AuthError);
  assert.equal(service.base.requests.length, 2);
  await rejection(get(service.client({ apiKey: () => `key-${(reads += 1)}` })), AuthError);
  assert.equal(service.base.requests.length, 4);
});

test('acceptance 202: calls that are refused together renew the key once', async () => {
  await using service = await openService();
  let reads = 0;
  const api = service.client({
    apiKey: () => `key-${(reads += 1)}`,
    fetch: async (_, { headers }) =>
      headers.get('authorization') === 'Bearer key-1'
        ? new Response('{}', { status: 401 })
        : Response.json(session()),
  });

  await Promise.all([get(api), get(api), get(api)]);

  assert.equal(reads, 2);
});

test('acceptance 202: a source that fails is a missing key, and is asked again the next time', async () => {
  await using service = await openService(json(session()));
  const answers = [() => Promise.reject(new Error('No such file')), async () => 'key'];
  const api = service.client({ apiKey: () => answers.shift()?.() ?? null });

  await rejection(get(api), MissingKeyError);
  await get(api);

  assert.deepEqual(sent(service), ['Bearer key']);
});
