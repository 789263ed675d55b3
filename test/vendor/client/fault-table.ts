import type { RetryClass } from '../../../src/vendor/client/index.ts';
import {
  type Effect,
  RETRY_AFTER_FORMS,
  type When,
} from '../../support/reference-service/faults/effects.ts';
import type { EffectOf, operations } from './fault-operations.ts';

/** The fault knobs of the reference service: the kind of an effect and what it can do. */
export type Knob = KnobOf<Effect>;

type KnobOf<One extends Effect> = One extends { readonly fault: infer Fault extends string }
  ? `${One['kind']} ${Fault}`
  : One extends { readonly kind: 'hang' | 'reset' | 'status' }
    ? `${One['kind']} ${When}`
    : One['kind'];

/** How a call ends that meets the fault in its first request, or in all of them; one text for both if they are one. */
export type Ending = string | { readonly once: string; readonly always: string };

export interface Row {
  readonly effect: EffectOf;
  /** By retry class; see `meet` for the words. */
  readonly ends: Readonly<Record<RetryClass, Ending>>;
  /** Distinguishes this row from others of its knob. */
  readonly title?: string;
  /** Which operations meet it, where it is about some: by default a session is read and updated. */
  readonly read?: keyof typeof operations;
  readonly write?: keyof typeof operations;
  /** Of one attempt, ms, for faults that leave it without an end. */
  readonly timeoutMs?: number;
}

const unharmed = {
  read: 'ok, sent 1',
  'idempotent-write': 'ok, sent 1',
  'check-then-retry': 'accepted, sent 1, looked 1',
  'never-after-send': 'delivered, sent 1, looked 1',
} as const;

/** What can be asked again is, twice; for the others the service is asked what happened. */
function repeated(error: string) {
  const ending = { once: 'ok, sent 2', always: `${error}, sent 3` };
  return { read: ending, 'idempotent-write': ending };
}

/** The request had no effect, but the client cannot know. */
function lostBefore(error: string): Row['ends'] {
  return {
    ...repeated(error),
    'check-then-retry': {
      once: 'accepted, sent 2, looked 2',
      always: 'AmbiguousWriteError: unknown, sent 2, looked 3',
    },
    'never-after-send': 'AmbiguousWriteError: not-delivered, sent 1, looked 3',
  };
}

/** The request had an effect, and its response is lost: the state of the service shows it. */
function lostAfter(error: string): Row['ends'] {
  return {
    ...repeated(error),
    'check-then-retry': 'inferred, sent 1, looked 2',
    'never-after-send': 'inferred, sent 1, looked 2',
  };
}

/** A status of success came, and what followed cannot be read: a message was added then, without asking. */
const accepted = {
  'check-then-retry': 'inferred, sent 1, looked 2',
  'never-after-send': 'inferred, sent 1, looked 1',
};

const brokenBody = { ...repeated('ApiConnectionError'), ...accepted };

const wrongShape = {
  read: 'ResponseShapeError, sent 1',
  'idempotent-write': 'ResponseShapeError, sent 1',
  ...accepted,
};

/** Asking again would not help. */
function final(error: string): Row['ends'] {
  return {
    read: `${error}, sent 1`,
    'idempotent-write': `${error}, sent 1`,
    'check-then-retry': `${error}, sent 1, looked 1`,
    'never-after-send': `${error}, sent 1, looked 1`,
  };
}

/** The service did nothing and says so: every class may ask again. */
const rateLimited: Row['ends'] = {
  ...repeated('RateLimitError'),
  'check-then-retry': {
    once: 'accepted, sent 2, looked 1',
    always: 'RateLimitError, sent 3, looked 1',
  },
  'never-after-send': {
    once: 'delivered, sent 2, looked 1',
    always: 'RateLimitError, sent 3, looked 1',
  },
};

function finalStatus(status: number, error: string): Row {
  return { title: String(status), effect: { kind: 'status', status }, ends: final(error) };
}

function inField(fault: 'null' | 'missing' | 'retyped'): EffectOf {
  return ({ field }) => ({ kind: 'field', fault, at: field });
}

/** A fault that only those reads notice that walk or sum; everything else is unharmed. */
function onlyReading(read: keyof typeof operations, effect: Effect, ending: Ending): Row {
  return { title: read, read, effect, ends: { ...unharmed, read: ending } };
}

function limits(fault: 'errors' | 'silence' | 'clamp', ending: string): readonly Row[] {
  const ends = { ...unharmed, 'idempotent-write': `updated to 5000000, ${ending}, sent 1` };
  return [{ effect: { kind: 'limits', fault }, write: 'setLimits', ends }];
}

/** Every knob against every retry class. A knob without a row does not compile. */
export const faultTable: Readonly<Record<Knob, readonly Row[]>> = {
  latency: [{ effect: { kind: 'latency', ms: 20 }, ends: unharmed }],
  drip: [{ effect: { kind: 'drip', ms: 1, bytes: 500 }, ends: unharmed }],
  truncate: [{ effect: { kind: 'truncate' }, ends: brokenBody }],
  stall: [{ effect: { kind: 'stall' }, ends: brokenBody, timeoutMs: 1_500 }],

  'hang before': [
    {
      effect: { kind: 'hang', when: 'before' },
      ends: lostBefore('ApiConnectionError'),
      timeoutMs: 1_500,
    },
  ],
  'hang after': [
    {
      effect: { kind: 'hang', when: 'after' },
      ends: lostAfter('ApiConnectionError'),
      timeoutMs: 1_500,
    },
  ],
  'reset before': [
    { effect: { kind: 'reset', when: 'before' }, ends: lostBefore('ApiConnectionError') },
  ],
  'reset after': [
    { effect: { kind: 'reset', when: 'after' }, ends: lostAfter('ApiConnectionError') },
  ],

  'status before': [
    ...[500, 502, 503].map((status): Row => ({
      title: String(status),
      effect: { kind: 'status', status },
      ends: lostBefore('ServerError'),
    })),
    {
      title: '503 with a page of a proxy',
      effect: { kind: 'status', status: 503, body: 'html' },
      ends: lostBefore('ServerError'),
    },
    {
      title: '503 without a body',
      effect: { kind: 'status', status: 503, body: 'nothing' },
      ends: lostBefore('ServerError'),
    },
    { title: '429', effect: { kind: 'status', status: 429 }, ends: rateLimited },
    ...RETRY_AFTER_FORMS.flatMap((form): Row[] => [
      {
        title: `429, wait 7 s as ${form}`,
        effect: { kind: 'status', status: 429, retryAfter: { form, seconds: 7 } },
        ends: rateLimited,
      },
      {
        title: `429, wait 90 s as ${form}: the client does not wait that long`,
        effect: { kind: 'status', status: 429, retryAfter: { form, seconds: 90 } },
        ends: final('RateLimitError'),
      },
    ]),
    finalStatus(400, 'BadRequestError'),
    finalStatus(401, 'AuthError'),
    finalStatus(403, 'ForbiddenError'),
    finalStatus(404, 'NotFoundError'),
    {
      ...finalStatus(409, 'ConflictError'),
      ends: {
        ...final('ConflictError'),
        'check-then-retry': 'already-running, sent 1, looked 2',
      },
    },
    finalStatus(413, 'TooLargeError'),
    finalStatus(418, 'UnexpectedStatusError'),
    finalStatus(422, 'UnprocessableError'),
    {
      title: '204',
      effect: { kind: 'status', status: 204, body: 'nothing' },
      ends: wrongShape,
    },
  ],
  'status after': [
    {
      title: '504',
      effect: { kind: 'status', status: 504, when: 'after' },
      ends: lostAfter('ServerError'),
    },
    {
      // It means that nothing was done: a service that says so and did it all the same cannot be seen through.
      title: '429 that is not true',
      effect: { kind: 'status', status: 429, when: 'after' },
      ends: {
        ...rateLimited,
        'check-then-retry': {
          once: 'already-running, sent 2, looked 2',
          always: 'RateLimitError, sent 3, looked 1',
        },
      },
    },
  ],
  redirect: [
    {
      title: 'to another origin',
      effect: { kind: 'redirect', to: 'https://elsewhere.example/' },
      ends: final('RedirectError'),
    },
    {
      title: 'within the origin',
      effect: { kind: 'redirect', to: '/api/v0/sessions', status: 307 },
      ends: final('RedirectError'),
    },
  ],

  'half-json': [{ effect: { kind: 'half-json' }, ends: brokenBody }],
  empty: [{ effect: { kind: 'empty' }, ends: brokenBody }],
  html: [{ effect: { kind: 'html' }, ends: wrongShape }],
  bom: [{ effect: { kind: 'bom' }, ends: unharmed }],
  'bad-gzip': [{ effect: { kind: 'bad-gzip' }, ends: brokenBody }],
  'content-type': [{ effect: { kind: 'content-type', type: 'text/plain' }, ends: unharmed }],

  'field extra': [{ effect: { kind: 'field', fault: 'extra' }, ends: unharmed }],
  'field null': [{ effect: inField('null'), ends: wrongShape }],
  'field missing': [{ effect: inField('missing'), ends: wrongShape }],
  'field retyped': [{ effect: inField('retyped'), ends: wrongShape }],
  'bad-item': [
    {
      read: 'listSessions',
      write: 'setLimits',
      effect: { kind: 'bad-item' },
      ends: {
        ...unharmed,
        // One item of each page that met it.
        read: { once: '46 of 47, sent 3', always: '44 of 47, sent 3' },
        'idempotent-write': 'no-answer, updated to 5000000, sent 1',
        // The list of a computer is its steps, without which it cannot be read.
        'check-then-retry': 'inferred, sent 1, looked 2',
      },
    },
  ],
  shuffle: [onlyReading('listSessions', { kind: 'shuffle' }, '47 of 47, sent 3')],

  'cursor repeated': [
    onlyReading(
      'listSessions',
      { kind: 'cursor', fault: 'repeated' },
      { once: '47 of 47, sent 3', always: 'PaginationError, sent 2' },
    ),
    onlyReading(
      'listReports',
      { kind: 'cursor', fault: 'repeated' },
      // A page that brings nothing new is the end, because the service does not announce more.
      { once: '9 of 9, sent 4', always: '3 of 9, sent 2' },
    ),
  ],
  'cursor cyclic': [
    onlyReading(
      'listSessions',
      { kind: 'cursor', fault: 'cyclic' },
      { once: '47 of 47, sent 3', always: 'PaginationError, sent 3' },
    ),
  ],
  'cursor missing': [
    onlyReading('listSessions', { kind: 'cursor', fault: 'missing' }, 'PaginationError, sent 1'),
  ],
  'cursor null': [
    onlyReading('listSessions', { kind: 'cursor', fault: 'null' }, 'PaginationError, sent 1'),
  ],
  'cursor empty': [
    onlyReading(
      'listSessions',
      { kind: 'cursor', fault: 'empty' },
      { once: '47 of 47, sent 3', always: 'PaginationError, sent 2' },
    ),
  ],
  'page empty': [
    onlyReading(
      'listSessions',
      { kind: 'page', fault: 'empty' },
      { once: '47 of 47, sent 4', always: 'PaginationError, sent 20' },
    ),
    onlyReading('listReports', { kind: 'page', fault: 'empty' }, '0 of 9, sent 1'),
  ],
  'page short': [
    onlyReading(
      'listSessions',
      { kind: 'page', fault: 'short' },
      { once: '47 of 47, sent 3', always: '47 of 47, sent 5' },
    ),
    onlyReading(
      'listReports',
      { kind: 'page', fault: 'short' },
      { once: '9 of 9, sent 5', always: '9 of 9, sent 6' },
    ),
  ],
  'page overlapping': [
    onlyReading(
      'listSessions',
      { kind: 'page', fault: 'overlapping' },
      // A session that comes again may have changed meanwhile: both are handed on.
      { once: '47 of 47, sent 3', always: '49 of 47, sent 3' },
    ),
    onlyReading('listReports', { kind: 'page', fault: 'overlapping' }, '9 of 9, sent 4'),
  ],

  'limits errors': limits('errors', 'refused'),
  'limits silence': limits('silence', 'no-answer'),
  'limits clamp': limits('clamp', 'updated to 1000000'),

  'batch late': [
    onlyReading('readTokens', { kind: 'batch', fault: 'late' }, '4 days, 1 missing, sent 1'),
  ],
  'batch zero': [onlyReading('readTokens', { kind: 'batch', fault: 'zero' }, '5 days, sent 1')],
  'max-span': [onlyReading('readTokens', { kind: 'max-span', days: 3 }, '5 days, sent 3')],
  skew: [
    {
      ...onlyReading('readTokens', { kind: 'skew', ms: -86_400_000 }, 'BadRequestError, sent 1'),
      title: 'a day behind',
    },
    {
      ...onlyReading('readTokens', { kind: 'skew', ms: 86_400_000 }, '5 days, sent 1'),
      title: 'a day ahead',
    },
  ],
  role: [onlyReading('readTokens', { kind: 'role', role: 'member' }, 'ForbiddenError, sent 1')],
  'revoke-key': [{ effect: { kind: 'revoke-key' }, ends: final('AuthError') }],
  'v0-off': [
    {
      title: '403',
      effect: { kind: 'v0-off', status: 403 },
      ends: final('ForbiddenError'),
    },
    {
      title: '404',
      effect: { kind: 'v0-off', status: 404 },
      ends: final('NotFoundError'),
    },
  ],
  'list-status': [onlyReading('listSessions', { kind: 'list-status' }, '47 of 47, sent 3')],
};
