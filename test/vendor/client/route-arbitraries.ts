import * as fc from 'fast-check';

import type { RouteId } from '../../../src/vendor/client/index.ts';
import type { Mock } from '../../support/reference-service/reference-server.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** One parameter that cannot be right. */
export interface Flaw {
  readonly name: string;
  readonly value: unknown;
  /** True where the interface allows it and only the client refuses it. */
  readonly localOnly?: true;
}

export interface Generated {
  readonly valid: fc.Arbitrary<Parameters>;
  readonly required: readonly string[];
  readonly flaws: readonly Flaw[];
}

/** Days with data for a clock that stands at noon of 15 July 2026. */
const day = fc
  .integer({ min: 0, max: 181 })
  .map((days) => new Date(Date.UTC(2026, 0, 14 + days)).toISOString().slice(0, 10));

const range = fc
  .tuple(day, day)
  .map(([one, other]) =>
    one < other ? { startDate: one, endDate: other } : { startDate: other, endDate: one },
  );

const pageSize = fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined });
/** Of 1 to 63 characters, some of them of two UTF-16 units. */
const shortName = fc
  .string({ minLength: 1, maxLength: 63, unit: 'grapheme-ascii' })
  .map((text) => `${text.slice(1)}🖥`);
const anyText = fc.string({ unit: 'grapheme' });
const spokenText = anyText.map((text) => `${text}!`);
const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 30 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
const png = fc
  .uint8Array({ maxLength: 30 })
  .map((bytes) =>
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, ...bytes]).toString('base64'),
  );

const settings = fc
  .record(
    {
      model: anyText,
      specModeModel: anyText,
      providerLockTimestamp: anyText,
      assistantActiveTimeMs: fc.nat(),
      archivedAt: anyText,
      tags: fc.array(
        fc.record(
          { name: anyText, metadata: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })) },
          { requiredKeys: ['name'] },
        ),
        { maxLength: 3 },
      ),
      enabledToolIds: fc.array(anyText, { maxLength: 3 }),
      disabledToolIds: fc.array(anyText, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  )
  .filter((some) => Object.keys(some).length > 0);

const file = fc.oneof(
  fc.record({ name: spokenText, data: base64, path: anyText }, { requiredKeys: ['name', 'data'] }),
  fc.record({ name: spokenText, parsedData: anyText }),
);

const limits = fc.uniqueArray(
  fc.record({
    email: fc.constantFrom(
      'ada@example.com',
      'hoa@example.com',
      'lena@example.com',
      'nobody@example.com',
    ),
    limit: fc.double({ noNaN: true, noDefaultInfinity: true }),
  }),
  { minLength: 1, selector: ({ email }) => email },
);

const pageFlaws: readonly Flaw[] = [
  ...[0, -1, 101, 1.5, Number.NaN, 'a', '', null].map((value) => ({ name: 'limit', value })),
  { name: 'cursor', value: 'never given out' },
];

const rangeFlaws: readonly Flaw[] = ['startDate', 'endDate'].flatMap((name) =>
  ['2026-7-1', '2026-02-29', '2026-07-15', 'yesterday', '', 20260701, null].map((value) => ({
    name,
    value,
  })),
);

function noSuch(...names: readonly string[]): readonly Flaw[] {
  return names.flatMap((name) => [
    { name, value: 'x/../y?z=1#' },
    { name, value: '\u0000%\u{1f300}' },
  ]);
}

function notText(...names: readonly string[]): readonly Flaw[] {
  return names.flatMap((name) => [5, true, {}, []].map((value) => ({ name, value })));
}

function daily(dimension?: string): Generated {
  const groupBy = fc.constantFrom(
    ...(dimension === undefined ? [{}] : [{}, { group_by: dimension }]),
  );
  return {
    valid: fc.tuple(range, groupBy).map(([dates, group]) => ({ ...dates, ...group })),
    required: ['startDate', 'endDate'],
    flaws: [...rangeFlaws, { name: 'group_by', value: 'user' }, { name: 'group_by', value: '' }],
  };
}

/** Requests of every route as the interface allows them, and what would make each wrong. */
export function generatedRequests(mock: Mock): Readonly<Record<RouteId, Generated>> {
  const { sessions, computers, reports } = mock.state();
  const session = fc
    .constantFrom(...sessions)
    .map(({ sessionId, computerId, messages }) => ({ sessionId, computerId, messages }));
  const sessionId = session.map((one) => ({ sessionId: one.sessionId }));
  const computerId = fc.constantFrom(...computers).map(({ id }) => ({ computerId: id }));
  const pages = { valid: fc.record({ limit: pageSize }), required: [], flaws: pageFlaws };

  return {
    'analytics.tokens': daily('model'),
    'analytics.tools': daily('tool_name'),
    'analytics.activity': daily('client'),
    'analytics.productivity': daily(),
    'analytics.users': {
      valid: fc.tuple(range, pageSize).map(([dates, limit]) => ({ ...dates, limit })),
      required: ['startDate', 'endDate'],
      flaws: [...rangeFlaws, ...pageFlaws],
    },
    'readiness.list': {
      valid: fc
        .record(
          {
            repoId: fc.constantFrom('repo_api', 'repo_web', 'repo_unknown'),
            limit: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
            startAfter: fc.constantFrom(...reports.map(({ reportId }) => reportId)),
          },
          { requiredKeys: [] },
        )
        .map(({ repoId, startAfter, ...rest }) =>
          // Paging cannot continue from a report of another repository.
          repoId === undefined ? { ...rest, startAfter } : { ...rest, repoId },
        ),
      required: [],
      flaws: [
        ...[0, -1, 2.5, 'a', ''].map((value) => ({ name: 'limit', value })),
        { name: 'startAfter', value: 'no report' },
      ],
    },
    'sessions.list': {
      valid: fc
        .tuple(pageSize, fc.option(computerId, { nil: {} }))
        .map(([limit, on]) => ({ limit, ...on })),
      required: [],
      flaws: [...pageFlaws, ...noSuch('computerId')],
    },
    'sessions.get': {
      valid: session.map((one) => ({ sessionId: one.sessionId, computerId: one.computerId })),
      required: ['sessionId'],
      flaws: noSuch('sessionId', 'computerId'),
    },
    'sessions.update': {
      valid: fc
        .tuple(sessionId, settings)
        .map(([id, sessionSettings]) => ({ ...id, sessionSettings })),
      required: ['sessionId', 'sessionSettings'],
      flaws: [
        ...noSuch('sessionId'),
        ...[
          null,
          [],
          'model',
          { tokenUsage: {} },
          { colour: 'red' },
          { model: 1 },
          { tags: [{ metadata: {} }] },
          { tags: ['a'] },
          { enabledToolIds: [1] },
          { assistantActiveTimeMs: '1' },
        ].map((value) => ({ name: 'sessionSettings', value })),
        { name: 'sessionSettings', value: {}, localOnly: true },
      ],
    },
    'sessions.addMessage': {
      valid: fc
        .tuple(
          sessionId,
          fc.record(
            {
              text: spokenText,
              images: fc.array(fc.record({ data: png }), { maxLength: 2 }),
              files: fc.array(file, { maxLength: 2 }),
            },
            { requiredKeys: ['text'] },
          ),
        )
        .map(([id, message]) => ({ ...id, ...message })),
      required: ['sessionId', 'text'],
      flaws: [
        ...noSuch('sessionId', 'computerId'),
        ...notText('text', 'computerId'),
        { name: 'text', value: '' },
        { name: 'text', value: ' \n', localOnly: true },
        { name: 'images', value: {} },
        { name: 'images', value: [{ data: 'data:image/png;base64,AA==' }] },
        { name: 'images', value: [{ data: 'QUJD' }], localOnly: true },
        { name: 'files', value: [{ size: 3 }] },
        { name: 'files', value: [{ name: 5 }] },
        { name: 'files', value: [{ name: 'a.txt' }], localOnly: true },
      ],
    },
    'sessions.getMessage': {
      valid: session.chain(({ messages, sessionId: id }) =>
        fc.constantFrom(...messages).map((message) => ({ sessionId: id, messageId: message.id })),
      ),
      required: ['sessionId', 'messageId'],
      flaws: noSuch('sessionId', 'messageId', 'computerId'),
    },
    'computers.list': { valid: fc.constant({}), required: [], flaws: [] },
    'computers.get': { valid: computerId, required: ['computerId'], flaws: noSuch('computerId') },
    'computers.byName': {
      valid: fc.constantFrom(...computers).map(({ name }) => ({ name })),
      required: ['name'],
      flaws: [{ name: 'name', value: 'n'.repeat(64) }, ...noSuch('name')],
    },
    'computers.update': {
      valid: fc
        .tuple(
          computerId,
          fc.record({ hostId: fc.uuid(), remoteUser: shortName }, { requiredKeys: ['remoteUser'] }),
        )
        .map(([id, change]) => ({ ...id, ...change })),
      required: ['computerId'],
      flaws: [
        ...noSuch('computerId'),
        ...notText('name', 'hostId', 'remoteUser'),
        { name: 'name', value: '' },
        { name: 'name', value: '🖥'.repeat(64) },
        { name: 'remoteUser', value: 'n'.repeat(64) },
        { name: 'hostId', value: 'not-a-uuid' },
      ],
    },
    'computers.installDeps': {
      valid: computerId,
      required: ['computerId'],
      flaws: noSuch('computerId'),
    },
    'org.users': pages,
    'org.history': pages,
    'org.setLimits': {
      valid: limits.map((users) => ({ users })),
      required: ['users'],
      flaws: [
        [],
        {},
        null,
        [{ email: 'ada@example.com' }],
        [{ limit: 1 }],
        [{ email: 'ada', limit: 1 }],
        [{ email: 'ada@example.com', limit: '1' }],
        [{ email: 'ada@example.com', limit: null }],
        [{ email: 'ada@example.com', limit: 1, colour: 'red' }],
        Array.from({ length: 101 }, (_, index) => ({ email: `u${index}@example.com`, limit: 1 })),
      ].map((value) => ({ name: 'users', value })),
    },
  };
}
