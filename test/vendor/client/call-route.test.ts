import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError, createClient, routes } from '../../../src/vendor/client/index.ts';
import type { RouteId } from '../../../src/vendor/client/index.ts';
import { startMock } from '../../../src/vendor/reference-service/server.ts';
import { openService, rejection } from './service.ts';

const NOW = Date.UTC(2026, 6, 15, 12);

test('acceptance 227: each of the 19 operations is reachable by its id', async () => {
  await using mock = await startMock({ now: NOW });
  const { baseUrl, appUrl, keys } = mock;
  const now = (): number => NOW;
  // A clock that stands still never fills the bucket again.
  const lanes = { burst: 1_000 };
  const api = createClient({ baseUrl, appUrl, apiKey: keys.owner, now, lanes });
  const range = { startDate: '2026-07-01', endDate: '2026-07-02' };
  const [session] = await api.sessions.list().all({ max: 1 });
  const [computer] = (await api.computers.list()).computers;
  const [user] = await api.organization.users().all({ max: 1 });
  const { sessionId } = session ?? {};
  const added = await api.sessions.addMessage({ sessionId: sessionId ?? '', text: 'Hi' });
  const messageId = added.outcome === 'delivered' && !added.inferred && added.answer.messageId;
  const { id: computerId, name } = computer ?? {};
  const parameters: Record<RouteId, object> = {
    'analytics.tokens': { ...range, group_by: 'model' },
    'analytics.tools': range,
    'analytics.activity': { ...range, group_by: 'client' },
    'analytics.productivity': range,
    'analytics.users': range,
    'readiness.list': {},
    'sessions.list': { limit: 5 },
    'sessions.get': { sessionId },
    'sessions.update': { sessionId, sessionSettings: { model: 'm' } },
    'sessions.addMessage': { sessionId, text: 'Go on' },
    'sessions.getMessage': { sessionId, messageId },
    'computers.list': {},
    'computers.get': { computerId },
    'computers.byName': { name },
    'computers.update': { computerId, remoteUser: 'dev' },
    'computers.installDeps': { computerId },
    'org.users': {},
    'org.history': {},
    'org.setLimits': { users: [{ email: user?.email, limit: 5 }] },
  };

  for (const route of Object.values(routes)) {
    const asked = mock.requests().length;
    const result = api.call(route.id, parameters[route.id]);
    if ('all' in result) await result.all({ max: 1 });
    else await result;
    assert.ok(mock.requests().length > asked, route.id);
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
