import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { sendContext } from '../../support/channel-dependencies.ts';
import { until } from '../../support/until.ts';
import { buttonsOf, last, openApp, permission, plain, refOf, sendTo } from './app-stage.ts';

describe('posts of a slack app', { timeout: 60_000 }, () => {
  test('an answer elsewhere takes the buttons away, and the state of the session follows', async () => {
    await using stage = await openApp();
    const { slack, channel } = stage;
    const ref = await refOf(channel, permission());
    slack.refuse('chat.update', 429);

    const over = { title: 'Over: shop', body: 'Answered in the terminal at 12:03', quietly: true };
    const limited = await channel.update?.(ref, permission(over), sendContext());
    const calls = slack.calls['chat.update'];
    const paused = await channel.update?.(ref, permission(over), sendContext());
    assert.deepEqual([paused?.type, slack.calls['chat.update']], ['retry', calls]);
    stage.passTime(1_000);
    const outcome = await channel.update?.(ref, permission(over), sendContext());

    assert.deepEqual(
      [limited?.type, limited?.type === 'retry' && limited.afterMs, outcome?.type],
      ['retry', 1_000, 'delivered'],
    );
    await until(() => buttonsOf(slack.posts[1]).length === 0);
    assert.match(JSON.stringify(slack.posts[1]?.blocks), /Answered in the terminal at 12:03/);
    await until(() => slack.posts[0]?.text.includes('Working') === true);
  });

  test('a request withdrawn after the turn has ended leaves the thread at "Done"', async () => {
    await using stage = await openApp();
    const { slack, channel } = stage;
    const asked = permission({ at: 1_000 });
    const ref = await refOf(channel, asked);
    await refOf(channel, plain({ at: 2_000, groupKey: asked.groupKey }));

    await channel.update?.(ref, { ...asked, title: 'Over: shop' }, sendContext());
    const late = permission({ at: 500, groupKey: asked.groupKey });
    await refOf(channel, late);

    await until(() => slack.posts[0]?.text.includes('Done') === true);
  });

  test('an acknowledged alert says who saw it, and that the agent still waits', async () => {
    await using stage = await openApp();
    const { slack, channel } = stage;
    const ref = await refOf(channel, permission());

    const body = 'Acknowledged by Slack member T0FAKE:U0ADA';
    await channel.markAcknowledged?.(ref, permission({ body }), sendContext());

    assert.match(JSON.stringify(slack.posts[1]?.blocks), /Acknowledged by Slack member/);
    await until(() => slack.posts[0]?.text.includes('Waiting, seen') === true);
  });

  test('a question answered before its post was confirmed is found and changed', async () => {
    await using stage = await openApp();
    const { slack, channel } = stage;
    await refOf(channel, plain());
    const notification = permission();
    slack.refuse('chat.postMessage', 'lost');
    assert.equal((await sendTo(channel, notification)).type, 'retry');

    const found = await channel.find?.(notification, sendContext());
    const none = await channel.find?.(permission({ deliveryId: 'x' }), sendContext());

    assert.ok(found?.type === 'delivered' && found.ref !== undefined);
    assert.deepEqual(none, { type: 'delivered' });
    const over = permission({ title: 'Over: shop', body: 'Answered in the terminal' });
    await channel.update?.(found.ref, over, sendContext());
    assert.match(JSON.stringify(last(slack).blocks), /Answered in the terminal/);
  });

  test('a post whose response was lost is found again instead of posted twice', async () => {
    await using stage = await openApp();
    const { slack, channel } = stage;
    const notification = permission();

    slack.refuse('chat.postMessage', 'lost');
    const first = await sendTo(channel, notification);
    assert.deepEqual([first.type, slack.posts.length], ['retry', 1]);
    slack.refuse('chat.postMessage', 'lost');
    const channelAgain = await stage.again();
    const second = await sendTo(channelAgain, { ...notification, possibleDuplicate: true }, 2);
    assert.deepEqual([second.type, slack.posts.length], ['retry', 2]);
    const third = await sendTo(channelAgain, { ...notification, possibleDuplicate: true }, 3);

    assert.deepEqual([third.type, slack.posts.length], ['delivered', 2]);
    await slack.press(last(slack), 'deny');
    assert.deepEqual(
      stage.reactions.map(({ type }) => type),
      ['decided'],
    );
  });

  test('after a restart the thread goes on, and a press on an earlier message counts again', async () => {
    await using stage = await openApp();
    const { slack } = stage;
    const notification = permission();
    const ref = await refOf(stage.channel, notification);

    const channel = await stage.again();
    await channel.resubscribe?.(ref, notification);
    await slack.press(last(slack), 'allow');
    await refOf(channel, plain());

    assert.deepEqual(
      stage.reactions.map(({ type }) => type),
      ['decided'],
    );
    assert.equal(last(slack).thread, slack.posts[0]?.ts);
  });

  for (const how of ['announced', 'cut'] as const) {
    test(`a connection that ends (${how}) is opened again within moments`, async () => {
      await using stage = await openApp();
      const { slack, channel, reactions } = stage;
      await refOf(channel, permission());
      const opened = slack.calls['apps.connections.open'];

      slack.disconnect(how);
      await until(() => (slack.calls['apps.connections.open'] ?? 0) > (opened ?? 0));
      await until(() => slack.connections() === 1);
      await slack.press(last(slack), 'allow');

      assert.deepEqual(
        reactions.map(({ type }) => type),
        ['decided'],
      );
    });
  }

  test('errors have their class: revoked tokens stop the channel, a 429 waits, one bad message fails alone', async () => {
    await using stage = await openApp();
    const { slack, channel } = stage;
    const seen: unknown[] = [];
    for (const how of [
      'invalid_auth',
      'channel_not_found',
      'msg_too_long',
      'internal_error',
      429,
      500,
    ]) {
      slack.refuse('chat.postMessage', how);
      const outcome = await sendTo(channel, permission());
      stage.passTime(1_000);
      seen.push([
        how,
        outcome.type,
        outcome.type === 'failed' ? outcome.channelBroken === true : null,
        outcome.type === 'retry' ? (outcome.afterMs ?? null) : null,
      ]);
    }
    assert.deepEqual(seen, [
      ['invalid_auth', 'failed', true, null],
      ['channel_not_found', 'failed', true, null],
      ['msg_too_long', 'failed', false, null],
      ['internal_error', 'retry', null, null],
      [429, 'retry', null, 1_000],
      [500, 'retry', null, null],
    ]);
  });
});
