import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { UsageError, createClient, routes } from '../../../src/vendor/client/index.ts';
import { startMock } from '../../support/reference-service/reference-server.ts';
import { generatedRequests } from './route-arbitraries.ts';
import { openService, rejection } from './service.ts';

const NOW = Date.UTC(2026, 6, 15, 12);

test('acceptance 227: each of the 19 operations is reachable by its id', async () => {
  await using mock = await startMock({ now: NOW });
  const { baseUrl, appUrl, keys } = mock;
  const now = (): number => NOW;
  // A clock that stands still never fills the bucket again.
  const requestQueue = { burst: 1_000 };
  const api = createClient({ baseUrl, appUrl, apiKey: keys.owner, now, requestQueue });
  const requests = generatedRequests(mock);

  assert.equal(Object.keys(routes).length, 19);
  for (const { id } of Object.values(routes)) {
    const [parameters] = fc.sample(requests[id].valid, { seed: 1, numRuns: 1 });
    const asked = mock.requests().length;
    const result = api.call(id, parameters);
    if ('all' in result) await result.all({ max: 1 });
    else await result;
    assert.ok(mock.requests().length > asked, id);
  }
});

test('call() refuses what does not fit, whatever its type', async () => {
  await using service = await openService();
  const api = service.client();

  for (const [id, parameters] of [
    ['sessions.get', {}],
    ['sessions.get', null],
    ['sessions.list', { limit: '20' }],
    ['computers.list', { limit: 1 }],
    ['analytics.tokens', { startDate: 1, endDate: [] }],
  ] as const) {
    const call = Promise.resolve().then(() => api.call(id, parameters));
    await rejection(call, UsageError);
  }
  assert.equal(service.base.requests.length, 0);
});
