import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';

import { sendContext } from '../../support/channel-dependencies.ts';
import { PERSON } from '../../support/fake-bot-api.ts';
import { sampleNotification } from '../../support/sample.ts';
import { until } from '../../support/until.ts';
import { send } from '../conformance.ts';
import {
  asked,
  GROUP,
  labels,
  lastOf,
  openBotStage,
  question,
  request,
  STRANGER,
} from './bot-stage.ts';
import { createTelegram } from './telegram-stage.ts';

describe('telegram: buttons', () => {
  test('a request has Allow and Deny, a question its options, anything else Seen', async () => {
    await using stage = await openBotStage();

    await send(stage, asked(request));
    assert.deepEqual(labels(stage.api), [
      ['Allow', 'Deny'],
      ['Snooze 30 min', 'Seen'],
    ]);
    await send(stage, asked(question));
    assert.deepEqual(labels(stage.api), [
      ['SQLite'],
      ['PostgreSQL'],
      ['Deny'],
      ['Snooze 30 min', 'Seen'],
    ]);
    await send(stage, sampleNotification({ kind: 'turn.done' }));
    assert.deepEqual(labels(stage.api), [['Seen']]);
    await send(stage, sampleNotification({ kind: 'test' }));
    assert.deepEqual(labels(stage.api), []);
  });

  test('a press decides the request once, and the person sees that it was taken', async () => {
    await using stage = await openBotStage();
    const { api, reactions } = stage;
    const notification = asked(request);
    await send(stage, notification);

    api.press('Allow', lastOf(api));
    api.press('Allow', lastOf(api));

    await until(() => api.answers.length === 2);
    const { deliveryId } = notification;
    const { question: id, requestHash } = request;
    assert.deepEqual(reactions, [
      {
        deliveryId,
        type: 'decided',
        question: id,
        requestHash,
        choice: 'allow',
        option: null,
        words: null,
        by: 'Telegram user 4242',
      },
    ]);
    assert.deepEqual(api.answers, ['Sent', 'This button is no longer valid']);
  });

  test('the second option of a question is its answer', async () => {
    await using stage = await openBotStage();
    const { api, reactions } = stage;
    await send(stage, asked(question));

    api.press('PostgreSQL', lastOf(api));

    await until(() => reactions.length === 1);
    const [reaction] = reactions;
    assert.ok(reaction?.type === 'decided');
    assert.deepEqual([reaction.choice, reaction.option], ['answer', 1]);
  });

  test('only listed people can press, also in a group', async () => {
    await using stage = await openBotStage({ members: [PERSON] }, GROUP);
    const { api, reactions } = stage;
    await send(stage, asked(request));

    api.press('Allow', lastOf(api), STRANGER);
    api.press('Seen', lastOf(api), STRANGER);
    api.reply('Use staging', lastOf(api), STRANGER);
    api.press('Seen', lastOf(api));

    await until(() => api.answers.length === 3);
    assert.deepEqual(
      reactions.map(({ type }) => type),
      ['acknowledged'],
    );
    assert.match(api.answers[0] ?? '', /^Not allowed/);
  });

  test('a group without "members" has no buttons and is not polled', async () => {
    await using stage = await openBotStage({}, GROUP);
    const { api } = stage;

    await send(stage, asked(request));

    assert.deepEqual(labels(api), []);
    assert.equal(api.calls('getUpdates'), 0);
    assert.match((await stage.channel.check(AbortSignal.timeout(5_000))).summary, /names no one$/);
  });

  test('a message whose text or buttons a program changed decides nothing', async () => {
    await using stage = await openBotStage();
    const { api, reactions } = stage;
    await send(stage, asked(request));
    const first = lastOf(api);
    api.edit({ ...first, text: first.text.replace('npm publish', 'npm test') });
    await send(stage, asked(request));
    const second = lastOf(api);
    const swapped = second.reply_markup?.inline_keyboard.map((row) =>
      row.map((button) => ({ ...button, text: button.text === 'Allow' ? 'Deny' : button.text })),
    );
    api.edit({ ...second, reply_markup: { inline_keyboard: swapped ?? [] } });
    await send(stage, asked(request));
    const third = lastOf(api);
    // Its button stands in another message of the bot.
    const other = { ...third, message_id: third.message_id + 50 };
    api.edit(other);

    for (const message of [first, second, other]) api.press('Allow', message);

    await until(() => api.answers.length === 3);
    assert.deepEqual(reactions, []);
    assert.match(api.answers.join('\n'), /changed.*\n.*changed.*\n.*over/);

    api.press('Allow', third);
    await until(() => api.answers.length === 4);
    assert.deepEqual([api.answers[3], reactions.length], ['Sent', 1]);
  });

  test('no Allow where the message cannot show the whole request', async () => {
    await using stage = await openBotStage();

    await send(stage, asked({ ...request, text: 'x'.repeat(4_000) }));

    assert.deepEqual(labels(stage.api), [['Deny'], ['Snooze 30 min', 'Seen']]);
  });

  test('a reply denies with words, answers a question, or answers the session', async () => {
    await using stage = await openBotStage();
    const { api, reactions } = stage;
    await send(stage, asked(request));
    api.reply('Use the staging bucket', lastOf(api));
    await send(stage, asked(question));
    api.reply('MariaDB', lastOf(api));
    const replyLink = { url: 'http://127.0.0.1:1/reply/t', machine: 'devbox', forMs: 1 };
    await send(stage, sampleNotification({ kind: 'turn.done', replyLink }));
    api.reply('Now the tests', lastOf(api));

    await until(() => reactions.length === 3);
    const words = reactions.map((one) =>
      one.type === 'decided'
        ? [one.choice, one.words]
        : one.type === 'replied'
          ? [one.url, one.text]
          : [],
    );
    assert.deepEqual(words, [
      ['deny', 'Use the staging bucket'],
      ['answer', 'MariaDB'],
      [replyLink.url, 'Now the tests'],
    ]);
  });

  test('a reply that reaches no session gets an answer that says so', async () => {
    await using stage = await openBotStage();
    const { api } = stage;
    await send(stage, sampleNotification({ kind: 'turn.done' }));

    api.reply('Now the tests', lastOf(api));

    await until(() => api.shown().length === 2);
    assert.match(lastOf(api).text, /cannot receive text/);
  });
});

describe('telegram: updates', () => {
  test('a press while no daemon runs is taken by the next one, and none is taken twice', async () => {
    await using stage = await openBotStage();
    const { api, channel, reactions } = stage;
    await send(stage, asked(request));
    const message = lastOf(api);
    api.press('Snooze 30 min', message);
    await until(() => reactions.length === 1);
    await channel.close();
    api.press('Seen', message);

    const next = await stage.again();

    await until(() => reactions.length === 2);
    assert.deepEqual(
      reactions.map(({ type }) => type),
      ['snoozed', 'acknowledged'],
    );
    await next.close();
  });

  test('two channels of one bot share a poller, and each takes its own presses', async () => {
    await using stage = await openBotStage();
    const { api, reactions } = stage;
    const second = await createTelegram(
      { server: api.url, token: api.token, chat: PERSON },
      { name: 'second', now: () => Date.now(), onReaction: () => assert.fail('another channel') },
    );
    await send(stage, asked(request));

    api.press('Seen', lastOf(api));

    await until(() => api.answers.length === 1);
    assert.deepEqual([api.answers[0], reactions.length], ['Seen', 1]);
    assert.equal((await second.check(AbortSignal.timeout(5_000))).ok, true);
    await second.close();
  });

  test('another poller of the bot is reported, without the token', async () => {
    await using stage = await openBotStage();
    const { api, channel } = stage;
    await until(() => api.calls('getUpdates') > 1);
    api.setConflict(true);

    let check = await channel.check(AbortSignal.timeout(5_000));
    while (check.ok) check = await channel.check(AbortSignal.timeout(5_000));

    assert.match(check.summary, /another program polls this bot \(409 Conflict\)/);
    assert.doesNotMatch(inspect(check), /fake-token/);
    assert.ok(api.calls('getUpdates') <= 4, 'polls slowly');
  });

  test('a message is edited, or deleted, when its request is over', async () => {
    await using edits = await openBotStage();
    const sent = await send(edits, asked(request));
    assert.ok(sent.type === 'delivered' && sent.ref !== undefined);
    const over = {
      ...asked(request),
      title: 'Over: shop',
      body: 'Answered in the terminal at 12:03',
    };
    assert.equal((await edits.channel.update?.(sent.ref, over, sendContext()))?.type, 'delivered');
    const [message, ...more] = edits.api.shown();
    assert.deepEqual([more, message?.reply_markup], [[], undefined]);
    assert.match(message?.text ?? '', /Answered in the terminal at 12:03/);

    await using deletes = await openBotStage({ when_over: 'delete' });
    const gone = await send(deletes, asked(request));
    assert.ok(gone.type === 'delivered' && gone.ref !== undefined);
    assert.equal((await deletes.channel.withdraw?.(gone.ref, sendContext()))?.type, 'delivered');
    assert.equal((await deletes.channel.withdraw?.(gone.ref, sendContext()))?.type, 'delivered');
    assert.deepEqual(deletes.api.shown(), []);
  });

  test('a new configuration keeps the buttons of messages that were sent before', async () => {
    await using stage = await openBotStage();
    const { api, channel, reactions } = stage;
    const notification = asked(request);
    const sent = await send(stage, notification);
    assert.ok(sent.type === 'delivered' && sent.ref !== undefined);
    const next = await stage.again();
    await channel.close();
    await next.resubscribe?.(sent.ref, notification);

    api.press('Allow', lastOf(api));

    await until(() => reactions.length === 1);
    assert.equal(reactions[0]?.type, 'decided');
  });
});
