import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { shareBot, type BotListener } from '../../../src/channels/telegram/update-poller.ts';
import type { Channel } from '../../../src/core/channel.ts';
import { ConfigError } from '../../../src/platform/errors.ts';
import type { Outbound } from '../../../src/platform/outbound/outbound-port.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { Secret } from '../../../src/text/secret.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { type HttpEndpoint, openHttpEndpoint } from '../../support/http-endpoint.ts';
import { sampleNotification } from '../../support/sample.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import { createTelegram } from './telegram-stage.ts';

const TOKEN = '12345:AAfake-token-of-the-test-suite';
const CHAT = -100_123;

/** A channel without buttons, and a Bot API that gives each method the same answer. */
async function openBot(options: Record<string, unknown> = {}) {
  const endpoint = await openHttpEndpoint();
  const directory = await temporaryDirectory();
  const written = { server: endpoint.url, token: TOKEN, chat: CHAT };
  const channel: Channel = await createTelegram(
    { ...written, buttons: false, ...options },
    { stateDir: directory.path },
  );
  return {
    endpoint,
    channel,
    calls: () => endpoint.requests.map(({ path }) => path.split('/').at(-1)),
    async [Symbol.asyncDispose]() {
      await channel.close();
      await endpoint[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

function answerWith(endpoint: HttpEndpoint, answers: Readonly<Record<string, object>>): void {
  endpoint.answer(({ path }) => {
    const method = path.split('/').at(-1) ?? '';
    const answer = answers[method] ?? { ok: true, result: true };
    const status = 'error_code' in answer ? Number(answer.error_code) : 200;
    return { status, body: JSON.stringify(answer) };
  });
}

const refused = (description: string) => ({
  ok: false,
  error_code: 400,
  description: `Bad Request: ${description}`,
});
const ref = JSON.stringify({ chat: CHAT, message: 7, shown: 'x' });

describe('telegram: topics', () => {
  for (const [name, answer, outcome] of [
    [
      'is refused',
      refused('chat is not a forum'),
      { type: 'failed', channelBroken: true, reason: /has no topics/ },
    ],
    [
      'comes back without its id',
      { ok: true, result: {} },
      { type: 'retry', reason: /no topic was created/ },
    ],
  ] as const) {
    test(`nothing is sent where the topic of a session ${name}`, async () => {
      await using bot = await openBot({ topics: true });
      answerWith(bot.endpoint, { createForumTopic: answer });

      const sent = await bot.channel.send(sampleNotification(), sendContext());

      assert.ok(sent.type !== 'delivered');
      assert.match(sent.reason, outcome.reason);
      assert.equal(sent.type, outcome.type);
      assert.deepEqual(bot.calls(), ['createForumTopic']);
    });
  }

  test('a topic that is gone again right after it was created ends the attempt', async () => {
    await using bot = await openBot({ topics: true });
    answerWith(bot.endpoint, {
      createForumTopic: { ok: true, result: { message_thread_id: 5 } },
      sendMessage: refused('message thread not found'),
    });

    const sent = await bot.channel.send(sampleNotification(), sendContext());

    assert.notEqual(sent.type, 'delivered');
    const twice = ['createForumTopic', 'sendMessage'];
    assert.deepEqual(bot.calls(), [...twice, ...twice]);
  });
});

describe('telegram: messages', () => {
  test('a message whose id does not come back is delivered, and says that it stays as it is', async () => {
    await using bot = await openBot();
    answerWith(bot.endpoint, {});

    const sent = await bot.channel.send(sampleNotification(), sendContext());

    assert.ok(sent.type === 'delivered');
    assert.equal(sent.ref, undefined);
    assert.match(sent.note ?? '', /cannot be changed later/);
  });

  for (const [way, method, gone] of [
    ['update', 'editMessageText', 'message is not modified'],
    ['withdraw', 'deleteMessage', 'message to delete not found'],
  ] as const) {
    const change = (channel: Channel, of: string) =>
      way === 'update'
        ? channel.update?.(of, sampleNotification(), sendContext())
        : channel.withdraw?.(of, sendContext());

    test(`${way}() asks for nothing with a damaged reference`, async () => {
      await using bot = await openBot({ when_over: 'delete' });

      for (const damaged of ['', '{"chat":1}', '[]']) {
        const outcome = await change(bot.channel, damaged);
        assert.ok(outcome?.type === 'failed');
        assert.match(outcome.reason, /the reference is damaged$/);
      }
      assert.deepEqual(bot.calls(), []);
    });

    test(`${way}() has succeeded where "${gone}", and not where it is refused`, async () => {
      await using bot = await openBot({ when_over: 'delete' });
      answerWith(bot.endpoint, { [method]: refused(gone) });
      const done = await change(bot.channel, ref);
      answerWith(bot.endpoint, { [method]: refused("message can't be changed") });
      const failing = await change(bot.channel, ref);

      assert.equal(done?.type, 'delivered');
      assert.equal(failing?.type, 'failed');
      assert.deepEqual(bot.calls(), [method, method]);
    });
  }

  test('a channel that edits its messages has nothing to withdraw', async () => {
    await using bot = await openBot();

    assert.equal('withdraw' in bot.channel, false);
    assert.ok(bot.channel.lacks?.includes('withdraw'));
  });

  test('check() gives the reason why the token cannot be read', async () => {
    await using endpoint = await openHttpEndpoint();
    let isLost = false;
    const channel = await createTelegram(
      { server: endpoint.url, token: TOKEN, chat: 42, buttons: false },
      {
        resolveSecret: async (reference) => {
          if (isLost) throw new ConfigError('Cannot read the token', { hint: 'Write it again' });
          assert.equal(reference, TOKEN);
          return TOKEN;
        },
      },
    );
    isLost = true;

    const check = await channel.check(sendContext().signal);

    assert.deepEqual(check, {
      ok: false,
      summary: 'Cannot read the token',
      hint: 'Write it again',
    });
    assert.equal(endpoint.requests.length, 0);
    await channel.close();
  });
});

let bots = 0;

/** A listener of a bot whose first requests for updates get these responses, and later ones none. */
async function openPoller(...responses: readonly Response[]) {
  const directory = await temporaryDirectory();
  bots += 1;
  const left = [...responses];
  const asked: unknown[] = [];
  const answered: string[] = [];
  const pressed: string[] = [];
  const replied: string[] = [];
  let connected = 0;
  const fetchUpdates: Outbound['fetch'] = (url, request) => {
    const body: unknown = JSON.parse(String(request.body));
    if (!String(url).endsWith('/getUpdates')) {
      answered.push(String(request.body));
      return Promise.resolve(Response.json({ ok: true, result: true }));
    }
    asked.push(body);
    const response = left.shift();
    if (response !== undefined) return Promise.resolve(response);
    return new Promise((_resolve, reject) => {
      request.signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });
  };
  const listener = (knows: boolean | null): BotListener => ({
    outbound: { ...createOutbound({ env: {} }), fetch: fetchUpdates },
    onPress({ data }) {
      pressed.push(data);
      return knows === null ? null : { text: knows ? 'Allowed' : 'Unknown', isKnown: knows };
    },
    onReply: ({ text }) => void replied.push(text),
    onConnected: () => void (connected += 1),
  });
  const target = {
    server: 'https://telegram.example',
    token: new Secret(`${bots}:abc`),
    botId: String(bots),
  };
  const stateDir = directory.path;
  const join = (knows: boolean | null) =>
    shareBot(target, { stateDir, now: () => 1_700_000_000_000 }, listener(knows));
  return {
    join,
    asked,
    answered,
    pressed,
    replied,
    connected: () => connected,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const press = (update_id: number, data: string) => ({
  update_id,
  callback_query: {
    id: `press-${update_id}`,
    from: { id: 4_242 },
    data,
    message: { message_id: 1, chat: { id: 4_242 } },
  },
});

describe('shareBot()', () => {
  for (const [name, response, summary, hint] of [
    [
      'a webhook takes the updates',
      Response.json({ ok: false, description: 'Conflict: webhook is active' }, { status: 409 }),
      'Buttons have no effect: the bot has a webhook',
      /deleteWebhook/,
    ],
    [
      'another program polls',
      Response.json({ ok: false, description: 'Conflict: other getUpdates' }, { status: 409 }),
      'Buttons have no effect: another program polls this bot (409 Conflict)',
      /Stop that program/,
    ],
    [
      'something in between answers',
      new Response('<html>Welcome</html>'),
      'Buttons have no effect: the response is not from a Bot API',
      undefined,
    ],
    [
      'the answer is empty',
      new Response(null, { status: 204 }),
      'Buttons have no effect: Telegram answered 204',
      undefined,
    ],
    [
      'the answer is endless',
      new Response('x'.repeat(9_000_000)),
      'Buttons have no effect: the response is not from a Bot API',
      undefined,
    ],
    [
      'the service is down',
      new Response('busy', { status: 502, headers: { 'retry-after': '30' } }),
      'Buttons have no effect: Telegram answered 502',
      undefined,
    ],
  ] as const) {
    test(`gives the reason for buttons without effect where ${name}`, async () => {
      await using poller = await openPoller(response);
      const bot = poller.join(true);

      await until(() => bot.trouble()?.summary !== 'Not connected to Telegram yet');

      const trouble = bot.trouble();
      assert.equal(trouble?.summary, summary);
      if (hint === undefined) assert.equal(trouble?.hint, undefined);
      else assert.match(trouble?.hint ?? '', hint);
      assert.equal(poller.connected(), 0);
      await bot.close();
    });
  }

  test('handles no update twice, and confirms the last one', async () => {
    const reply = {
      message_id: 9,
      from: { id: 4_242 },
      chat: { id: 4_242 },
      text: 'Use staging',
      reply_to_message: { message_id: 1 },
    };
    await using poller = await openPoller(
      Response.json({ ok: true, result: [press(5, 'allow'), { update_id: 6, message: reply }] }),
      Response.json({ ok: true, result: [press(5, 'allow'), press(7, 'deny'), { update_id: 8 }] }),
    );
    const bot = poller.join(true);

    await until(() => poller.asked.length === 3 && poller.answered.length === 2);

    assert.deepEqual(poller.pressed, ['allow', 'deny']);
    assert.deepEqual(poller.replied, ['Use staging']);
    assert.deepEqual([bot.trouble(), poller.connected()], [null, 1]);
    assert.match(JSON.stringify(poller.asked[0]), /"timeout":0(?!.*offset)/);
    assert.match(JSON.stringify(poller.asked[2]), /"timeout":50.*"offset":9/);
    await bot.close();
  });

  test('a person sees the answer of the channel that knows the button, and none where no channel is in the chat', async () => {
    await using poller = await openPoller(Response.json({ ok: true, result: [press(1, 'allow')] }));
    const joined = [null, false, true].map((knows) => poller.join(knows));
    await until(() => poller.answered.length === 1);
    for (const bot of joined) await bot.close();

    assert.deepEqual(poller.pressed, ['allow', 'allow', 'allow']);
    assert.match(poller.answered[0] ?? '', /"text":"Allowed"/);

    await using elsewhere = await openPoller(
      Response.json({ ok: true, result: [press(1, 'allow')] }),
    );
    const bot = elsewhere.join(null);
    await until(() => elsewhere.asked.length === 2);
    await bot.close();
    assert.deepEqual([elsewhere.pressed, elsewhere.answered], [['allow'], []]);
  });

  test('a channel without buttons has no trouble, and asks for nothing', async () => {
    await using poller = await openPoller();
    const stateDir = '/nonexistent/state';
    const target = { server: 'https://telegram.example', token: new Secret('1:z'), botId: 'z' };

    const bot = shareBot(target, { stateDir, now: () => 0 }, null);

    assert.equal(bot.trouble(), null);
    await bot.close();
    await bot.close();
    assert.deepEqual(poller.asked, []);
  });
});
