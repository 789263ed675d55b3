import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DriftCount } from '../../../src/vendor/client/index.ts';
import { ResponseShapeError } from '../../../src/vendor/client/index.ts';
import { computer, message, report, session } from './samples.ts';
import { json, openService, rejection } from './service.ts';

const kindsAndPaths = (drifts: readonly DriftCount[]): string[] =>
  drifts.map(({ kind, jsonPath }) => `${kind} ${jsonPath}`).toSorted();

test('drift of each kind is reported once for each route and path, and counted', async () => {
  const odd = session({ status: 'asleep', title: null, sessionSettings: { brandNew: 1 } });
  await using service = await openService(
    json({ sessions: [odd, odd, { sessionId: 5 }], pagination: { hasMore: false } }),
  );
  const told: DriftCount[] = [];
  const api = service.client({ onDrift: (drift) => told.push(drift) });

  await api.sessions.list().all({ max: 9 });
  await api.sessions.list().all({ max: 9 });

  const expected = [
    'bad-item $.sessions[].sessionId',
    'extra-field $.sessions[].sessionSettings.brandNew',
    'null-for-absent $.sessions[].title',
    'unknown-value $.sessions[].status',
  ];
  assert.deepEqual(kindsAndPaths(told), expected);
  assert.deepEqual(kindsAndPaths(api.drift()), expected);
  assert.ok(told.every((drift) => drift.count === 1 && drift.route === 'sessions.list'));
  assert.deepEqual(
    api.drift().map(({ kind, count }) => (kind === 'bad-item' ? count === 2 : count === 4)),
    [true, true, true, true],
  );
});

test('responses as documented are not drift', async () => {
  await using service = await openService(
    json(message({ providerOnePhase: null, userMessageSource: 'left-out' })),
  );
  const api = service.client({ strict: true });

  await api.sessions.getMessage({ sessionId: 's1', messageId: 'm1' });
  service.base.answer(
    json(computer({ providerType: 'left-out', relayClientUrl: 'wss://x.test', status: 'active' })),
  );
  await api.computers.get({ computerId: 'c1' });
  const row = { date: '2026-03-01', user_id: 'u1', user_email: null, delegation_level: 'spec' };
  service.base.answer(json({ data: [row], meta: { has_more: false } }));
  await api.analytics.users({ startDate: '2026-03-01', endDate: '2026-03-01' }).all({ max: 9 });
  const ratio = { auto_high: 1, something_else: 0.5 };
  service.base.answer(
    json({ data: [{ date: '2026-03-01', tool_autonomy_level_ratio: ratio }], meta: {} }),
  );
  await api.analytics.tools({ startDate: '2026-03-01', endDate: '2026-03-01' });
  service.app.answer(
    json({ reports: [report({ report: { x: { numerator: 1 } }, apps: { '.': {} } })] }),
  );
  await api.readiness.list().all({ max: 9 });

  assert.deepEqual(api.drift(), []);
});

for (const [what, odd] of [
  ['an extra field', { extra: 1 }],
  ['an unknown value', { status: 'asleep' }],
  ['null for absent', { title: null }],
] as const) {
  test(`strict: ${what} fails the call with its path`, async () => {
    await using service = await openService(json(session(odd)));

    const error = await rejection(
      service.client({ strict: true }).sessions.get({ sessionId: 's1' }),
      ResponseShapeError,
    );

    assert.equal(error.jsonPath, `$.${Object.keys(odd).join()}`);
  });
}

test('strict: a bad item fails the call', async () => {
  await using service = await openService(json({ computers: [computer(), 5] }));

  await rejection(service.client({ strict: true }).computers.list(), ResponseShapeError);
});

test('acceptance 223: unknown fields survive on every level', async () => {
  const body = session({
    extra: { deep: [1, null] },
    sessionSettings: { extra: 1, tags: [{ name: 'a', extra: 2 }], tokenUsage: { extra: 3 } },
  });
  await using service = await openService(json(body));
  const api = service.client();

  assert.deepEqual(await api.sessions.get({ sessionId: 's1' }), body);
  assert.deepEqual((await api.request('GET', '/api/v0/sessions/s1')).body, body);
});

test('acceptance 226: bad items are set aside with path and value, the others come through', async () => {
  const good = session();
  const { status: _, ...listed } = good;
  await using service = await openService(
    json({ sessions: [null, listed, session({ createdAt: 'x' })], pagination: {} }),
  );

  const pages = service.client().sessions.list().pages();
  const { value: page } = await pages.next();

  assert.deepEqual(page?.items, [listed]);
  assert.deepEqual(
    page?.badItems.map(({ index, jsonPath }) => [index, jsonPath]),
    [
      [0, '$.sessions[0]'],
      [2, '$.sessions[2].createdAt'],
    ],
  );
  assert.deepEqual(page?.badItems[1]?.raw, session({ createdAt: 'x' }));
});

test('acceptance 226: a missing required field names endpoint and path, and no value', async () => {
  await using service = await openService(json(session({ messageCount: 'secret-text' })));

  const error = await rejection(
    service.client().sessions.get({ sessionId: 's1' }),
    ResponseShapeError,
  );

  assert.match(error.message, /GET "\/api\/v0\/sessions\/s1".*\$\.messageCount: .*expected number/);
  assert.equal(error.message.includes('secret-text'), false);
});

test('a service that makes up names cannot fill the memory', async () => {
  await using service = await openService();
  const fields = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`f${index}`, 1]));
  service.base.answer(json(session(fields)));
  const api = service.client();

  await api.sessions.get({ sessionId: 's1' });

  assert.equal(api.drift().length, 1_000);
});
