import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Reaction } from '../../../src/core/channel.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { until } from '../../support/hookbell-home.ts';
import { pretendReply } from '../../support/notification-server.ts';
import { sampleNotification } from '../../support/sample.ts';
import { send } from '../conformance.ts';
import type { ClickStage } from './click-stage.ts';
import { clickOptions as options, openClickStage } from './click-stage.ts';

const url = 'http://127.0.0.1:7447/reply/token';
const inline = ['actions', 'body', 'inline-reply'];
const answerable = () =>
  sampleNotification({ replyLink: { url, machine: 'devbox', forMs: 43_200_000 } });

test('desktop over D-Bus: a button leads to the page for replies', options, async () => {
  await using stage = await openClickStage({ opener: true });
  const notification = answerable();

  await send(stage, notification);
  const reacted = stage.reacted();
  stage.server.click(1, 'reply');
  await reacted;

  const { deliveryId } = notification;
  assert.deepEqual(stage.server.calls[0]?.actions, ['default', 'Open terminal', 'reply', 'Reply']);
  assert.deepEqual(stage.reactions, [{ deliveryId, type: 'reply-requested', url }]);
  assert.ok(!JSON.stringify(stage.server.calls).includes('token'));
});

test(
  'desktop over D-Bus: a click beside the button does what it does without one',
  options,
  async () => {
    await using stage = await openClickStage({ opener: true });

    await send(stage, answerable());
    const reacted = stage.reacted();
    stage.server.click(1);
    await reacted;

    assert.deepEqual(
      stage.reactions.map(({ type }) => type),
      ['acknowledged'],
    );
  },
);

for (const [name, capabilities, more] of [
  [
    'may hide its field, as SwayNotificationCenter does, the page as well',
    inline,
    ['reply', 'Reply page'],
  ],
  ['always shows its field, as KDE does, no page', [...inline, 'x-kde-urls'], []],
] as const) {
  test(`desktop over D-Bus: a server that ${name}`, options, async () => {
    await using stage = await openClickStage({ opener: true, capabilities });

    await send(stage, answerable());

    const field = ['default', 'Open terminal', 'inline-reply', 'Reply'];
    assert.deepEqual(stage.server.calls[0]?.actions, [...field, ...more]);
  });
}

for (const [name, setting, notification] of [
  ['a notification without an answer', { opener: true }, sampleNotification()],
  ['a machine that opens no pages', { opener: false }, answerable()],
] as const) {
  test(`desktop over D-Bus: ${name} gets no button`, options, async () => {
    await using stage = await openClickStage(setting);

    await send(stage, notification);

    assert.deepEqual(stage.server.calls[0]?.actions, ['default', 'Open terminal']);
  });
}

test('desktop over D-Bus: a server without actions is asked for no button', options, async () => {
  await using stage = await openClickStage({ opener: true, capabilities: ['inline-reply'] });

  await send(stage, answerable());

  assert.deepEqual(stage.server.calls[0]?.actions, []);
});

/** Types an answer until it is received: the program that receives it may still be starting. */
async function typed(stage: ClickStage, id: number, text: string): Promise<readonly Reaction[]> {
  const before = stage.reactions.length;
  await until(() => {
    stage.server.reply(id, text);
    return stage.reactions.length > before;
  });
  return stage.reactions.slice(before);
}

test(
  'desktop over D-Bus: what is typed into a pop-up is reported once, verbatim (T5)',
  options,
  async () => {
    await using stage = await openClickStage({ capabilities: inline });
    const texts = [...hostileTexts, '  two\nlines '].filter((text) => !text.includes('\0'));
    for (const [index, text] of texts.map((one) => one.toWellFormed()).entries()) {
      const notification = { ...answerable(), groupKey: `claude:s${index}` };
      await send(stage, notification);

      const told = await typed(stage, index + 1, text);
      stage.server.reply(index + 1, 'and more');
      stage.server.dismiss(index + 1);

      const { deliveryId } = notification;
      assert.deepEqual(told, [{ deliveryId, type: 'replied', url, text }]);
    }
    const other = { ...answerable(), groupKey: 'claude:later' };
    await send(stage, other);
    await typed(stage, texts.length + 1, 'later');
    assert.equal(stage.reactions.length, texts.length + 1);
  },
);

test(
  'desktop over D-Bus: a field of KDE is asked for in its own words, and the address is in no argument',
  options,
  async () => {
    await using stage = await openClickStage({ capabilities: inline });

    await send(stage, answerable());

    const [call] = stage.server.calls;
    assert.deepEqual(call?.actions, ['default', 'Open terminal', 'inline-reply', 'Reply']);
    assert.equal(call?.hints['x-kde-reply-placeholder-text'], 'Your answer');
    assert.equal(call?.hints['x-kde-reply-submit-button-text'], 'Send');
    assert.ok(!JSON.stringify(stage.server.calls).includes('token'));
  },
);

test(
  'desktop over D-Bus: what is typed into a pop-up that takes the place of another one answers the newer question alone',
  options,
  async () => {
    await using stage = await openClickStage({ capabilities: inline });
    const { server, reactions } = stage;
    const newer = { ...answerable(), deliveryId: 'newer' };
    await send(stage, answerable());
    await send(stage, { ...answerable(), groupKey: 'claude:s2' });
    // The subscription is active from here on.
    await typed(stage, 2, 'sure');

    const release = server.hold();
    const sent = send(stage, newer);
    await until(() => server.calls.length === 3);
    server.reply(1, 'Yes');
    await until(() => reactions.length === 2);
    release();
    await sent;
    server.reply(1, 'Yes');
    await send(stage, { ...answerable(), groupKey: 'claude:s3' });
    await typed(stage, 4, 'later');

    assert.equal(server.calls[2]?.replacesId, 1);
    assert.deepEqual(
      reactions.map((one) => one.type === 'replied' && [one.deliveryId, one.text]).slice(1, -1),
      [['newer', 'Yes']],
    );
  },
);

test(
  'desktop over D-Bus: a reply typed after a restart of the server is ignored, because its ids may belong to other programs (T12)',
  options,
  async () => {
    await using stage = await openClickStage({ capabilities: inline });
    const { server, reactions } = stage;
    await send(stage, answerable());
    await send(stage, { ...answerable(), groupKey: 'claude:s2' });
    await typed(stage, 2, 'sure');

    await server.leave();
    await server.enter();
    server.reply(1, 'to my mother');
    await send(stage, { ...answerable(), groupKey: 'claude:s3' });
    await typed(stage, 3, 'later');

    const texts = reactions.map((reaction) => reaction.type === 'replied' && reaction.text);
    assert.deepEqual(texts, ['sure', 'later']);
  },
);

test(
  'desktop over D-Bus: only the notification server can say what was typed (T12)',
  options,
  async () => {
    await using stage = await openClickStage({ capabilities: inline });
    await send(stage, { ...answerable(), groupKey: 'claude:s2' });
    await send(stage, answerable());
    // The subscription is active from here on.
    await typed(stage, 1, 'other');

    await pretendReply(stage.server.address, 2, 'forged');
    stage.server.reply(2, 'real');
    await until(() => stage.reactions.length > 1);

    const texts = stage.reactions.map((reaction) => reaction.type === 'replied' && reaction.text);
    assert.deepEqual(texts, ['other', 'real']);
  },
);

for (const [name, setting, words] of [
  ['types them in', { capabilities: inline, opener: true }, 'with "reply_page" you answer in it'],
  ['presses a button', { opener: true }, 'with "reply_page" a button opens the page for answers'],
  ['can do neither', { opener: false }, 'it cannot be used to answer'],
] as const) {
  test(
    `desktop over D-Bus: the check says how answers are given where one ${name}`,
    options,
    async () => {
      await using stage = await openClickStage(setting);

      const { summary } = await stage.channel.check(new AbortController().signal);

      assert.match(summary, /a click acknowledges and brings the terminal forward, /);
      assert.ok(summary.includes(words), summary);
    },
  );
}
