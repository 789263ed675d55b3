import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';

import telegram from '../../../src/channels/telegram/index.ts';
import { sampleNotification } from '../../support/sample.ts';
import { channelConformance, send } from '../conformance.ts';
import { answered, httpConformance } from '../http-conformance.ts';
import { GROUP, openBotStage } from './bot-stage.ts';
import { createTelegram, openTelegramStage } from './telegram-stage.ts';

channelConformance(telegram, openTelegramStage);

/** An answer without the document of the Bot API comes from something in between; a malformed token gets 404. */
const withoutDocument = Array.from({ length: 100 }, (_, index) => [200 + index, 'retry']);
httpConformance('telegram', openTelegramStage, {
  ...Object.fromEntries(withoutDocument),
  403: 'broken',
  404: 'broken',
});

describe('telegram: messages', () => {
  test('each session has its topic, also after a restart, and a deleted one is created again', async () => {
    await using stage = await openBotStage({ topics: true }, GROUP);
    const { api } = stage;
    const one = { groupKey: 'claude:s1', project: 'shop', sessionTitle: 'Fix the tests' };
    await send(stage, sampleNotification(one));
    await send(stage, sampleNotification({ groupKey: 'claude:s2', project: 'web' }));
    await stage.channel.close();
    await send({ channel: await stage.again() }, sampleNotification(one));
    const threads = api.shown().map(({ message_thread_id: thread }) => thread);
    assert.deepEqual(api.topics, ['shop: Fix the tests', 'web']);
    assert.equal(threads[0], threads[2]);

    api.deleteTopic(threads[0] ?? 0);
    const outcome = await send({ channel: await stage.again() }, sampleNotification(one));

    assert.equal(outcome.type, 'delivered');
    assert.deepEqual(api.topics, ['web', 'shop: Fix the tests']);
  });

  test('an agent finds no way to link, mention or command: title and body are code', async () => {
    await using stage = await openTelegramStage();
    const text = 'see https://evil.example @alice #x /start';

    await send(stage, sampleNotification({ title: text, body: text }));

    const [arrival] = await stage.arrivals();
    assert.doesNotMatch(arrival?.shape ?? 'found', /found/);
  });

  test('a 429 waits as long as "retry_after" says', async () => {
    await using stage = await openTelegramStage();
    const parameters = { retry_after: 35 };

    const outcome = await answered(stage, {
      status: 429,
      body: JSON.stringify({
        ok: false,
        error_code: 429,
        description: 'Too Many Requests',
        parameters,
      }),
    });

    assert.ok(outcome.type === 'retry');
    assert.equal(outcome.afterMs, 35_000);
  });

  for (const [description, meaning] of [
    ['Bad Request: chat not found', /does not know the chat/],
    ['Bad Request: group chat was upgraded to a supergroup chat', /another id/],
    ['Bad Request: chat is not a forum', /has no topics/],
  ] as const) {
    test(`"${description}" stops the channel with its reason`, async () => {
      await using stage = await openTelegramStage();

      const outcome = await answered(stage, {
        status: 400,
        body: JSON.stringify({ ok: false, error_code: 400, description }),
      });

      assert.ok(outcome.type === 'failed' && outcome.channelBroken === true);
      assert.match(outcome.reason, meaning);
    });
  }

  for (const [options, fault] of [
    [{ token: 'abc' }, /"token" is not the token of a bot/],
    [{ chat: '@channel' }, /is not a numeric id/],
    [{ members: [-5] }, /is not the id of a person/],
    [{ server: 'http://example.com' }, /is not https/],
  ] as const) {
    test(`is not created with ${inspect(options)}`, async () => {
      const valid = { token: '12345:AAAAAAAAAAAAAAAAAAAAAAAA', chat: 1 };

      await assert.rejects(async () => createTelegram({ ...valid, ...options }), fault);
    });
  }
});
