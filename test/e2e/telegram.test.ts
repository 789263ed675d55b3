import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { heldQuestions, permissionRequest, startAsking } from '../support/asking-hook.ts';
import {
  type BotApiMessage,
  type FakeBotApi,
  PERSON,
  startBotApi,
} from '../support/fake-bot-api.ts';
import { type HookbellHome, hookbellHome, until } from '../support/hookbell-home.ts';

/** A home that sends every request to a chat. */
async function homeWith(api: FakeBotApi): Promise<HookbellHome> {
  const place = await hookbellHome();
  await place.writeConfig(`
channels:
  phone:
    type: telegram
    server: ${api.url}
    token: { env: BOT_TOKEN }
    chat: ${PERSON}
    rate: { burst: 1000, every: 1ms }
routes: [{ match: { kind: needs.permission }, notify: [phone] }]
`);
  place.env['BOT_TOKEN'] = api.token;
  return place;
}

async function firstMessage(api: FakeBotApi): Promise<BotApiMessage> {
  await until(() => api.shown().length === 1);
  const [message] = api.shown();
  assert.ok(message);
  return message;
}

describe('telegram, with a fake Bot API', () => {
  test('a press on Allow lets the agent go on, and the message loses its buttons', async () => {
    await using api = await startBotApi();
    await using place = await homeWith(api);
    await place.start();
    using asking = startAsking(place);
    await heldQuestions(place);
    const message = await firstMessage(api);
    assert.match(message.text, /shop/);
    assert.match(message.text, /command: touch made/);

    api.press('Allow', message);

    const { code, printed } = await asking.ended;
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(printed), {
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
    });
    await until(() => api.shown()[0]?.reply_markup === undefined);
    assert.match(api.shown()[0]?.text ?? '', /^\S+ Over: /);
    assert.doesNotMatch(await readFile(place.paths.log, 'utf8'), /fake-token/);
  });

  test('a reply denies with its words', async () => {
    await using api = await startBotApi();
    await using place = await homeWith(api);
    await place.start();
    using asking = startAsking(place);
    await heldQuestions(place);

    api.reply('Use the staging bucket', await firstMessage(api));

    const { printed } = await asking.ended;
    const { decision } = JSON.parse(printed).hookSpecificOutput;
    assert.deepEqual(decision, { behavior: 'deny', message: 'Use the staging bucket' });
  });

  test('a press while the daemon is down counts afterwards, once', async () => {
    await using api = await startBotApi();
    await using place = await homeWith(api);
    await place.start();
    await place.hook(permissionRequest);
    const message = await firstMessage(api);
    await place.killDaemon();
    api.press('Seen', message);

    await place.start();

    await until(async () => (await place.ask('GET /v1/alerts'))[0]?.state === 'acknowledged');
    await until(() => api.answers.length === 1);
    await place.killDaemon();
    const polls = api.calls('getUpdates');
    await place.start();
    // The first comes back with all that is unconfirmed.
    await until(() => api.calls('getUpdates') > polls + 1);
    assert.deepEqual(api.answers, ['Seen']);
  });

  test('`doctor` names another program that polls the bot, and a token that is refused, without it', async () => {
    await using api = await startBotApi();
    await using place = await homeWith(api);
    await place.start();
    const say = async (): Promise<string> => (await place.cli('doctor', '--all')).stdout;
    await until(async () => /Sends as @hookbell_test_bot, with buttons/.test(await say()));

    api.setConflict(true);

    await until(async () => /another program polls this bot \(409 Conflict\)/.test(await say()));
    await place.killDaemon();
    place.env['BOT_TOKEN'] = `${api.token}-revoked`;
    await place.start();
    const said = await say();
    assert.match(said, /"127\.0\.0\.1" refuses the bot token/);
    assert.doesNotMatch(said + (await readFile(place.paths.log, 'utf8')), /fake-token/);
  });
});
