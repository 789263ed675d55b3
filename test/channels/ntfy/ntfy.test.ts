import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';

import ntfy from '../../../src/channels/ntfy/index.ts';
import { parseOptions } from '../../../src/config/problem.ts';
import type { Notification } from '../../../src/core/notification.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { sampleNotification } from '../../support/sample.ts';
import { channelConformance, send } from '../conformance.ts';
import { answered, httpConformance } from '../http-conformance.ts';
import { createNtfy, messageOf, openNtfyStage } from './ntfy-stage.ts';

channelConformance(ntfy, openNtfyStage);

/** An answer without the document of ntfy comes from something in between, such as a page that requires a login. */
const withoutDocument = Array.from({ length: 100 }, (_, index) => [200 + index, 'retry']);
httpConformance('ntfy', openNtfyStage, { ...Object.fromEntries(withoutDocument), 403: 'broken' });

async function messageFor(
  fields: Partial<Notification>,
  options: Record<string, unknown> = {},
): Promise<ReturnType<typeof messageOf>> {
  await using stage = await openNtfyStage(options);
  await send(stage, sampleNotification(fields));
  return messageOf(stage.endpoint.requests.find(({ method }) => method === 'POST'));
}

describe('ntfy', () => {
  test('priority and emoji follow severity and kind, and a quiet notification makes no sound', async () => {
    const looks: unknown[] = [];
    for (const fields of [
      { kind: 'turn.failed', severity: 'critical' },
      { kind: 'needs.permission', severity: 'warning' },
      { kind: 'turn.done', severity: 'info' },
      { kind: 'needs.permission', severity: 'warning', quietly: true },
    ] as const) {
      const { priority, tags } = await messageFor(fields);
      looks.push([priority, ...tags]);
    }

    assert.deepEqual(looks, [
      [5, 'rotating_light'],
      [4, 'lock'],
      [3, 'white_check_mark'],
      [2, 'lock'],
    ]);
  });

  test('a rate limit pauses the channel for as long as the server takes to allow one more request', async () => {
    await using stage = await openNtfyStage();
    const body = '{"code":42901,"http":429,"error":"limit reached: too many requests"}';
    stage.endpoint.answer({ status: 429, body });

    assert.deepEqual(await send(stage, sampleNotification()), {
      type: 'retry',
      reason: 'Cannot deliver to ntfy: it answered 429: too many requests',
      afterMs: 5_000,
    });
    stage.endpoint.answer({ status: 429, body, headers: { 'retry-after': '60' } });
    assert.equal(inspect(await send(stage, sampleNotification())).includes('afterMs: 60000'), true);
  });

  test('messages of a session share an id that does not show its project', async () => {
    const [first, second, other] = await Promise.all([
      messageFor({ groupKey: 'claude:secret-project:s1', body: 'one' }),
      messageFor({ groupKey: 'claude:secret-project:s1', body: 'two' }),
      messageFor({ groupKey: 'claude:secret-project:s2' }),
    ]);

    assert.equal(first?.sequence_id, second?.sequence_id);
    assert.notEqual(first?.sequence_id, other?.sequence_id);
    assert.doesNotMatch(first?.sequence_id ?? '', /secret|s1/);
  });

  test('without an answer topic a notification has no buttons, and a test never has', async () => {
    const buttons = { answer_topic: 'answers', answer_token: 'tk_write' };

    assert.equal((await messageFor({ sessionId: 's1' })).actions, undefined);
    assert.equal((await messageFor({ sessionId: 's1', kind: 'test' }, buttons)).actions, undefined);
  });

  test('buttons publish a signed body with the answer token, never with the other one', async () => {
    const { actions = [] } = await messageFor(
      { sessionId: 's1', kind: 'needs.permission' },
      { token: 'tk_all', answer_topic: 'answers', answer_token: 'tk_write' },
    );

    assert.deepEqual(
      actions.map(({ label, headers, url }) => [label, headers, new URL(url).pathname]),
      [
        ['Snooze 30 min', { authorization: 'Bearer tk_write' }, '/answers'],
        ['Seen', { authorization: 'Bearer tk_write' }, '/answers'],
      ],
    );
    assert.doesNotMatch(inspect(actions, { depth: 5 }), /tk_all/);
  });

  test('a server that does not know sequences gets a silent message when the request is answered', async () => {
    await using stage = await openNtfyStage();
    const outcome = await send(stage, sampleNotification({ title: 'shop: may I?' }));
    assert.ok(outcome.type === 'delivered' && outcome.ref !== undefined);

    const withdrawn = await stage.channel.withdraw?.(outcome.ref, sendContext());

    assert.equal(withdrawn?.type, 'delivered');
    const { title, priority } = messageOf(stage.endpoint.requests.at(-1));
    assert.deepEqual([title, priority], ['No longer waiting: shop: may I?', 1]);
  });

  test('a damaged reference is refused instead of guessed', async () => {
    await using stage = await openNtfyStage();

    const outcome = await stage.channel.withdraw?.('{', sendContext());

    assert.equal(outcome?.type, 'failed');
    assert.deepEqual(stage.endpoint.requests, []);
  });

  test('a refusal says what ntfy means, without its text', async () => {
    await using stage = await openNtfyStage();

    const outcome = await answered(stage, {
      status: 429,
      body: '{"code":42908,"http":429,"error":"limit reached: hostile text"}',
    });

    assert.ok(outcome.type === 'retry');
    assert.match(outcome.reason, /429: the daily number of messages is used up$/);
  });

  for (const [fields, fault] of [
    [{ answer_topic: 'agents' }, /"topic" and "answer_topic" are the same topic/],
    [{ answer_token: 'tk_1' }, /"token" and "answer_token" are the same token/],
    [{ topic: 'a/b' }, /"topic" is not a topic: 1 to 64 letters/],
    [{ token: 'a b' }, /"token" is not a token/],
  ] as const) {
    test(`is not created with ${inspect(fields)}`, async () => {
      const options = { server: 'http://127.0.0.1:9', topic: 'agents', token: 'tk_1', ...fields };

      await assert.rejects(createNtfy(options), fault);
    });
  }

  for (const [server, fault] of [
    ['http://ntfy.example.com', 'is not https (plain http goes to this machine only)'],
    ['https://me:pw@ntfy.example.com', 'contains a user name or password: use "token"'],
    ['ntfy.example.com', 'is not a URL'],
    ['https://ntfy.example.com/?a=b', 'has a query or a fragment'],
  ] as const) {
    test(`refuses the server "${server}"`, () => {
      const { error } = ntfy.options.safeParse({ server, topic: 't' }, parseOptions);

      assert.equal(error?.issues[0]?.message, fault);
    });
  }
});
