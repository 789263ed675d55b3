import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { defineChannel } from '../../src/core/channel.ts';
import { systemClock } from '../../src/platform/time.ts';
import {
  ConfigError,
  DaemonUnreachableError,
  FailedError,
  HookbellError,
  NotFoundError,
  UsageError,
} from '../../src/platform/errors.ts';
import { factKeys } from '../../src/core/facts.ts';
import { isWaiting, kinds, sessionKeyOf } from '../../src/core/hook-event.ts';
import { severityOf } from '../../src/core/notification.ts';
import { delivered, failed, retry } from '../../src/core/outcome.ts';
import { secretReference } from '../../src/core/secret-reference.ts';
import { StoreError } from '../../src/core/store-aging.ts';
import { channelDependencies, sendContext } from '../support/channel-dependencies.ts';
import { sampleNotification } from '../support/sample.ts';

describe('sessionKeyOf()', () => {
  test('is the agent and its session id, whatever the directory', () => {
    assert.equal(sessionKeyOf('claude', 's1', '/a'), 'claude:s1');
    assert.equal(sessionKeyOf('claude', 's1', null), 'claude:s1');
  });

  test('is the directory without a session id', () => {
    assert.equal(sessionKeyOf('droid', null, '/a'), 'droid:at:/a');
    assert.equal(sessionKeyOf('droid', null, null), 'droid:at:');
  });
});

test('isWaiting() means the two kinds in which a person has to act', () => {
  assert.deepEqual(kinds.filter(isWaiting), ['needs.permission', 'needs.input']);
});

test('severityOf() is critical for failures, a warning for what waits and for notices, else information', () => {
  const severities = kinds.map((kind) => [kind, severityOf({ kind, failed: false })]);

  assert.deepEqual(
    severities.filter(([, severity]) => severity !== 'info'),
    [
      ['turn.failed', 'critical'],
      ['needs.permission', 'warning'],
      ['needs.input', 'warning'],
      ['message', 'warning'],
      ['notice', 'warning'],
    ],
  );
  for (const kind of kinds) assert.equal(severityOf({ kind, failed: true }), 'critical');
});

test('factKeys names nothing twice, and nothing that could hold a secret (T12)', () => {
  assert.equal(new Set(factKeys).size, factKeys.length);
  for (const key of factKeys) {
    assert.match(key, /^[a-z][a-z0-9_]*$/);
    assert.doesNotMatch(key, /key|token|secret|password/);
  }
});

test('Outcomes are plain data with the details that were given', () => {
  assert.deepEqual(delivered(), { type: 'delivered' });
  assert.deepEqual(delivered({ ref: '7' }), { type: 'delivered', ref: '7' });
  assert.deepEqual(retry('No answer', { afterMs: 7 }), {
    type: 'retry',
    reason: 'No answer',
    afterMs: 7,
  });
  assert.deepEqual(failed('Gone', { channelBroken: true }), {
    type: 'failed',
    reason: 'Gone',
    channelBroken: true,
  });
});

describe('Errors for people', () => {
  const classes = {
    ConfigError,
    UsageError,
    DaemonUnreachableError,
    NotFoundError,
    FailedError,
  };

  test('carry their name, a hint or none, and their cause', () => {
    const cause = new Error('inner');
    for (const [name, Class] of Object.entries(classes)) {
      const error = new Class('What happened', { hint: 'What to do', cause });

      assert.ok(error instanceof HookbellError);
      assert.deepEqual(
        [error.name, error.message, error.hint, error.cause],
        [name, 'What happened', 'What to do', cause],
      );
      assert.equal(new Class('x').hint, null);
      assert.equal('cause' in new Class('x'), false);
    }
  });
});

test('StoreError says by its code what its caller can do', () => {
  const cause = new Error('inner');
  const error = new StoreError('full', 'No space', { cause });

  assert.deepEqual(
    [error.name, error.code, error.message, error.cause],
    ['StoreError', 'full', 'No space', cause],
  );
});

test('systemClock() is the wall time in ms', () => {
  const before = Date.now();
  const now = systemClock();

  assert.ok(now >= before && now <= Date.now());
});

test('defineChannel() lets no send begin after its signal has fired', async () => {
  const sent: string[] = [];
  const definition = defineChannel({
    type: 'x',
    summary: 'x',
    audience: 'person',
    reach: 'near',
    recipient: 'x',
    can: {},
    options: z.strictObject({}),
    limits: { timeoutMs: 1, concurrency: 1, burst: 1, refillMs: 0, maxAttempts: 1 },
    create: () =>
      Promise.resolve({
        send({ deliveryId }) {
          sent.push(deliveryId);
          return Promise.resolve(delivered());
        },
        check: () => Promise.resolve({ ok: true, summary: 'x' }),
        close: () => Promise.resolve(),
      }),
  });
  const channel = await definition.create({}, channelDependencies());

  const send = (deliveryId: string, signal: AbortSignal) =>
    channel.send(sampleNotification({ deliveryId }), sendContext({ signal }));
  const stopped = await send('a', AbortSignal.abort());
  const outcome = await send('b', new AbortController().signal);

  assert.deepEqual(stopped, retry('Stopped before the message was sent'));
  assert.deepEqual(outcome, delivered());
  assert.deepEqual(sent, ['b']);
});

describe('secretReference', () => {
  test('takes plain text and exactly one place', () => {
    for (const reference of ['x', { env: 'X' }, { file: 'x' }, { command: ['x', 'y'] }]) {
      assert.deepEqual(secretReference.parse(reference), reference);
    }
    for (const wrong of ['', 1, null, {}, { env: '' }, { command: [] }, { env: 'X', file: 'x' }]) {
      assert.equal(secretReference.safeParse(wrong).success, false, JSON.stringify(wrong));
    }
  });

  test('is known as a secret however it is wrapped', () => {
    assert.equal(secretReference.describe('The key').meta()?.['secret'], true);
  });
});
