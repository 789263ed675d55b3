import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import * as fc from 'fast-check';

import type { Mock } from '../../src/mock/server.ts';
import { ask, knownIds, openMock } from './ask.ts';

/** A request in parts, so that one part can be changed. */
interface Plan {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly contentType?: string;
  readonly key: 'owner' | 'revoked' | null;
}

let mock: Mock;

before(async () => {
  mock = await openMock();
});

after(() => mock.close());

async function statusOf({ method, path, query, body, contentType, key }: Plan): Promise<number> {
  const { status, text } = await ask(mock, `${path}?${new URLSearchParams(query).toString()}`, {
    method,
    key: key && mock.keys[key],
    ...(body === undefined ? {} : { body }),
    ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
  });
  assert.ok(status < 500, text);
  return status;
}

const owner = { key: 'owner', method: 'GET' } as const;

const day = fc
  .integer({ min: 0, max: 181 })
  .map((days) => new Date(Date.UTC(2026, 0, 14 + days)).toISOString().slice(0, 10));

const range = fc
  .tuple(day, day)
  .map(([one, other]) =>
    one < other ? { startDate: one, endDate: other } : { startDate: other, endDate: one },
  );

const limit = fc.integer({ min: 1, max: 100 }).map(String);

const analytics = fc
  .tuple(
    fc.constantFrom(
      ['tokens', { group_by: 'model' }] as const,
      ['tools', { group_by: 'tool_name' }] as const,
      ['activity', { group_by: 'client' }] as const,
      ['tokens', {}] as const,
      ['productivity', {}] as const,
    ),
    range,
  )
  .map(([[name, extra], dates]): Plan => {
    return { ...owner, path: `/api/v1/analytics/${name}`, query: { ...dates, ...extra } };
  });

const users = fc.record({ range, limit }).map((each): Plan => {
  const query = { ...each.range, limit: each.limit };
  return { ...owner, path: '/api/v1/analytics/users', query };
});

const lists = fc
  .tuple(
    fc.constantFrom(
      '/api/v0/sessions',
      '/api/v0/organization/users',
      '/api/v0/organization/enterprise-controls/history',
      '/api/organization/maturity-level-reports',
    ),
    limit,
  )
  .map(([path, size]): Plan => ({ ...owner, path, query: { limit: size } }));

const reads: fc.Arbitrary<Plan> = fc.oneof(analytics, users, lists);

const anyText = fc.string({ minLength: 1, unit: 'grapheme' });
const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 30 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));

const message = fc.record(
  {
    text: anyText,
    images: fc.array(fc.record({ data: base64 }), { maxLength: 2 }),
    files: fc.array(
      fc.record(
        { data: base64, parsedData: anyText, name: anyText, path: anyText },
        { requiredKeys: [] },
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ['text'] },
);

const settings = fc.record(
  {
    model: fc.string(),
    assistantActiveTimeMs: fc.nat(),
    archivedAt: fc.string(),
    tags: fc.array(
      fc.record({ name: fc.string(), metadata: fc.dictionary(fc.string(), fc.string()) }),
    ),
    enabledToolIds: fc.array(fc.string()),
  },
  { requiredKeys: [] },
);

const limits = fc.array(
  fc.record({
    email: fc.constantFrom('ada@example.com', 'nobody@example.com', 'hoa@example.com'),
    limit: fc.double({ noNaN: true, noDefaultInfinity: true }),
  }),
  { minLength: 1, maxLength: 100 },
);

const shortName = fc.string({ minLength: 1, maxLength: 63 });

type Body = Readonly<Record<string, unknown>>;

/** Writes name their path by the ids of the data, which is there only when a test runs. */
const writes: fc.Arbitrary<() => Plan> = fc.oneof(
  plans('POST', () => `/api/v0/sessions/${knownIds(mock).sessionId}/messages`, message),
  plans(
    'PATCH',
    () => `/api/v0/sessions/${knownIds(mock).sessionId}`,
    settings.map((sessionSettings) => ({ sessionSettings })),
  ),
  plans(
    'PATCH',
    () => `/api/v0/computers/${knownIds(mock).computerId}`,
    fc.record({ remoteUser: shortName, hostId: fc.uuid() }, { requiredKeys: [] }),
  ),
  plans(
    'PUT',
    () => '/api/v0/organization/usage/limits/users',
    limits.map((entries) => ({ users: entries })),
  ),
);

function plans(method: string, path: () => string, bodies: fc.Arbitrary<Body>) {
  return bodies.map((body) => (): Plan => ({
    key: 'owner',
    method,
    path: path(),
    query: {},
    body,
  }));
}

type Mutation = (plan: Plan) => Plan;

const anyMutation: readonly Mutation[] = [
  (plan) => ({ ...plan, key: null }),
  (plan) => ({ ...plan, key: 'revoked' }),
  (plan) => ({ ...plan, method: 'DELETE' }),
  (plan) => ({ ...plan, path: `${plan.path}/x/y` }),
  (plan) => ({ ...plan, query: { ...plan.query, surprise: '1' } }),
];

const readMutations: readonly Mutation[] = [
  ...anyMutation,
  ...['0', '-1', '1.5', '', 'a', '1e2', '+5', ' 5'].map((value): Mutation => (plan) => ({
    ...plan,
    query: { ...plan.query, limit: value },
  })),
  ...['2026-7-1', '2026-02-29', 'yesterday', '2026-07-15', ''].map((value): Mutation => (plan) => ({
    ...plan,
    query: { ...plan.query, endDate: value },
  })),
];

const writeMutations: readonly Mutation[] = [
  ...anyMutation,
  (plan) => ({ ...plan, contentType: 'text/plain' }),
  (plan) => ({ ...plan, body: { ...plan.body, surprise: 1 } }),
  (plan) => ({ ...plan, body: Object.fromEntries([['users', null]]) }),
  (plan) => ({
    ...plan,
    body: { ...plan.body, text: 5, sessionSettings: [], name: '', users: {} },
  }),
];

test('Any generated valid read is answered by 200', async () => {
  await fc.assert(
    fc.asyncProperty(reads, async (plan) => {
      assert.equal(await statusOf(plan), 200);
    }),
    { numRuns: 60 },
  );
});

test('Any generated valid write is answered by 200', async () => {
  await fc.assert(
    fc.asyncProperty(writes, async (plan) => {
      assert.equal(await statusOf(plan()), 200);
    }),
    { numRuns: 60 },
  );
});

test('A valid read with one mutation is answered by 4xx', async () => {
  await fc.assert(
    fc.asyncProperty(reads, fc.constantFrom(...readMutations), async (plan, mutate) => {
      const status = await statusOf(mutate(plan));
      assert.ok(status >= 400, `${status}`);
    }),
    { numRuns: 120 },
  );
});

test('A valid write with one mutation is answered by 4xx', async () => {
  await fc.assert(
    fc.asyncProperty(writes, fc.constantFrom(...writeMutations), async (plan, mutate) => {
      const status = await statusOf(mutate(plan()));
      assert.ok(status >= 400, `${status}`);
    }),
    { numRuns: 120 },
  );
});

test('Any bytes as a body are answered, and never by 5xx', async () => {
  const path = `/api/v0/sessions/${knownIds(mock).sessionId}/messages`;
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 3 }), async (body) => {
      const { status, text } = await ask(mock, path, { method: 'POST', body });
      assert.ok(status < 500, text);
    }),
    { numRuns: 60 },
  );
});
