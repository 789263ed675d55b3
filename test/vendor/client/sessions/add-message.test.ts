import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AmbiguousWriteError,
  ApiConnectionError,
  AuthError,
  TooLargeError,
  UsageError,
} from '../../../../src/vendor/client/index.ts';
import type { ScriptedAnswer } from '../../../support/scripted-answer.ts';
import { session } from '../samples.ts';
import type { TestService } from '../service.ts';
import { json, openService, rejection } from '../service.ts';

const input = { sessionId: 's1', text: 'Go on' };
const before = session();
const unmoved = json(session());
const moved = json(session({ messageCount: 5, updatedAt: 1_773_000_200_000, status: 'running' }));
const touched = json(session({ updatedAt: 1_773_000_200_000 }));
const added = json({ messageId: 'm1', status: 'pending' });

const GET = 'GET /api/v0/sessions/s1';
const POST = 'POST /api/v0/sessions/s1/messages';

function posts(service: TestService): number {
  return service.calls().filter((call) => call === POST).length;
}

test('acceptance 128, 131, 132, 133: the text goes to the computer of the session and the message id comes back', async () => {
  await using service = await openService(json(before), added);

  const result = await service.client().sessions.addMessage(input);

  assert.deepEqual(result, {
    outcome: 'delivered',
    inferred: false,
    answer: { messageId: 'm1', status: 'pending' },
  });
  assert.deepEqual(service.calls(), [GET, POST]);
  assert.deepEqual(JSON.parse(service.base.requests[1]?.body ?? ''), { text: 'Go on' });
});

test('acceptance 129, 130, 131: images, files and a named computer go along', async () => {
  await using service = await openService(json(before), added);
  const message = {
    images: [{ data: 'iVBORw0KGgo=' }],
    files: [{ data: 'aGk=', parsedData: 'hi', name: 'a.txt' }],
    computerId: 'c9',
  };

  await service.client().sessions.addMessage({ ...input, ...message });

  assert.deepEqual(service.calls(), [`${GET}?computerId=c9`, POST]);
  assert.deepEqual(JSON.parse(service.base.requests[1]?.body ?? ''), { text: 'Go on', ...message });
});

const lost: readonly (readonly [string, ScriptedAnswer])[] = [
  ['a reset', 'reset'],
  ['500', json({}, 500)],
  ['503 with Retry-After', json({}, 503, { 'retry-after': '1' })],
];

for (const [what, answer] of lost) {
  test(`A28: after ${what}, a grown count of an idle session means delivered, and nothing is posted again`, async () => {
    await using service = await openService(json(before), answer, moved);

    const result = await service.client().sessions.addMessage(input);

    assert.deepEqual(result, { outcome: 'delivered', inferred: true, status: 'running' });
    assert.deepEqual(service.calls(), [GET, POST, GET]);
  });

  test(`A28: after ${what}, a session that never moves means not delivered, after a second look`, async () => {
    await using service = await openService(json(before), answer, unmoved);

    const error = await rejection(
      service.client({ graceMs: 2_500 }).sessions.addMessage(input),
      AmbiguousWriteError,
    );

    assert.equal(error.outcome, 'not-delivered');
    assert.deepEqual(service.calls(), [GET, POST, GET, GET]);
    assert.deepEqual(service.waits, [2_500]);
  });
}

test('A28: a session that moves during the grace wait means delivered', async () => {
  await using service = await openService(json(before), 'reset', unmoved, moved);

  const { outcome } = await service.client().sessions.addMessage(input);

  assert.equal(outcome, 'delivered');
});

for (const [what, answer] of [
  ['body breaks', 'reset-midway'],
  ['body is empty', { status: 200, body: '' }],
  ['body does not fit', json({ messageId: 5 })],
] as const) {
  test(`A28: a 2xx whose ${what} means delivered`, async () => {
    await using service = await openService(json(before), answer, unmoved);

    const result = await service.client().sessions.addMessage(input);

    assert.deepEqual(result, { outcome: 'delivered', inferred: true, status: null });
    assert.equal(posts(service), 1);
  });
}

for (const [what, first, ...later] of [
  ['the agent was busy', json(session({ status: 'running' })), moved],
  ['only updatedAt moved', json(before), touched],
  ['the session cannot be read', json(before), json({}, 404)],
] as const) {
  test(`A28: when ${what}, the outcome is unknown`, async () => {
    await using service = await openService(first, 'reset', ...later);

    const error = await rejection(service.client().sessions.addMessage(input), AmbiguousWriteError);

    assert.equal(error.outcome, 'unknown');
    assert.ok(error.cause instanceof Error);
    assert.equal(posts(service), 1);
  });
}

test('A28: a timeout is a lost answer too', async () => {
  await using service = await openService(json(before), 'silence', moved);

  const { outcome } = await service.client().sessions.addMessage(input, { timeoutMs: 1_500 });

  assert.equal(outcome, 'delivered');
});

test('A28: a call given up after it was sent is unknown', async () => {
  await using service = await openService(json(before), 'silence');
  const controller = new AbortController();

  const call = service.client().sessions.addMessage(input, { signal: controller.signal });
  await service.base.nextRequest();
  await service.base.nextRequest();
  controller.abort(new Error('Enough'));

  assert.equal((await rejection(call, AmbiguousWriteError)).outcome, 'unknown');
});

test('A28: what the service surely did not take is sent again: 429, and a new key after 401', async () => {
  await using service = await openService(json(before), json({}, 429), json({}, 401), added);
  const keys = ['old', 'new'];

  const api = service.client({ apiKey: () => keys.shift() ?? null });
  const { outcome } = await api.sessions.addMessage(input);

  assert.equal(outcome, 'delivered');
  assert.deepEqual(service.calls(), [GET, POST, POST, POST]);
});

test('acceptance 220: a message over the local cap is refused before anything is sent, and 413 is reported', async () => {
  await using service = await openService(json(before), json({}, 413));
  const files = [{ name: 'a', data: 'aGk=', parsedData: 'ä'.repeat(50) }];

  const refused = await rejection(
    service.client({ maxMessageBytes: 100 }).sessions.addMessage({ ...input, files }),
    UsageError,
  );
  assert.match(refused.message, /109 bytes, limit 100/);
  assert.equal(service.base.requests.length, 0);

  await rejection(service.client().sessions.addMessage({ ...input, files }), TooLargeError);
});

test('nothing is posted when the session cannot be read first', async () => {
  await using service = await openService(json({}, 401));

  await rejection(service.client().sessions.addMessage(input), AuthError);

  assert.deepEqual(service.calls(), [GET]);
});

test('A28: a raw request posts once as well, and says that the outcome is unknown', async () => {
  await using service = await openService('reset');
  const path = '/api/v0/sessions/s1/messages';

  const error = await rejection(
    service.client().request('POST', path, { body: { text: 'a' } }),
    AmbiguousWriteError,
  );

  assert.equal(error.outcome, 'unknown');
  assert.ok(error.cause instanceof ApiConnectionError);
  assert.equal(posts(service), 1);
});
