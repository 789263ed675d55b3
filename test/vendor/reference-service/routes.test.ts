import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Mock } from '../../support/reference-service/reference-server.ts';
import { ROUTES } from '../../support/reference-service/served-routes.ts';
import { ask, knownIds, openMock, WEEK } from './ask.ts';
import type { Question } from './ask.ts';
import type { Shape } from './shape.ts';
import * as shapes from './shapes.ts';

type Ids = ReturnType<typeof knownIds>;

interface Case extends Question {
  readonly id: string;
  readonly path: (ids: Ids) => string;
  readonly shape: Shape;
  readonly status?: number;
}

const CASES: readonly Case[] = [
  { id: 'analytics.tokens', path: () => `/api/v1/analytics/tokens?${WEEK}`, shape: shapes.tokens },
  {
    id: 'analytics.tokens',
    path: () => `/api/v1/analytics/tokens?${WEEK}&group_by=model`,
    shape: shapes.tokensByModel,
  },
  { id: 'analytics.tools', path: () => `/api/v1/analytics/tools?${WEEK}`, shape: shapes.tools },
  {
    id: 'analytics.tools',
    path: () => `/api/v1/analytics/tools?${WEEK}&group_by=tool_name`,
    shape: shapes.toolsByName,
  },
  {
    id: 'analytics.activity',
    path: () => `/api/v1/analytics/activity?${WEEK}`,
    shape: shapes.activity,
  },
  {
    id: 'analytics.activity',
    path: () => `/api/v1/analytics/activity?${WEEK}&group_by=client`,
    shape: shapes.activityByClient,
  },
  {
    id: 'analytics.productivity',
    path: () => `/api/v1/analytics/productivity?${WEEK}`,
    shape: shapes.productivity,
  },
  {
    id: 'analytics.users',
    path: () => `/api/v1/analytics/users?${WEEK}&limit=100`,
    shape: shapes.analyticsUsers,
  },
  {
    id: 'readiness.list',
    path: () => '/api/organization/maturity-level-reports?limit=200&repoId=repo_web',
    shape: shapes.readiness,
  },
  { id: 'sessions.list', path: () => '/api/v0/sessions?limit=100', shape: shapes.sessions },
  {
    id: 'sessions.get',
    path: ({ sessionId }) => `/api/v0/sessions/${sessionId}`,
    shape: shapes.session,
  },
  {
    id: 'sessions.update',
    method: 'PATCH',
    path: ({ sessionId }) => `/api/v0/sessions/${sessionId}`,
    body: {
      sessionSettings: {
        model: 'aurora-4',
        specModeModel: 'aurora-4',
        providerLockTimestamp: '2026-07-01T00:00:00Z',
        assistantActiveTimeMs: 5,
        archivedAt: '2026-07-01T00:00:00Z',
        tags: [{ name: 'done', metadata: {} }],
        enabledToolIds: [],
        disabledToolIds: ['Execute'],
      },
    },
    shape: shapes.session,
  },
  {
    id: 'sessions.addMessage',
    method: 'POST',
    path: ({ sessionId }) => `/api/v0/sessions/${sessionId}/messages`,
    body: {
      text: 'Go on',
      images: [{ data: 'iVBORw0KGgo=' }],
      files: [{ name: 'a.txt', data: 'YQ==', parsedData: 'a', path: '/a.txt' }],
    },
    shape: shapes.addedMessage,
  },
  {
    id: 'sessions.getMessage',
    path: ({ sessionId, messageId }) => `/api/v0/sessions/${sessionId}/messages/${messageId}`,
    shape: shapes.message,
  },
  { id: 'computers.list', path: () => '/api/v0/computers', shape: shapes.computers },
  {
    id: 'computers.get',
    path: ({ computerId }) => `/api/v0/computers/${computerId}`,
    shape: shapes.computer,
  },
  {
    id: 'computers.byName',
    path: () => `/api/v0/computers/name/${encodeURIComponent('cloud 1/eu')}`,
    shape: shapes.computer,
  },
  {
    id: 'computers.update',
    method: 'PATCH',
    path: ({ computerId }) => `/api/v0/computers/${computerId}`,
    body: { name: 'n'.repeat(63), hostId: '6f9619ff-8b86-4011-b42d-00c04fc964ff', remoteUser: 'r' },
    shape: shapes.computer,
  },
  {
    id: 'computers.installDeps',
    method: 'POST',
    path: ({ computerId }) => `/api/v0/computers/${computerId}/install-deps`,
    shape: shapes.computer,
    status: 202,
  },
  { id: 'org.users', path: () => '/api/v0/organization/users?limit=100', shape: shapes.users },
  {
    id: 'org.history',
    path: () => '/api/v0/organization/enterprise-controls/history?limit=100',
    shape: shapes.history,
  },
  {
    id: 'org.setLimits',
    method: 'PUT',
    path: () => '/api/v0/organization/usage/limits/users',
    body: {
      users: [
        { email: 'ada@example.com', limit: 5 },
        { email: 'who@example.com', limit: 1 },
      ],
    },
    shape: shapes.limits,
  },
];

test('Each of the nineteen operations is answered at least once below', () => {
  const missing = ROUTES.filter(({ id }) => CASES.every((each) => each.id !== id));

  assert.deepEqual(missing, []);
  assert.equal(ROUTES.length, 19);
});

for (const { id, path, shape, status = 200, ...question } of CASES) {
  const title = path({ sessionId: 'S', messageId: 'M', computerId: 'C', computerName: 'N' });
  test(`${id}: ${title} answers ${status}, field by field as documented`, async () => {
    await using mock = await openMock();

    const answered = await ask(mock, path(knownIds(mock)), question);

    assert.equal(answered.status, status, answered.text);
    assert.match(answered.headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(shape(answered.json, '$'), []);
    assert.deepEqual(routesMet(mock), [id]);
  });
}

function routesMet(mock: Mock): (string | null)[] {
  return mock.requests().map(({ routeId }) => routeId);
}
