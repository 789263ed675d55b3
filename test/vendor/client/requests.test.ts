import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../../src/vendor/client/index.ts';
import { UsageError, createClient, routes } from '../../../src/vendor/client/index.ts';
import { computer, message, report, session } from './samples.ts';
import { KEY, json, openService, rejection } from './service.ts';

const RANGE = { startDate: '2026-03-01', endDate: '2026-03-02' };
const HOST = '0b6ad9f2-6f46-4c47-9a50-1d6e0c4a2c11';
const page = { pagination: { hasMore: false } };
const rows = { data: [], meta: {} };
const ids = { sessionId: 's1', computerId: 'c1' };

/** A call of each operation, what goes over the wire, and an answer. */
const operations: readonly {
  readonly ids: string;
  readonly run: (api: Client) => Promise<unknown>;
  readonly sent: string;
  readonly body?: unknown;
  readonly answer: unknown;
  readonly status?: number;
  readonly app?: boolean;
}[] = [
  {
    ids: '039, 040',
    run: (api) => api.analytics.tokens({ ...RANGE, group_by: 'model' }),
    sent: 'GET /api/v1/analytics/tokens?startDate=2026-03-01&endDate=2026-03-02&group_by=model',
    answer: rows,
  },
  {
    ids: '039, 041',
    run: (api) => api.analytics.tools({ ...RANGE, group_by: 'tool_name' }),
    sent: 'GET /api/v1/analytics/tools?startDate=2026-03-01&endDate=2026-03-02&group_by=tool_name',
    answer: rows,
  },
  {
    ids: '039, 042',
    run: (api) => api.analytics.activity({ ...RANGE, group_by: 'client' }),
    sent: 'GET /api/v1/analytics/activity?startDate=2026-03-01&endDate=2026-03-02&group_by=client',
    answer: rows,
  },
  {
    ids: '039, 043',
    run: (api) => api.analytics.productivity(RANGE),
    sent: 'GET /api/v1/analytics/productivity?startDate=2026-03-01&endDate=2026-03-02',
    answer: rows,
  },
  {
    ids: '039, 044',
    run: (api) => api.analytics.users({ ...RANGE, limit: 100, cursor: 'u9' }).all({ max: 9 }),
    sent: 'GET /api/v1/analytics/users?startDate=2026-03-01&endDate=2026-03-02&limit=100&cursor=u9',
    answer: rows,
  },
  {
    ids: '089, 090, 091, 092, 221',
    run: (api) =>
      api.readiness.list({ repoId: 'a/b', limit: 500, startAfter: 'r0' }).all({ max: 1 }),
    sent: 'GET /api/organization/maturity-level-reports?repoId=a%2Fb&limit=500&startAfter=r0',
    answer: { reports: [report()] },
    app: true,
  },
  {
    ids: '108, A01',
    run: (api) => api.sessions.list({ limit: 20, cursor: 'n', computerId: 'c1' }).all({ max: 9 }),
    sent: 'GET /api/v0/sessions?limit=20&cursor=n&computerId=c1',
    answer: { sessions: [session()], ...page },
  },
  {
    ids: '110',
    run: (api) => api.sessions.get(ids),
    sent: 'GET /api/v0/sessions/s1?computerId=c1',
    answer: session(),
  },
  {
    ids: '111, 125',
    run: (api) => api.sessions.update({ sessionId: 's1', sessionSettings: { model: 'm' } }),
    sent: 'PATCH /api/v0/sessions/s1',
    body: { sessionSettings: { model: 'm' } },
    answer: session(),
  },
  {
    ids: '134',
    run: (api) => api.sessions.getMessage({ ...ids, messageId: 'm1' }),
    sent: 'GET /api/v0/sessions/s1/messages/m1?computerId=c1',
    answer: message(),
  },
  {
    ids: '147',
    run: (api) => api.computers.list(),
    sent: 'GET /api/v0/computers',
    answer: { computers: [computer()] },
  },
  {
    ids: '148',
    run: (api) => api.computers.get({ computerId: 'c1' }),
    sent: 'GET /api/v0/computers/c1',
    answer: computer(),
  },
  {
    ids: '149',
    run: (api) => api.computers.byName({ name: 'my box/№1?' }),
    sent: 'GET /api/v0/computers/name/my%20box%2F%E2%84%961%3F',
    answer: computer(),
  },
  {
    ids: '151',
    run: (api) => api.computers.update({ computerId: 'c1', name: 'x', hostId: HOST }),
    sent: 'PATCH /api/v0/computers/c1',
    body: { name: 'x', hostId: HOST },
    answer: computer(),
  },
  {
    ids: '164',
    run: (api) => api.organization.users({ limit: 1, cursor: 'n' }).all({ max: 9 }),
    sent: 'GET /api/v0/organization/users?limit=1&cursor=n',
    answer: { users: [], ...page },
  },
  {
    ids: '169, A02',
    run: (api) => api.organization.history({ limit: 100 }).all({ max: 9 }),
    sent: 'GET /api/v0/organization/enterprise-controls/history?limit=100',
    answer: { changes: [], ...page },
  },
  {
    ids: '189, 191',
    run: (api) => api.organization.setLimits([{ email: 'a@x.test', limit: 5 }]),
    sent: 'PUT /api/v0/organization/usage/limits/users',
    body: { users: [{ email: 'a@x.test', limit: 5 }] },
    answer: { updated: [], errors: [] },
  },
];

for (const { ids: statements, run, sent, body, answer, status, app = false } of operations) {
  test(`acceptance ${statements}, 195, 221, 227: ${sent}`, async () => {
    await using service = await openService(json(answer, status));

    await run(service.client());

    const [request, ...others] = (app ? service.app : service.base).requests;
    assert.deepEqual(others, []);
    assert.equal((app ? service.base : service.app).requests.length, 0);
    assert.equal(`${request?.method} ${request?.path}`, sent);
    assert.equal(request?.headers.authorization, `Bearer ${KEY}`);
    assert.equal(
      request?.headers['content-type'],
      body === undefined ? undefined : 'application/json',
    );
    assert.deepEqual(request?.body, body === undefined ? '' : JSON.stringify(body));
  });
}

test('acceptance 213, 212, A02: a limit that is not given is not sent', async () => {
  await using service = await openService(json({ sessions: [], ...page }));

  await service.client().sessions.list().all({ max: 1 });

  assert.deepEqual(service.calls(), ['GET /api/v0/sessions']);
});

test('acceptance 210: another 2xx with a valid body is accepted', async () => {
  await using service = await openService(json(session(), 206));

  const { sessionId } = await service.client().sessions.get({ sessionId: 's1' });

  assert.equal(sessionId, 's1');
});

test('acceptance 127: no operation creates or deletes a session or a computer', () => {
  const writes = Object.values(routes)
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`);

  assert.equal(Object.keys(routes).length, 19);
  assert.deepEqual(writes, [
    'PATCH /api/v0/sessions/{sessionId}',
    'POST /api/v0/sessions/{sessionId}/messages',
    'PATCH /api/v0/computers/{computerId}',
    'POST /api/v0/computers/{computerId}/install-deps',
    'PUT /api/v0/organization/usage/limits/users',
  ]);
});

test('acceptance 204: path prefixes stay and slashes at the end go', async () => {
  await using service = await openService(json(session()));
  const api = service.client({ baseUrl: `${service.base.url}/proxy/v9//` });

  await api.sessions.get({ sessionId: 's1' });

  assert.deepEqual(service.calls(), ['GET /proxy/v9/api/v0/sessions/s1']);
});

test('acceptance 204: no address is built in', async () => {
  const api = createClient({ apiKey: KEY });

  const noBase = await rejection(api.sessions.get({ sessionId: 's1' }), UsageError);
  const noApp = await rejection(api.readiness.list().all({ max: 1 }), UsageError);

  assert.match(noBase.message, /base_url is not configured/);
  assert.match(noApp.message, /app_url is not configured/);
});

for (const [what, baseUrl] of [
  ['another protocol', 'ftp://x.test'],
  ['no URL', 'x.test'],
  ['a password', 'https://me:h4nter@x.test'],
  ['a query', 'https://x.test/?token=abc'],
] as const) {
  test(`acceptance 204: an address with ${what} is refused without being shown`, () => {
    assert.throws(
      () => createClient({ baseUrl }),
      (error: unknown) =>
        error instanceof TypeError &&
        /base_url/.test(error.message) &&
        !/h4nter|abc/.test(error.message),
    );
  });
}

test('acceptance A24: the readiness path is a setting', async () => {
  await using service = await openService(json({ reports: [] }));

  await service.client({ readinessPath: '/api/v2/reports' }).readiness.list().all({ max: 1 });

  assert.equal(service.app.requests[0]?.path, '/api/v2/reports');
});

test('headers of a call go along, and authorization is refused among them', async () => {
  await using service = await openService(json(session()));
  const api = service.client();

  await api.sessions.get({ sessionId: 's1' }, { headers: { 'x-trace': 't1' } });
  await rejection(
    api.sessions.get({ sessionId: 's1' }, { headers: { Authorization: 'Bearer other' } }),
    UsageError,
  );

  assert.equal(service.base.requests[0]?.headers['x-trace'], 't1');
  assert.equal(service.base.requests.length, 1);
});

test('middleware sees every attempt without the credential and can answer itself', async () => {
  await using service = await openService(json({}, 500), json(session()));
  const seen: string[] = [];
  const api = service.client({
    middleware: [
      async (url, init, next) => {
        const response = await next(url, init);
        seen.push(`${init.method} ${response.status} ${init.headers.get('authorization')}`);
        return response;
      },
    ],
  });

  await api.sessions.get({ sessionId: 's1' });

  assert.deepEqual(seen, ['GET 500 null', 'GET 200 null']);
  assert.equal(service.base.requests[1]?.headers.authorization, `Bearer ${KEY}`);
});
