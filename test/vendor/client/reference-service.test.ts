import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client, ClientOptions } from '../../../src/vendor/client/index.ts';
import {
  AmbiguousWriteError,
  ForbiddenError,
  PaginationError,
  createClient,
  lastDays,
} from '../../../src/vendor/client/index.ts';
import type { Effect } from '../../support/reference-service/faults/effects.ts';
import type { Mock } from '../../support/reference-service/reference-server.ts';
import { startMock } from '../../support/reference-service/reference-server.ts';
import { rejection } from './service.ts';

/* The client against the reference service, which was written from the document without knowledge of the client. */

const NOW = Date.UTC(2026, 6, 15, 12);
const RANGE = lastDays(60, NOW);

function clientOf(mock: Mock, options: ClientOptions = {}): Client {
  return createClient({
    baseUrl: mock.baseUrl,
    appUrl: mock.appUrl,
    apiKey: mock.keys.owner,
    jwt: mock.keys.jwt,
    now: () => NOW,
    random: () => 0,
    sleep: () => Promise.resolve(),
    requestQueue: { requestsPerSecond: 1e6, burst: 1e6 },
    ...options,
  });
}

function creditsIn(rows: readonly { billable_tokens?: number | null | undefined }[]): number {
  return Math.round(rows.reduce((sum, row) => sum + (row.billable_tokens ?? 0), 0));
}

test('acceptance 227: every operation passes the strict client without drift', async () => {
  await using mock = await startMock({ now: NOW });
  const api = clientOf(mock, { strict: true });
  const { analytics, sessions, computers, organization, readiness } = api;

  const days = await analytics.tokens(RANGE);
  const models = await analytics.tokens({ ...RANGE, group_by: 'model' });
  await analytics.tools(RANGE);
  await analytics.tools({ ...RANGE, group_by: 'tool_name' });
  await analytics.activity(RANGE);
  await analytics.activity({ ...RANGE, group_by: 'client' });
  await analytics.productivity(RANGE);
  const users = await analytics.users({ ...RANGE, limit: 7 }).all({ max: 10_000 });
  const reports = await readiness.list({ limit: 2 }).all({ max: 99 });
  const listed = await sessions.list({ limit: 10 }).all({ max: 99 });
  const sessionId = listed[0]?.sessionId ?? '';
  const session = await sessions.get({ sessionId });
  await sessions.update({ sessionId, sessionSettings: { tags: [{ name: 'seen' }] } });
  const added = await sessions.addMessage({ sessionId, text: 'Go on' });
  assert.ok(added.outcome === 'delivered' && !added.inferred);
  await sessions.getMessage({ sessionId, messageId: added.answer.messageId });
  const all = await computers.list();
  const [first] = all.computers;
  assert.ok(first !== undefined);
  await computers.get({ computerId: first.id });
  await computers.byName({ name: first.name });
  await computers.update({ computerId: first.id, remoteUser: 'dev' });
  await computers.installDeps({ computerId: first.id });
  const people = await organization.users({ limit: 5 }).all({ max: 99 });
  const changes = await organization.history({ limit: 10 }).all({ max: 99 });
  const limits = await organization.setLimits([{ email: people[0]?.email ?? '', limit: 5 }]);

  assert.deepEqual(
    [listed.length, reports.length, all.computers.length, people.length, changes.length],
    [47, 9, 6, 12, 25],
  );
  assert.deepEqual(days.missingDays, []);
  assert.equal(creditsIn(models.data), creditsIn(days.data));
  assert.equal(creditsIn(users), creditsIn(days.data));
  assert.equal(session.sessionId, sessionId);
  assert.equal(limits.outcomes[0]?.outcome, 'updated');
  assert.deepEqual(api.drift(), []);
});

const lost: readonly (readonly [string, Effect, 'delivered' | 'not-delivered'])[] = [
  ['a reset before it took effect', { kind: 'reset' }, 'not-delivered'],
  ['a reset after it took effect', { kind: 'reset', when: 'after' }, 'delivered'],
  ['500 before it took effect', { kind: 'status', status: 500 }, 'not-delivered'],
  ['502 after it took effect', { kind: 'status', status: 502, when: 'after' }, 'delivered'],
  ['silence after it took effect', { kind: 'hang', when: 'after' }, 'delivered'],
  ['half an answer', { kind: 'truncate' }, 'delivered'],
  ['half a document', { kind: 'half-json' }, 'delivered'],
  ['an empty answer', { kind: 'empty' }, 'delivered'],
];

for (const [what, effect, outcome] of lost) {
  test(`A28: a message whose answer is lost to ${what} is ${outcome}, and posted once`, async () => {
    await using mock = await startMock({ now: NOW });
    const api = clientOf(mock);
    const sessionId = await firstIdle(api);
    mock.fault({ match: { method: 'POST', path: '*/messages' }, effect });

    const ended = await api.sessions
      .addMessage({ sessionId, text: 'Go on' }, { timeoutMs: 2_000 })
      .catch((error: unknown) => {
        if (error instanceof AmbiguousWriteError) return error;
        throw error;
      });

    assert.equal(ended.outcome, outcome);
    assert.equal(mock.requests().filter(({ method }) => method === 'POST').length, 1);
  });
}

/** Lists show no status: the first session that is idle when asked for itself. */
async function firstIdle(api: Client): Promise<string> {
  for (const { sessionId } of await api.sessions.list().all({ max: 99 })) {
    if ((await api.sessions.get({ sessionId })).status === 'idle') return sessionId;
  }
  throw new Error('No session is idle');
}

for (const fault of ['repeated', 'cyclic', 'missing'] as const) {
  test(`A10, A11: a ${fault} cursor ends the walk with an error`, async () => {
    await using mock = await startMock({ now: NOW });
    mock.fault({ effect: { kind: 'cursor', fault } });

    await rejection(clientOf(mock).sessions.list({ limit: 5 }).all({ max: 999 }), PaginationError);
  });
}

test('A14: a range longer than the service takes is asked in halves', async () => {
  await using mock = await startMock({ now: NOW });
  const whole = await clientOf(mock).analytics.tools(RANGE);
  mock.fault({ effect: { kind: 'max-span', days: 10 } });

  const halved = await clientOf(mock).analytics.tools(RANGE);

  assert.deepEqual(halved.data, whole.data);
});

test('acceptance 082: a job steps back when the clock of the service is a day behind', async () => {
  await using mock = await startMock({ now: NOW });
  mock.fault({ effect: { kind: 'skew', ms: -86_400_000 } });

  const { missingDays } = await clientOf(mock).analytics.tools(lastDays(3, NOW), {
    stepBack: true,
  });

  assert.deepEqual(missingDays, ['2026-07-14']);
});

test('acceptance 199: the key of a member opens no analytics, and the text says whose would', async () => {
  await using mock = await startMock({ now: NOW });

  const error = await rejection(
    clientOf(mock, { apiKey: mock.keys.member }).analytics.tokens(RANGE),
    ForbiddenError,
  );

  assert.match(error.hint ?? '', /Manager or Owner/);
});
