import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../src/api/index.ts';
import { UsageError, createClient, routes } from '../../src/api/index.ts';
import { computer, message, report, session } from './samples.ts';
import { KEY, json, openService, queryOf, rejection } from './service.ts';

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

const EMOJI = '🖥';

/** Calls that cannot be right. What the compiler would refuse comes in as text from a command line. */
const refused: readonly (readonly [string, string, (api: Client) => unknown, RegExp])[] = [
  ['044, 212', 'limit 0', (api) => api.analytics.users({ ...RANGE, limit: 0 }), /limit.*1 to 100/],
  ['044, 212', 'limit 101', (api) => api.analytics.users({ ...RANGE, limit: 101 }), /limit/],
  ['213, A01', 'limit 0', (api) => api.sessions.list({ limit: 0 }), /limit/],
  ['213, A01', 'limit 101', (api) => api.organization.users({ limit: 101 }), /limit/],
  ['213, A01', 'limit 1.5', (api) => api.organization.history({ limit: 1.5 }), /limit/],
  ['091, 214', 'limit 0', (api) => api.readiness.list({ limit: 0 }), /limit.*positive/],
  ['091, 214', 'limit -1', (api) => api.readiness.list({ limit: -1 }), /limit/],
  ['091, 214', 'limit 2.5', (api) => api.readiness.list({ limit: 2.5 }), /limit/],
  [
    '039',
    'no such day',
    (api) => api.analytics.tokens({ ...RANGE, endDate: '2026-02-30' }),
    /endDate.*YYYY-MM-DD/,
  ],
  [
    '039',
    'another format',
    (api) => api.analytics.tokens({ ...RANGE, startDate: '1.3.2026' }),
    /startDate.*YYYY-MM-DD/,
  ],
  [
    'A13',
    'end before start',
    (api) => api.analytics.tokens({ startDate: '2026-03-02', endDate: '2026-03-01' }),
    /"2026-03-01" is before/,
  ],
  ['128', 'empty text', (api) => api.sessions.addMessage({ ...ids, text: ' \n' }), /text.*empty/],
  [
    '129, A27',
    'a data: image',
    (api) =>
      api.sessions.addMessage({
        ...ids,
        text: 'a',
        images: [{ data: 'data:image/png;base64,iVBORw0KGgo=' }],
      }),
    /images\[0\]\.data.*base64/,
  ],
  [
    '129, A27',
    'an image of no known type',
    (api) => api.sessions.addMessage({ ...ids, text: 'a', images: [{ data: btoa('BM12345') }] }),
    /images\[0\]\.data.*PNG/,
  ],
  [
    '129, A27',
    'a sound file in the dress of an image',
    (api) =>
      api.sessions.addMessage({
        ...ids,
        text: 'a',
        images: [{ data: btoa('RIFF1234WAVEfmt 12345') }],
      }),
    /images\[0\]\.data.*PNG/,
  ],
  [
    '130, A26',
    'a file without content',
    (api) => api.sessions.addMessage({ ...ids, text: 'a', files: [{ name: 'a.txt' }] }),
    /files\[0\].*data or parsedData/,
  ],
  [
    '111, 125',
    'no setting',
    (api) => api.sessions.update({ sessionId: 's1', sessionSettings: {} }),
    /at least one/,
  ],
  ['150', 'empty name', (api) => api.computers.byName({ name: '' }), /name.*1 to 63/],
  ['150', 'long name', (api) => api.computers.byName({ name: 'x'.repeat(64) }), /name.*1 to 63/],
  ['151', 'empty patch', (api) => api.computers.update({ computerId: 'c1' }), /expected name/],
  [
    '152, 216',
    'long name',
    (api) => api.computers.update({ computerId: 'c1', name: EMOJI.repeat(64) }),
    /name.*1 to 63/,
  ],
  [
    '152, 216',
    'empty remoteUser',
    (api) => api.computers.update({ computerId: 'c1', remoteUser: '' }),
    /remoteUser.*1 to 63/,
  ],
  [
    '152',
    'hostId no uuid',
    (api) => api.computers.update({ computerId: 'c1', hostId: 'h1' }),
    /hostId.*UUID/,
  ],
  ['149', 'a dot as id', (api) => api.sessions.get({ sessionId: '..' }), /sessionId is "\.\."/],
  ['149', 'a dot as name', (api) => api.computers.byName({ name: '.' }), /name is "\."/],
  [
    '191',
    'no e-mail address',
    (api) => api.organization.setLimits([{ email: 'ada', limit: 5 }]),
    /users\[0\]\.email.*e-mail/,
  ],
  [
    '194, A31',
    'infinite limit',
    (api) => api.organization.setLimits([{ email: 'a@x.test', limit: Infinity }]),
    /users\[0\]\.limit/,
  ],
  [
    '194, A31',
    'null without saying so',
    (api) => api.organization.setLimits([{ email: 'a@x.test', limit: null }]),
    /allowNull/,
  ],
  [
    'A32',
    'one user twice',
    (api) =>
      api.organization.setLimits([
        { email: 'a@x.test', limit: 5 },
        { email: 'A@X.test', limit: 6 },
      ]),
    /"A@X.test" is given twice/,
  ],
];

for (const [statements, what, run, reason] of refused) {
  test(`acceptance ${statements}: refused before anything is sent: ${what}`, async () => {
    await using service = await openService();

    const error = await rejection(
      Promise.resolve().then(() => run(service.client())),
      UsageError,
    );

    assert.match(error.message, reason);
    assert.equal(error.attempts, 0);
    assert.equal(service.base.requests.length + service.app.requests.length, 0);
  });
}

test('acceptance 045: a group_by that is not listed is refused, and a raw request can still send it', async () => {
  await using service = await openService(json(rows));
  const api = service.client();
  const typed: unknown = { ...RANGE, group_by: 'user' };

  for (const id of ['tokens', 'tools', 'activity', 'productivity', 'users'] as const) {
    const route = routes[`analytics.${id}`];
    assert.equal(route.parameters.safeParse(typed).success, false, id);
  }
  await api.request('GET', '/api/v1/analytics/tokens', { query: { ...RANGE, group_by: 'user' } });

  assert.equal(queryOf(service.base.requests[0]?.path ?? '')['group_by'], 'user');
});

test('acceptance 111, 120, 121, A25: a PATCH refuses read-only and unknown settings', () => {
  for (const name of [
    'tokenUsage',
    'inclusiveTokenUsage',
    'childInclusiveTokenUsageBySessionId',
    'modle',
  ]) {
    const parameters = { sessionId: 's1', sessionSettings: { model: 'm', [name]: {} } };
    const parsed = routes['sessions.update'].parameters.safeParse(parameters);
    assert.match(parsed.error?.message ?? '', new RegExp(name));
  }
});

test('acceptance 216: names of 1 and of 63 characters pass, whatever the characters', async () => {
  await using service = await openService(json(computer()));
  const api = service.client();

  await api.computers.update({ computerId: 'c1', name: 'x', remoteUser: EMOJI.repeat(63) });
  await api.computers.byName({ name: 'x'.repeat(63) });

  assert.equal(service.base.requests.length, 2);
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
