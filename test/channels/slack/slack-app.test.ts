import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Reaction } from '../../../src/core/channel.ts';
import type { DecisionChoice } from '../../../src/core/question.ts';
import type { Notification } from '../../../src/core/notification.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { fakeTokens } from '../../support/fake-slack.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { randomTexts } from '../../support/random-texts.ts';
import { sampleNotification } from '../../support/sample.ts';
import { chooseSeed } from '../../support/seeded-random.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import {
  buttonsOf,
  decidable,
  last,
  openApp,
  permission,
  plain,
  refOf,
  sendTo,
} from './app-stage.ts';
import { createSlack } from './slack-stage.ts';

function toPerson(address: string): Pick<Notification, 'recipient'> {
  return { recipient: { type: 'found', address, isOutside: false } };
}

describe('slack as an app, with the real client libraries', { timeout: 60_000 }, () => {
  test('a session is a thread: its first message is its state, the question a reply with buttons', async () => {
    await using stage = await openApp();
    const { slack, channel } = stage;

    const at = Date.parse('2026-01-05T10:00:00Z');
    const credits = { amount: 12, source: 'tokenUsage', growth: null } as const;
    await refOf(channel, permission({ at, credits }));
    const [first] = structuredClone(slack.posts);
    await refOf(channel, plain());
    await refOf(channel, plain({ kind: 'turn.failed', groupKey: 'claude:s2' }));

    const [root, question, done, other] = slack.posts;
    assert.match(other?.text ?? '', /^🔴 shop · .*: Failed$/);
    assert.match(JSON.stringify(first?.blocks), /Waiting for you\* since <!date\^1767607200\^/);
    assert.match(JSON.stringify(first?.blocks), /"12 credits \(token usage\)"/);
    assert.deepEqual([root?.thread, question?.thread, done?.thread], [null, root?.ts, root?.ts]);
    assert.match(first?.text ?? '', /^🟡 shop · .*: Waiting for you$/);
    assert.deepEqual(buttonsOf(question), ['allow', 'deny', 'words', 'snooze', 'mute', 'seen']);
    assert.match(JSON.stringify(question?.blocks), /npm publish --tag &lt;next&gt;/);
    assert.match(JSON.stringify(question?.blocks), /<@U0ADA>/);
    assert.deepEqual(buttonsOf(done), ['mute', 'seen']);
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
    // The same id in another workspace is another person.
    await slack.press(post, 'allow', 'T0OTHER:U0ADA');
    await slack.reply(post.thread ?? '', 'Never', 'T0OTHER:U0ADA');
    await slack.press({ ...post, ts: '1.2' }, 'allow');
    post.blocks = post.blocks.map((block) =>
      block['type'] === 'section'
        ? { ...block, text: { type: 'plain_text', text: 'Run: ls', emoji: false } }
        : block,
    );
    await slack.press(post, 'allow');

    await until(() => slack.whispers.length === 5);
    assert.deepEqual(reactions, []);
    assert.deepEqual(
      slack.whispers.map(({ user, text }) => [
        user,
        /not in "members"|another machine|was changed/.exec(text)?.[0],
      ]),
      [
        ['U0EVE', 'not in "members"'],
        ['U0ADA', 'not in "members"'],
        ['U0ADA', 'not in "members"'],
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

  test('the button of an option answers the question', async () => {
    await using stage = await openApp();
    const { slack, channel, reactions } = stage;
    const ask = { text: 'Which database?', options: ['SQLite', 'PostgreSQL'], several: false };
    const choices = ['answer', 'deny'] as const;
    await refOf(channel, permission({ decidable: { ...decidable, choices, asks: [ask] } }));
    const post = last(slack);

    await slack.press(post, 'option1');

    assert.deepEqual(buttonsOf(post).slice(0, 3), ['option0', 'option1', 'deny']);
    assert.match(JSON.stringify(post.blocks), /"text":"PostgreSQL"/);
    assert.deepEqual(
      reactions.map((one) => one.type === 'decided' && [one.choice, one.option, one.by]),
      [['answer', 1, 'Slack member T0FAKE:U0ADA']],
    );
  });

  test('words that cannot reach the agent are answered by the bot', async () => {
    await using stage = await openApp();
    const { slack, channel, reactions } = stage;
    await refOf(channel, plain());

    await slack.reply(last(slack).thread ?? '', 'And the changelog');

    await until(() => slack.whispers.length === 1);
    assert.match(slack.whispers[0]?.text ?? '', /^This session cannot receive text from here/);
    assert.deepEqual(reactions, []);
  });

  test('of two daemons with one app, each decides only its own requests', async () => {
    await using stage = await openApp();
    const { slack, channel, reactions } = stage;
    await using directory = await temporaryDirectory();
    const theirs: Reaction[] = [];
    await refOf(channel, permission());
    const post = last(slack);
    const other = await createSlack(
      {
        bot_token: fakeTokens.bot,
        app_token: fakeTokens.app,
        to: 'C0TEAM',
        members: ['T0FAKE:U0ADA'],
        server: slack.server,
      },
      { stateDir: directory.path, onReaction: (reaction) => void theirs.push(reaction) },
    );
    await until(() => slack.connections() === 2);

    // The fake passes it to the latest connection, Slack to any.
    await slack.press(post, 'allow');
    await slack.reply(post.thread ?? '', 'Not now');
    await until(() => slack.whispers.length === 1);
    await other.close();
    await until(() => slack.connections() === 1);
    await slack.press(post, 'allow');

    assert.match(slack.whispers[0]?.text ?? '', /belongs to hookbell on another machine/);
    assert.deepEqual(theirs, []);
    assert.deepEqual(
      reactions.map(({ type }) => type),
      ['decided'],
    );
  });

  test('"Mute" mutes the session, also from a message without a request', async () => {
    await using stage = await openApp();
    const { slack, channel, reactions } = stage;
    const done = plain();
    await refOf(channel, done);

    await slack.press(last(slack), 'mute', 'U0EVE');
    await slack.press(last(slack), 'mute');

    const { deliveryId, groupKey } = done;
    const by = 'Slack member T0FAKE:U0ADA';
    assert.deepEqual(reactions, [{ deliveryId, type: 'muted', groupKey, forMs: 3_600_000, by }]);
    await until(() => slack.whispers.some(({ text }) => text.startsWith('This session is muted')));
  });

  test('later steps of a plan mention the owner, then the group, in the same thread', async () => {
    const escalate = ['<@U0ADA>', '<!subteam^S0TEAM>'];
    await using stage = await openApp({ escalate });
    const { slack, channel } = stage;
    const forged = { title: 'shop: <@U0EVE> <!subteam^S0BAD>', body: '@ada <!here> <@U0EVE>' };

    for (const escalation of [0, 1, 2, 3]) {
      await refOf(channel, permission({ ...forged, ...(escalation > 0 && { escalation }) }));
    }
    await refOf(channel, permission({ escalation: 3, quietly: true }));
    await refOf(channel, plain({ escalation: 3 }));

    const [root, ...steps] = slack.posts;
    assert.deepEqual(
      steps.map(({ thread, blocks }) => [
        thread === root?.ts,
        [...JSON.stringify(blocks).matchAll(/<[@!#][^>]*>/g)].join(),
      ]),
      [[], [0], [1], [1], [], []].map((whom) => [true, whom.map((one) => escalate[one]).join()]),
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

  test('a request too long for one section offers Deny, and no hostile text breaks a message or mentions anyone', async () => {
    await using stage = await openApp();
    const { slack, channel } = stage;
    const text = `Run: ${'a'.repeat(3_100)}`;
    await refOf(channel, permission({ decidable: { ...decidable, text } }));
    assert.deepEqual(buttonsOf(last(slack)), ['deny', 'words', 'snooze', 'mute', 'seen']);

    for (const [index, hostile] of hostileTexts.entries()) {
      const fields = {
        title: `shop: ${hostile}`,
        body: hostile,
        project: hostile,
        sessionTitle: hostile,
        computer: hostile,
        decidable: { ...decidable, text: `Run: ${hostile.slice(0, 500)}` },
      };
      await refOf(channel, permission({ ...fields, groupKey: `claude:h${index}` }));
      const [root, post] = slack.posts.slice(-2);
      assert.deepEqual(
        [...JSON.stringify(post).matchAll(/<[@!#][^>]*>/g)].map(([mark]) => mark),
        ['<@U0ADA>'],
      );
      const ofRoot = [...JSON.stringify(root).matchAll(/<(?!!date)[^>]*>/g)];
      assert.deepEqual(ofRoot, [], hostile);
    }
  });

  test('direct messages by "dm:@owner" and by address', async () => {
    for (const to of ['dm:@owner', 'dm:ada@example.com']) {
      await using stage = await openApp({ to });
      await refOf(stage.channel, permission());
      assert.equal(stage.slack.posts[0]?.channel, 'D0U0ADA');
    }
  });

  test('"dm:@person" writes to the recipient of each delivery, in a thread with each, and to no one else', async () => {
    await using stage = await openApp({ to: 'dm:@person' });
    const { slack, channel } = stage;
    await refOf(channel, permission(toPerson('ada@example.com')));
    await refOf(channel, permission(toPerson('bob@example.com')));
    await refOf(channel, plain(toPerson('ada@example.com')));
    const stranger = await channel.send(plain(toPerson('eve@example.com')), sendContext());
    const nobody = await channel.send(plain(), sendContext());

    assert.deepEqual(
      slack.posts.map((post) => `${post.channel} ${post.thread === null ? 'root' : 'reply'}`),
      ['D0U0ADA root', 'D0U0ADA reply', 'D0U0BOB root', 'D0U0BOB reply', 'D0U0ADA reply'],
    );
    assert.doesNotMatch(JSON.stringify(slack.posts), /<@/, 'who gets the message is not mentioned');
    assert.deepEqual(stranger, {
      type: 'failed',
      reason: 'Cannot deliver to Slack: it does not know "eve@example.com"',
    });
    assert.deepEqual(nobody, {
      type: 'failed',
      reason: 'It is for one person only, and no person is known',
    });
    assert.equal((await channel.check(sendContext().signal)).ok, true);
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

  test('no message, window, response or home exceeds the limits of its blocks, whatever the texts', async (t) => {
    await using stage = await openApp();
    const { slack, channel } = stage;
    const seed = chooseSeed();
    t.diagnostic(`HOOKBELL_SEED=${seed}`);
    const random = randomTexts(seed);
    const alphabet = 'ab<>&*_~`|:@#!"\n \t漢é😀\u202e\u200d\ud83d';
    const text = (most: number): string => random.of(alphabet, 1 + random.below(most));
    for (let round = 0; round < 60; round += 1) {
      const [title, body, line] = [text(2_000), text(20_000), text(500)];
      const asks = [
        {
          text: text(200),
          options: Array.from({ length: 2 + random.below(12) }, () => text(120)),
          several: random.below(2) === 1,
        },
      ];
      const choices = random.pick<readonly DecisionChoice[]>([
        ['allow', 'deny'],
        ['answer', 'deny'],
        ['deny'],
      ]);
      const request = { ...decidable, choices, text: random.pick([text(4_000), null]) };
      const fields: Partial<Notification> = {
        title,
        body,
        markdown: text(6_000),
        event: line,
        project: line,
        sessionTitle: line,
        computer: line,
        groupKey: `claude:${round}`,
        kind: random.pick(['needs.permission', 'needs.input', 'turn.failed', 'digest']),
        decidable: random.pick([request, { ...request, asks }]),
      };
      const outcome = await sendTo(channel, sampleNotification(fields));
      assert.ok(outcome.type === 'delivered' && outcome.ref !== undefined, JSON.stringify(outcome));
      const changed = await channel.update?.(
        outcome.ref,
        permission({ title, body }),
        sendContext(),
      );
      assert.equal(changed?.type, 'delivered', JSON.stringify(changed));
      // The fake answers a block beyond its limit with an error.
      if (buttonsOf(last(slack)).includes('words')) await slack.press(last(slack), 'words');
    }
    assert.ok(slack.posts.length >= 120);
  });
});
