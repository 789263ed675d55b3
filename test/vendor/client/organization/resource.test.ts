import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SetLimitsReport } from '../../../../src/vendor/client/index.ts';
import {
  AuthError,
  UsageError,
  pairRevisions,
  readControlSettings,
} from '../../../../src/vendor/client/index.ts';
import { json, openService, queryOf, rejection } from '../service.ts';

const emails = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `u${index}@x.test`);
const entries = (count: number): { email: string; limit: number }[] =>
  emails(count).map((email) => ({ email, limit: 5 }));
const updated = (count: number, from = 0): ReturnType<typeof json> =>
  json({ updated: entries(count).slice(from), errors: [] });

function countOutcomes({ outcomes }: SetLimitsReport): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

test('acceptance 190, 215: no entries send nothing', async () => {
  await using service = await openService();

  const report = await service.client().organization.setLimits([]);

  assert.deepEqual(report, { outcomes: [], badItems: [], answers: [], failure: null });
  assert.equal(service.base.requests.length, 0);
});

for (const [count, batches] of [
  [1, [1]],
  [100, [100]],
  [101, [100, 1]],
  [250, [100, 100, 50]],
] as const) {
  test(`acceptance 190, 215: ${count} entries go in requests of ${batches.join(', ')}`, async () => {
    await using service = await openService(updated(count));

    const report = await service.client().organization.setLimits(entries(count));

    const sent = service.base.requests.map(({ body }): { users: unknown[] } => JSON.parse(body));
    assert.deepEqual(
      sent.map(({ users }) => users.length),
      batches,
    );
    assert.deepEqual(countOutcomes(report), { updated: count });
  });
}

test('acceptance 192, 193, 194, A31, A32: each e-mail ends as updated, refused or without an answer', async () => {
  await using service = await openService(
    json({
      updated: [{ email: ' U0@x.test', limit: 3 }],
      errors: [{ email: 'u1@x.test', error: 'No such user: «ü»' }],
    }),
  );

  const { outcomes, failure } = await service.client().organization.setLimits(entries(3));

  assert.equal(failure, null);
  assert.deepEqual(outcomes, [
    { email: 'u0@x.test', limit: 5, outcome: 'updated', returned: 3 },
    { email: 'u1@x.test', limit: 5, outcome: 'refused', error: 'No such user: «ü»' },
    { email: 'u2@x.test', limit: 5, outcome: 'no-answer', reason: 'unnamed' },
  ]);
});

test('acceptance 193: what was done before a request failed is reported, and the rest is not sent', async () => {
  await using service = await openService(updated(100), json({}, 401));

  const report = await service.client().organization.setLimits(entries(250));

  assert.ok(report.failure instanceof AuthError);
  assert.deepEqual(countOutcomes(report), { updated: 100, 'no-answer': 150 });
  assert.equal(service.base.requests.length, 2);
});

test('acceptance 190: a bad entry in the last batch keeps the first from being sent', async () => {
  await using service = await openService();

  await rejection(
    service.client().organization.setLimits([...entries(100), { email: 'nobody', limit: 1 }]),
    UsageError,
  );

  assert.equal(service.base.requests.length, 0);
});

test('acceptance 194, A31: any finite number passes, and null if allowed', async () => {
  await using service = await openService(json({ updated: [], errors: [] }));
  const limits = [0, -1, 0.5, 1e15, null];

  await service.client().organization.setLimits(
    limits.map((limit, index) => ({ email: `u${index}@x.test`, limit })),
    { allowNull: true },
  );

  const { users }: { users: { limit: unknown }[] } = JSON.parse(
    service.base.requests[0]?.body ?? '',
  );
  assert.deepEqual(
    users.map(({ limit }) => limit),
    limits,
  );
});

test('acceptance 167: a malformed e-mail does not reject the page', async () => {
  const users = [{ id: 'u1', email: 'not an address' }];
  await using service = await openService(json({ users, pagination: { hasMore: false } }));

  assert.deepEqual(await service.client().organization.users().all({ max: 9 }), users);
});

const userPage = (email: string, hasMore: boolean): ReturnType<typeof json> =>
  json({ users: [{ id: `id-${email}`, email }], pagination: { hasMore, nextCursor: 'n' } });

test('acceptance 168: the directory is read over all pages, kept for an hour and read again', async () => {
  await using service = await openService(userPage('A@x.test', true), userPage('b@x.test', false));
  const { directory } = service.client().organization;

  assert.equal((await directory.byEmail(' a@X.test'))?.id, 'id-A@x.test');
  assert.equal((await directory.byId('id-b@x.test'))?.email, 'b@x.test');
  assert.equal(await directory.byId('nobody'), null);
  assert.equal(service.base.requests.length, 2);

  service.pass(3_600_000);
  await directory.byId('id-b@x.test');
  assert.equal(service.base.requests.length, 3);
});

test('acceptance 168: a directory that could not be read is read again the next time', async () => {
  await using service = await openService(
    json({}, 404),
    json({ users: [], pagination: { hasMore: false } }),
  );
  const { directory } = service.client().organization;

  await assert.rejects(directory.byId('a'));

  assert.equal(await directory.byId('a'), null);
});

const historyPage = (revisions: number[], pagination: object): ReturnType<typeof json> =>
  json({ changes: revisions.map((revision) => ({ revision })), pagination });

test('acceptance 169, 170, 171: each revision is paired with the next lower one, across gaps and pages', async () => {
  await using service = await openService(
    historyPage([9, 8], { hasMore: true, nextCursor: 'n' }),
    historyPage([8, 5], { hasMore: false }),
  );
  const pairs: unknown[] = [];

  for await (const { change, before } of pairRevisions(service.client().organization.history())) {
    pairs.push([change.revision, before?.revision ?? null]);
  }

  assert.deepEqual(pairs, [
    [9, 8],
    [8, 5],
    [5, null],
  ]);
  assert.equal(queryOf(service.base.requests[1]?.path ?? '')['cursor'], 'n');
});

test('acceptance 170: a history without a pagination object is one page', async () => {
  await using service = await openService(json({ changes: [{ revision: 1 }] }));

  assert.equal((await service.client().organization.history().all({ max: 9 })).length, 1);
});

test('acceptance 173, A43: settings are generic JSON, and a retyped one does not hide the others', async () => {
  const settings = {
    sandbox: { enabled: 'yes' },
    ideAutoConnect: true,
    brandNew: { a: [1] },
    customModels: 'none',
  };
  await using service = await openService(json({ changes: [{ revision: 1, settings }] }));

  const [change] = await service.client().organization.history().all({ max: 1 });
  const read = readControlSettings(change?.settings ?? {});

  assert.deepEqual(change?.settings, settings);
  assert.deepEqual(read, {
    settings: { ideAutoConnect: true, brandNew: { a: [1] } },
    misfits: ['$.sandbox.enabled', '$.customModels'],
  });
});

test('acceptance 188: an absent setting stays absent in the typed view', () => {
  const { settings } = readControlSettings({ ideAutoConnect: false });

  assert.deepEqual(settings, { ideAutoConnect: false });
});
