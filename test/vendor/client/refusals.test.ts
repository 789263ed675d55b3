import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../../src/vendor/client/index.ts';
import { UsageError, routes } from '../../../src/vendor/client/index.ts';
import { computer } from './samples.ts';
import { json, openService, queryOf, rejection } from './service.ts';

const RANGE = { startDate: '2026-03-01', endDate: '2026-03-02' };
const ids = { sessionId: 's1', computerId: 'c1' };
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
    'no email address',
    (api) => api.organization.setLimits([{ email: 'ada', limit: 5 }]),
    /users\[0\]\.email.*email/,
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
  await using service = await openService(json({ data: [], meta: {} }));
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
