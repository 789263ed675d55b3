import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Channel, ChannelDependencies, Reaction } from '../../../src/core/channel.ts';
import type { DecidableRequest, Notification } from '../../../src/core/notification.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import {
  type FakeSlack,
  fakeTokens,
  type SlackPost,
  startFakeSlack,
} from '../../support/fake-slack.ts';
import { until } from '../../support/hookbell-home.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { sampleNotification } from '../../support/sample.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { createSlack } from './slack-stage.ts';

interface AppStage extends AsyncDisposable {
  readonly slack: FakeSlack;
  readonly channel: Channel;
  readonly reactions: readonly Reaction[];
  /** A channel of a daemon that was started again. */
  again(): Promise<Channel>;
}

async function openApp(options: Record<string, unknown> = {}): Promise<AppStage> {
  const slack = await startFakeSlack();
  const directory = await temporaryDirectory();
  const reactions: Reaction[] = [];
  const channels: Channel[] = [];
  const dependencies: Partial<ChannelDependencies> = {
    stateDir: directory.path,
    onReaction: (reaction) => void reactions.push(reaction),
  };
  async function again(): Promise<Channel> {
    await channels.at(-1)?.close();
    await until(() => slack.connections() === 0);
    const channel = await createSlack(
      {
        bot_token: fakeTokens.bot,
        app_token: fakeTokens.app,
        to: 'C0TEAM',
        members: ['T0FAKE:U0ADA'],
        server: slack.server,
        ...options,
      },
      dependencies,
    );
    channels.push(channel);
    await until(() => slack.connections() === 1);
    return channel;
  }
  const channel = await again();
  return {
    slack,
    channel,
    reactions,
    again,
    async [Symbol.asyncDispose]() {
      await channels.at(-1)?.close();
      await slack[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

const decidable: DecidableRequest = {
  question: 'q1',
  requestHash: 'h1',
  choices: ['allow', 'deny'],
  text: 'Run: npm publish --tag <next>',
  asks: [],
};

const permission = (fields: Partial<Notification> = {}): Notification =>
  sampleNotification({
    kind: 'needs.permission',
    title: 'shop: Claude Code needs your permission',
    body: 'Run: npm publish',
    decidable,
    ...fields,
  });

/** A notification without a request. */
const plain = (fields: Partial<Notification> = {}): Notification =>
  sampleNotification({ kind: 'turn.done', severity: 'info', ...fields });

const send = (channel: Channel, notification: Notification, attempt = 1) =>
  channel.send(notification, { ...sendContext(), attempt });

async function refOf(channel: Channel, notification: Notification): Promise<string> {
  const outcome = await send(channel, notification);
  assert.equal(outcome.type, 'delivered', JSON.stringify(outcome));
  return (outcome.type === 'delivered' && outcome.ref) || '';
}

function buttonsOf(post: SlackPost | undefined): readonly unknown[] {
  const actions = post?.blocks.find(({ type }) => type === 'actions')?.['elements'];
  return Array.isArray(actions)
    ? actions.map(({ action_id: id }: { action_id: string }) => id)
    : [];
}

const last = (slack: FakeSlack): SlackPost => {
  const post = slack.posts.at(-1);
  assert.ok(post);
  return post;
};

describe('slack as an app, with the real client libraries', { timeout: 60_000 }, () => {
  test('a session is a thread: its first message is its state, the question a reply with buttons', async () => {
    await using stage = await openApp();
    const { slack, channel } = stage;

    await refOf(channel, permission());
    await refOf(channel, plain());

    const [root, question, done] = slack.posts;
    assert.deepEqual([root?.thread, question?.thread, done?.thread], [null, root?.ts, root?.ts]);
    assert.match(root?.text ?? '', /^🟡 shop · .*: Waiting for you$/);
    assert.deepEqual(buttonsOf(question), ['allow', 'deny', 'words', 'snooze', 'seen']);
    assert.match(JSON.stringify(question?.blocks), /npm publish --tag &lt;next&gt;/);
    assert.match(JSON.stringify(question?.blocks), /<@U0ADA>/);
    assert.deepEqual(buttonsOf(done), ['seen']);
    await until(() => slack.posts[0]?.text.includes('Done') === true);
  });

  test('Allow by a member decides the request, once, also if the envelope comes again', async () => {
    await using stage = await openApp();
    const { slack, channel, reactions } = stage;
    const notification = permission();
    await refOf(channel, notification);

    slack.redeliver(3);
    await slack.press(last(slack), 'allow');

    assert.deepEqual(reactions, [
      {
        deliveryId: notification.deliveryId,
        type: 'decided',
        question: 'q1',
        requestHash: 'h1',
        choice: 'allow',
        option: null,
        words: null,
        by: 'Slack member T0FAKE:U0ADA',
      },
    ]);
    assert.deepEqual(slack.unacknowledged, []);
  });

  test('a press of someone else, or under a changed message, decides nothing and is answered', async () => {
    await using stage = await openApp();
    const { slack, channel, reactions } = stage;
    await refOf(channel, permission());
    const post = last(slack);

    await slack.press(post, 'allow', 'U0EVE');
    await slack.press({ ...post, ts: '1.2' }, 'allow');
    post.blocks = post.blocks.map((block) =>
      block['type'] === 'section'
        ? { ...block, text: { type: 'plain_text', text: 'Run: ls', emoji: false } }
        : block,
    );
    await slack.press(post, 'allow');

    await until(() => slack.whispers.length === 3);
    assert.deepEqual(reactions, []);
    assert.deepEqual(
      slack.whispers.map(({ user, text }) => [
        user,
        /not in "members"|another machine|was changed/.exec(text)?.[0],
      ]),
      [
        ['U0EVE', 'not in "members"'],
        ['U0ADA', 'another machine'],
        ['U0ADA', 'was changed'],
      ],
    );
  });

  test('"Deny with words" opens a window, and its words deny', async () => {
    await using stage = await openApp();
    const { slack, channel, reactions } = stage;
    await refOf(channel, permission());

    await slack.press(last(slack), 'words');
    await until(() => slack.views.length === 1);
    const [view] = slack.views;
    assert.ok(view);
    await slack.submit(view, 'nobody', 'U0EVE');
    await slack.submit(view, 'Use pnpm <instead> & test');

    assert.deepEqual(
      reactions.map((one) => one.type === 'decided' && [one.choice, one.words]),
      [['deny', 'Use pnpm <instead> & test']],
    );
  });

  test('words in the thread deny an open request, and answer the session otherwise', async () => {
    await using stage = await openApp();
    const { slack, channel, reactions } = stage;
    await refOf(channel, permission());
    const root = slack.posts[0]?.ts ?? '';

    await slack.reply(root, 'Not <now> & never', 'U0EVE');
    await slack.reply(root, 'Not <now> & never');
    assert.deepEqual(
      reactions.map((one) => one.type === 'decided' && [one.choice, one.words]),
      [['deny', 'Not <now> & never']],
    );

    const replyLink = { url: 'http://127.0.0.1:1/reply/x', machine: 'devbox', forMs: 60_000 };
    await refOf(channel, plain({ groupKey: 'claude:s2', replyLink }));
    await slack.reply(slack.posts.at(-1)?.thread ?? '', 'And the changelog');
    assert.deepEqual(
      reactions.slice(1).map((one) => one.type === 'replied' && [one.url, one.text]),
      [[replyLink.url, 'And the changelog']],
    );
  });

  test('"Seen" and "Snooze" reach the alert', async () => {
    await using stage = await openApp();
    const { slack, channel, reactions } = stage;
    await refOf(channel, permission());

    await slack.press(last(slack), 'snooze');
    await slack.press(last(slack), 'seen');

    assert.deepEqual(
      reactions.map(({ type }) => type),
      ['snoozed', 'acknowledged'],
    );
  });

  test('an answer elsewhere takes the buttons away, and the state of the session follows', async () => {
    await using stage = await openApp();
    const { slack, channel } = stage;
    const ref = await refOf(channel, permission());
    slack.refuse('chat.update', 429);

    const over = { title: 'Over: shop', body: 'Answered in the terminal at 12:03', quietly: true };
    const limited = await channel.update?.(ref, permission(over), sendContext());
    const outcome = await channel.update?.(ref, permission(over), sendContext());

    assert.deepEqual(
      [limited?.type, limited?.type === 'retry' && limited.afterMs, outcome?.type],
      ['retry', 1_000, 'delivered'],
    );
    await until(() => buttonsOf(slack.posts[1]).length === 0);
    assert.match(JSON.stringify(slack.posts[1]?.blocks), /Answered in the terminal at 12:03/);
    await until(() => slack.posts[0]?.text.includes('Working') === true);
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
    assert.equal((await send(channel, notification)).type, 'retry');

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
    const first = await send(channel, notification);
    assert.deepEqual([first.type, slack.posts.length], ['retry', 1]);
    slack.refuse('chat.postMessage', 'lost');
    const channelAgain = await stage.again();
    const second = await send(channelAgain, { ...notification, possibleDuplicate: true }, 2);
    assert.deepEqual([second.type, slack.posts.length], ['retry', 2]);
    const third = await send(channelAgain, { ...notification, possibleDuplicate: true }, 3);

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
      const outcome = await send(channel, permission());
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

  test('a request too long for one section offers Deny, and no hostile text breaks a message or mentions anyone', async () => {
    await using stage = await openApp();
    const { slack, channel } = stage;
    const text = `Run: ${'a'.repeat(3_100)}`;
    await refOf(channel, permission({ decidable: { ...decidable, text } }));
    assert.deepEqual(buttonsOf(last(slack)), ['deny', 'words', 'snooze', 'seen']);

    for (const [index, hostile] of hostileTexts.entries()) {
      const fields = {
        title: `shop: ${hostile}`,
        body: hostile,
        decidable: { ...decidable, text: `Run: ${hostile.slice(0, 500)}` },
      };
      await refOf(channel, permission({ ...fields, groupKey: `claude:h${index}` }));
      const shown = JSON.stringify(last(slack).blocks);
      assert.deepEqual(
        [...shown.matchAll(/<[@!#][^>]*>/g)].map(([mark]) => mark),
        ['<@U0ADA>'],
      );
    }
  });

  test('direct messages by "dm:@owner" and by address', async () => {
    for (const to of ['dm:@owner', 'dm:ada@example.com']) {
      await using stage = await openApp({ to });
      await refOf(stage.channel, permission());
      assert.equal(stage.slack.posts[0]?.channel, 'D0U0ADA');
    }
  });

  test('the check names a missing scope, a refused token and a closed connection', async () => {
    await using stage = await openApp();
    const { slack, channel } = stage;
    const { signal } = sendContext();

    assert.deepEqual(await channel.check(signal), {
      ok: true,
      summary: 'Posts as "hookbell" in "Fake", with buttons',
    });
    slack.grant('chat:write');
    assert.match(
      (await channel.check(signal)).summary,
      /^The app lacks the scope "channels:history"/,
    );
    slack.refuse('auth.test', 'token_revoked');
    assert.match((await channel.check(signal)).summary, /the token was revoked/);
  });
});
