import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isJsonObject } from '../../../src/platform/json.ts';
import { SOURCES } from '../../support/reference-service/data/messages-data.ts';
import type { Mock } from '../../support/reference-service/reference-server.ts';
import { ask, object, openMock, rows, text, WEEK } from './ask.ts';

const HISTORY = '/api/v0/organization/enterprise-controls/history?limit=100';
const REPORTS = '/api/organization/maturity-level-reports?limit=100';

/** All documents of the service, as one text. */
async function everything(mock: Mock): Promise<string> {
  const paths = [
    ...['tokens', 'tools', 'activity', 'productivity', 'users'].map(
      (name) => `/api/v1/analytics/${name}?${WEEK}`,
    ),
    REPORTS,
    '/api/v0/sessions?limit=100',
    '/api/v0/computers',
    '/api/v0/organization/users',
    HISTORY,
  ];
  const answers: unknown[] = [];
  for (const path of paths) {
    const { status, headers, text: body } = await ask(mock, path);
    answers.push([status, [...headers].filter(([name]) => name !== 'connection'), body]);
  }
  answers.push(mock.state().sessions);
  return JSON.stringify(answers);
}

test('The same seed and time give the same bytes, another seed gives others', async () => {
  await using one = await openMock({ seed: 3 });
  await using same = await openMock({ seed: 3 });
  await using other = await openMock({ seed: 4 });

  const [first, second, third] = [
    await everything(one),
    await everything(same),
    await everything(other),
  ];

  assert.equal(first, second);
  assert.notEqual(first, third);
  assert.deepEqual(one.keys, same.keys);
});

test('reset() brings back the data, the keys, the clock and the error bodies', async () => {
  await using mock = await openMock({ expiringUses: 1 });
  const before = await everything(mock);

  await ask(mock, '/api/v0/computers/x');
  await ask(mock, '/api/v0/computers', { key: mock.keys.expiring });
  mock.fault({ effect: { kind: 'status', status: 500 } });
  mock.clock.advance(9_000_000);
  mock.scenario('computer-fails');
  mock.reset();

  assert.deepEqual(mock.requests(), []);
  assert.equal(await everything(mock), before);
  const again = await ask(mock, '/api/v0/computers', { key: mock.keys.expiring });
  const error = await ask(mock, '/api/v0/computers/x');
  assert.equal(again.status, 200);
  assert.match(error.headers.get('content-type') ?? '', /problem/);
});

test('organization users: twelve, one without a last name, of four roles', async () => {
  await using mock = await openMock();

  const users = rows((await ask(mock, '/api/v0/organization/users')).json, 'users');

  assert.equal(users.length, 12);
  assert.equal(users.filter((user) => !Object.hasOwn(user, 'lastName')).length, 1);
  assert.deepEqual(
    new Set(users.map(({ metadata }) => object(metadata)['role'])),
    new Set(['guest', 'manager', 'member', 'owner']),
  );
});

test('sessions: 47, without status in the list, of every status by get', async () => {
  await using mock = await openMock();

  const first = (await ask(mock, '/api/v0/sessions?limit=100')).json;
  const sessions = rows(first, 'sessions');
  const statuses = new Set<unknown>();
  for (const { sessionId } of sessions) {
    statuses.add((await ask(mock, `/api/v0/sessions/${text(sessionId)}`)).json['status']);
  }

  assert.equal(sessions.length, 47);
  assert.ok(sessions.every((session) => !Object.hasOwn(session, 'status')));
  assert.deepEqual(statuses, new Set(['idle', 'pending', 'running']));
});

/** Names of all fields in a list of objects, with those of one nested object after a dot. */
function fieldsOf(list: readonly Record<string, unknown>[]): Set<string> {
  return new Set(
    list.flatMap((item) =>
      Object.entries(item).flatMap(([name, value]) =>
        isJsonObject(value)
          ? [name, ...Object.keys(value).map((inner) => `${name}.${inner}`)]
          : [name],
      ),
    ),
  );
}

test('sessions: every optional field of the document is there on some and absent on others', async () => {
  await using mock = await openMock();

  const sessions = rows((await ask(mock, '/api/v0/sessions?limit=100')).json, 'sessions');

  const fields = fieldsOf(sessions);
  for (const name of ['title', 'completedAt', 'computerId', 'sessionSettings']) {
    assert.ok(fields.has(name), name);
    assert.ok(
      sessions.some((session) => !Object.hasOwn(session, name)),
      name,
    );
  }
  for (const name of ['archivedAt', 'tags', 'childInclusiveTokenUsageBySessionId']) {
    assert.ok(fields.has(`sessionSettings.${name}`), name);
  }
});

test('messages: every role, source and visibility, and every field of the document', async () => {
  await using mock = await openMock();

  const messages = mock.state().sessions.flatMap((session) => session.messages);

  const values = (name: string) => new Set(messages.map((message) => message[name]));
  assert.deepEqual(values('role'), new Set(['assistant', 'system', 'tool', 'user']));
  assert.deepEqual(values('visibility'), new Set(['both', 'llm_only', 'user_only']));
  for (const source of SOURCES) assert.ok(values('userMessageSource').has(source), source);
  for (const phase of [null, 'commentary', 'final_answer']) {
    assert.ok(values('providerOnePhase').has(phase));
  }
  assert.deepEqual(values('isError'), new Set([false, true]));
});

test('computers: six, one failed with its install session known, one without status, 63 characters, seconds', async () => {
  await using mock = await openMock();

  const computers = rows((await ask(mock, '/api/v0/computers')).json, 'computers');

  const failed = computers.find(({ status }) => status === 'error');
  const step = rows(object(failed), 'provisioningSteps').find(({ error }) => error !== undefined);
  const session = await ask(mock, `/api/v0/sessions/${text(step?.['installSessionId'])}`);
  assert.equal(computers.length, 6);
  assert.equal(session.status, 200);
  assert.equal(computers.filter(({ status }) => status === undefined).length, 1);
  assert.ok(computers.some(({ name }) => Array.from(text(name)).length === 63));
  assert.equal(computers.filter(({ createdAt }) => Number(createdAt) < 1e11).length, 1);
  assert.deepEqual(
    new Set(computers.map(({ providerType }) => providerType)),
    new Set(['byom', 'hosted-sandbox']),
  );
});

test('readiness: nine reports of three repositories in no order, one dirty, one empty', async () => {
  await using mock = await openMock();

  const reports = rows((await ask(mock, REPORTS)).json, 'reports');

  const times = reports.map(({ createdAt }) => Number(createdAt));
  assert.equal(reports.length, 9);
  assert.equal(new Set(reports.map(({ repoUrl }) => repoUrl)).size, 3);
  assert.equal(reports.filter(({ hasLocalChanges }) => hasLocalChanges === true).length, 1);
  assert.equal(reports.filter(({ report }) => Object.keys(object(report)).length === 0).length, 1);
  assert.notDeepEqual(
    times,
    times.toSorted((one, other) => one - other),
  );
  assert.notDeepEqual(
    times,
    times.toSorted((one, other) => other - one),
  );
});

test('history: 25 revisions, descending with a gap; a key is renamed, one retyped, secrets are marked', async () => {
  await using mock = await openMock();

  const { text: body, json } = await ask(mock, HISTORY);

  const changes = rows(json, 'changes');
  const revisions = changes.map(({ revision }) => Number(revision));
  const settings = new Map(
    changes.map((change) => [change['revision'], object(change['settings'])]),
  );
  assert.equal(changes.length, 25);
  assert.deepEqual(
    revisions,
    revisions.toSorted((one, other) => other - one),
  );
  assert.equal(revisions[0], 26);
  assert.ok(!revisions.includes(13));
  assert.ok('ideAutoConnect' in object(settings.get(17)));
  assert.ok(!('ideAutoConnect' in object(settings.get(18))));
  assert.ok('ideAutoConnectMode' in object(settings.get(18)));
  assert.deepEqual(
    [20, 21].map((revision) => typeof settings.get(revision)?.['sessionRetentionDays']),
    ['number', 'string'],
  );
  assert.match(body, /"apiKey":"mock-secret-/);
});
