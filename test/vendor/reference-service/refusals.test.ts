import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { MockKeys } from '../../support/reference-service/keys.ts';
import { ask, knownIds, openMock, WEEK } from './ask.ts';
import type { Question } from './ask.ts';

type Ids = ReturnType<typeof knownIds>;

interface Refused extends Omit<Question, 'key'> {
  readonly title: string;
  readonly path: string | ((ids: Ids) => string);
  readonly key?: keyof MockKeys | null;
  readonly status: number;
}

const TOKENS = '/api/v1/analytics/tokens';
const USERS = `/api/v1/analytics/users?${WEEK}`;
const REPORTS = '/api/organization/maturity-level-reports';
const LIMITS = '/api/v0/organization/usage/limits/users';

function session(ids: Ids): string {
  return `/api/v0/sessions/${ids.sessionId}`;
}

function messages(ids: Ids): string {
  return `${session(ids)}/messages`;
}

function computer(ids: Ids): string {
  return `/api/v0/computers/${ids.computerId}`;
}

function patch(sessionSettings: unknown): Pick<Refused, 'method' | 'body'> {
  return { method: 'PATCH', body: { sessionSettings } };
}

function put(users: unknown): Pick<Refused, 'method' | 'body'> {
  return { method: 'PUT', body: { users } };
}

const entry = { email: 'ada@example.com', limit: 1 };

const CASES: readonly Refused[] = [
  { title: 'analytics without a key', path: `${TOKENS}?${WEEK}`, key: null, status: 401 },
  { title: 'analytics with a revoked key', path: `${TOKENS}?${WEEK}`, key: 'revoked', status: 401 },
  { title: 'analytics with an access token', path: `${TOKENS}?${WEEK}`, key: 'jwt', status: 401 },
  { title: 'analytics as a member', path: `${TOKENS}?${WEEK}`, key: 'member', status: 403 },
  { title: 'analytics as a guest', path: `${TOKENS}?${WEEK}`, key: 'guest', status: 403 },
  { title: 'readiness without a key', path: REPORTS, key: null, status: 401 },
  { title: 'readiness with an access token', path: REPORTS, key: 'jwt', status: 401 },
  { title: 'v0 without a key', path: '/api/v0/computers', key: null, status: 401 },
  { title: 'v0 with a revoked key', path: '/api/v0/computers', key: 'revoked', status: 401 },
  {
    title: 'another scheme than Bearer',
    path: '/api/v0/computers',
    key: null,
    headers: { authorization: 'Basic YTpi' },
    status: 401,
  },
  { title: 'no startDate', path: `${TOKENS}?endDate=2026-07-14`, status: 400 },
  { title: 'no endDate', path: `${TOKENS}?startDate=2026-07-14`, status: 400 },
  { title: 'a date in another form', path: dates('14.07.2026', '2026-07-14'), status: 400 },
  { title: 'a date that does not exist', path: dates('2026-02-30', '2026-07-14'), status: 400 },
  {
    title: 'a time instead of a date',
    path: dates('2026-07-14T00:00:00Z', '2026-07-14'),
    status: 400,
  },
  { title: 'today as endDate', path: dates('2026-07-14', '2026-07-15'), status: 400 },
  { title: 'today as startDate', path: dates('2026-07-15', '2026-07-15'), status: 400 },
  { title: 'a day to come', path: dates('2026-07-14', '2026-08-01'), status: 400 },
  { title: 'an end before the start', path: dates('2026-07-14', '2026-07-13'), status: 400 },
  { title: 'another group_by', path: `${TOKENS}?${WEEK}&group_by=tool_name`, status: 400 },
  {
    title: 'group_by on productivity',
    path: `/api/v1/analytics/productivity?${WEEK}&group_by=model`,
    status: 400,
  },
  { title: 'a time zone', path: `${TOKENS}?${WEEK}&timezone=UTC`, status: 400 },
  { title: 'a parameter given twice', path: `${TOKENS}?${WEEK}&endDate=2026-07-13`, status: 400 },
  { title: 'limit 0 of analytics users', path: `${USERS}&limit=0`, status: 400 },
  { title: 'limit 101 of analytics users', path: `${USERS}&limit=101`, status: 400 },
  { title: 'limit 20.0 of analytics users', path: `${USERS}&limit=20.0`, status: 400 },
  { title: 'a cursor never given out', path: `${USERS}&cursor=user_x`, status: 400 },
  { title: 'limit 0 of readiness', path: `${REPORTS}?limit=0`, status: 400 },
  { title: 'limit -1 of readiness', path: `${REPORTS}?limit=-1`, status: 400 },
  { title: 'limit 1.5 of readiness', path: `${REPORTS}?limit=1.5`, status: 400 },
  { title: 'startAfter nothing known', path: `${REPORTS}?startAfter=x`, status: 400 },
  { title: 'limit 0 of sessions', path: '/api/v0/sessions?limit=0', status: 400 },
  {
    title: 'limit 101 of organization users',
    path: '/api/v0/organization/users?limit=101',
    status: 400,
  },
  { title: 'an empty limit', path: '/api/v0/sessions?limit=', status: 400 },
  { title: 'limit +5', path: '/api/v0/sessions?limit=%2B5', status: 400 },
  {
    title: 'limit 101 of the history',
    path: '/api/v0/organization/enterprise-controls/history?limit=101',
    status: 400,
  },
  { title: 'an unknown cursor of sessions', path: '/api/v0/sessions?cursor=x', status: 400 },
  { title: 'sessions of no computer', path: '/api/v0/sessions?computerId=x', status: 404 },
  { title: 'no session', path: '/api/v0/sessions/x', status: 404 },
  { title: 'no message', path: (ids) => `${messages(ids)}/x`, status: 404 },
  { title: 'no computer', path: '/api/v0/computers/x', status: 404 },
  { title: 'no computer of a name', path: '/api/v0/computers/name/x', status: 404 },
  { title: 'an empty computer name', path: '/api/v0/computers/name/', status: 400 },
  { title: 'a name of 64', path: `/api/v0/computers/name/${'n'.repeat(64)}`, status: 400 },
  { title: 'a path that is nothing', path: '/api/v0/nothing', status: 404 },
  { title: 'readiness at the base address', path: '/api//organization', status: 404 },
  { title: 'a broken percent-encoding', path: '/api/v0/computers/name/%FF', status: 404 },
  { title: 'a method that is not offered', path: session, method: 'DELETE', status: 405 },
  { title: 'a read-only setting', path: session, ...patch({ tokenUsage: {} }), status: 400 },
  { title: 'an unknown setting', path: session, ...patch({ colour: 'red' }), status: 400 },
  { title: 'a setting of another type', path: session, ...patch({ model: 1 }), status: 400 },
  {
    title: 'a tag without a name',
    path: session,
    ...patch({ tags: [{ metadata: {} }] }),
    status: 400,
  },
  { title: 'no sessionSettings', path: session, method: 'PATCH', body: {}, status: 400 },
  { title: 'a body that is no JSON', path: session, method: 'PATCH', body: '{"a":', status: 400 },
  {
    title: 'a body nested deeper than could be answered',
    path: session,
    method: 'PATCH',
    body: `{"sessionSettings":{"tags":[{"name":"a","metadata":{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}}]}}`,
    status: 400,
  },
  { title: 'a body that is a list', path: session, method: 'PATCH', body: [], status: 400 },
  {
    title: 'another Content-Type',
    path: session,
    ...patch({ model: 'm' }),
    headers: { 'content-type': 'text/plain' },
    status: 415,
  },
  { title: 'an empty text', path: messages, method: 'POST', body: { text: '' }, status: 400 },
  { title: 'no text', path: messages, method: 'POST', body: { images: [] }, status: 400 },
  {
    title: 'an image that is a data URL',
    path: messages,
    method: 'POST',
    body: { text: 'a', images: [{ data: 'data:image/png;base64,AA==' }] },
    status: 400,
  },
  {
    title: 'a file with an unknown field',
    path: messages,
    method: 'POST',
    body: { text: 'a', files: [{ size: 3 }] },
    status: 400,
  },
  {
    title: 'a message for no computer',
    path: messages,
    method: 'POST',
    body: { text: 'a', computerId: 'x' },
    status: 404,
  },
  { title: 'an empty name', path: computer, method: 'PATCH', body: { name: '' }, status: 400 },
  {
    title: 'a name of 64 in a body',
    path: computer,
    method: 'PATCH',
    body: { name: 'n'.repeat(64) },
    status: 400,
  },
  {
    title: 'a user of 64',
    path: computer,
    method: 'PATCH',
    body: { remoteUser: 'n'.repeat(64) },
    status: 400,
  },
  {
    title: 'a hostId that is not a UUID',
    path: computer,
    method: 'PATCH',
    body: { hostId: 'x' },
    status: 400,
  },
  {
    title: 'the name of another computer',
    path: computer,
    method: 'PATCH',
    body: { name: 'old-mac' },
    status: 409,
  },
  {
    title: 'a body for install-deps',
    path: (ids) => `${computer(ids)}/install-deps`,
    method: 'POST',
    body: {},
    status: 400,
  },
  { title: 'no limit entries', path: LIMITS, ...put([]), status: 400 },
  {
    title: '101 limit entries',
    path: LIMITS,
    ...put(Array.from({ length: 101 }, () => entry)),
    status: 400,
  },
  { title: 'an entry without e-mail', path: LIMITS, ...put([{ limit: 1 }]), status: 400 },
  {
    title: 'an e-mail that is none',
    path: LIMITS,
    ...put([{ email: 'ada', limit: 1 }]),
    status: 400,
  },
  { title: 'a limit that is text', path: LIMITS, ...put([{ ...entry, limit: '1' }]), status: 400 },
  {
    title: 'a limit beyond all numbers',
    path: LIMITS,
    method: 'PUT',
    body: '{"users":[{"email":"ada@example.com","limit":1e999}]}',
    status: 400,
  },
];

function dates(start: string, end: string): string {
  return `${TOKENS}?startDate=${start}&endDate=${end}`;
}

for (const { title, path, key = 'owner', status, ...question } of CASES) {
  test(`${title}: ${status}`, async () => {
    await using mock = await openMock();
    const target = typeof path === 'string' ? path : path(knownIds(mock));

    const answered = await ask(mock, target, { ...question, key: key && mock.keys[key] });

    assert.equal(answered.status, status, answered.text);
    assert.equal(mock.requests()[0]?.decided, status);
  });
}
