import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { heldQuestions, permissionRequest, startAsking } from '../support/asking-hook.ts';
import { type FakeSlack, fakeTokens, startFakeSlack } from '../support/fake-slack.ts';
import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';

/** A home that posts every permission as an app, whose owner is U0ADA. */
async function homeWith(
  slack: FakeSlack,
  option = '',
  routing = 'routes: [{ match: { kind: needs.permission }, notify: [team] }]',
): Promise<HookbellHome> {
  const place = await hookbellHome();
  await place.writeConfig(`
channels:
  team:
    type: slack
    server: ${slack.server}
    bot_token: { env: SLACK_BOT_TOKEN }
    app_token: { env: SLACK_APP_TOKEN }
    to: C0TEAM
    members: ['T0FAKE:U0ADA']
    rate: { burst: 1000, every: 1ms }
    ${option}
${routing}
alerts: { settle: 0 }
`);
  place.env['SLACK_BOT_TOKEN'] = fakeTokens.bot;
  place.env['SLACK_APP_TOKEN'] = fakeTokens.app;
  return place;
}

async function shownRequest(place: HookbellHome, slack: FakeSlack) {
  await heldQuestions(place);
  await until(() => slack.posts.length === 2 && slack.connections() === 1);
  const [, post] = slack.posts;
  assert.ok(post);
  return post;
}

describe('an app in Slack and a real waiting hook', { timeout: 60_000 }, () => {
  test('Allow in the thread lets the agent go on, and the post says who decided', async () => {
    await using slack = await startFakeSlack();
    await using place = await homeWith(slack);
    await place.start();
    using asking = startAsking(place);
    const post = await shownRequest(place, slack);
    assert.match(JSON.stringify(post.blocks), /command: touch made/);

    await slack.press(post, 'allow', 'U0EVE');
    assert.equal(asking.hook.exitCode, null);
    await slack.press(post, 'allow');

    const { code, printed } = await asking.ended;
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(printed), {
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
    });
    await until(() =>
      /Allowed at .* by Slack member T0FAKE:U0ADA/.test(JSON.stringify(slack.posts[1]?.blocks)),
    );
    assert.ok(!JSON.stringify(slack.posts[1]?.blocks).includes('"actions"'));
    await until(() => slack.posts[0]?.text.includes('Working') === true);
  });

  test('words in the thread deny, and the agent gets them', async () => {
    await using slack = await startFakeSlack();
    await using place = await homeWith(slack);
    await place.start();
    using asking = startAsking(place);
    const post = await shownRequest(place, slack);

    await slack.reply(post.thread ?? '', 'Use a temporary directory');

    const { printed } = await asking.ended;
    const { behavior, message } = JSON.parse(printed).hookSpecificOutput.decision;
    assert.equal(behavior, 'deny');
    assert.match(message, /Use a temporary directory/);
  });

  test('after the daemon was killed, a press on the earlier post still reaches its alert', async () => {
    await using slack = await startFakeSlack();
    await using place = await homeWith(slack);
    await place.start();
    await place.hook({ ...permissionRequest, tool_input: { command: 'ls' } });
    await until(() => slack.posts.length === 2);
    const [, post] = slack.posts;
    assert.ok(post);

    await place.killDaemon();
    await until(() => slack.connections() === 0);
    await place.start();
    await until(() => slack.connections() === 1);
    await until(async () => {
      await slack.press(post, 'seen');
      return (await place.ask('GET /v1/alerts'))[0]?.state === 'acknowledged';
    });

    assert.equal(slack.posts.length, 2);
  });

  test('the steps of a plan mention the owner, then the group, in one thread, and "Mute" holds the session', async () => {
    await using slack = await startFakeSlack();
    await using place = await homeWith(
      slack,
      "escalate: ['<@U0ADA>', '<!subteam^S0TEAM>']",
      `plans:
  escalate: [{ notify: team }, { after: 1s, notify: team }, { after: 2s, notify: team }]
routes: [{ match: { kind: waiting }, plan: escalate }, { match: {}, notify: team }]
noise: { burst: { at_once: 1000, window: 1ms }, per_session: 1000, per_channel: 1000 }`,
    );
    await place.start();
    await place.hook({ ...permissionRequest, tool_input: { command: 'ls' } });
    await until(() => slack.posts.length === 4);

    const [root, ...steps] = slack.posts;
    assert.deepEqual(
      steps.map(({ thread, blocks }) => [
        thread === root?.ts,
        JSON.stringify(blocks)
          .match(/<[@!][^>]*>/g)
          ?.join() ?? '',
      ]),
      [
        [true, ''],
        [true, '<@U0ADA>'],
        [true, '<!subteam^S0TEAM>'],
      ],
    );
    await until(() => slack.connections() === 1);
    await slack.press(steps[0]!, 'mute');
    await until(async () => (await place.ask('GET /v1/mutes')).length === 1);
    const [mute] = await place.ask('GET /v1/mutes');
    assert.equal(mute?.session, `claude:${permissionRequest.session_id}`);
    assert.equal((await place.ask('GET /v1/alerts'))[0]?.state, 'open');
  });

  test('"/hookbell" runs everyday commands for members, and the home lists the sessions and the waiting time', async () => {
    await using slack = await startFakeSlack();
    await using place = await homeWith(slack);
    await place.start();
    await place.hook({ ...permissionRequest, tool_input: { command: 'ls' } });
    await until(() => slack.posts.length === 2 && slack.connections() === 1);

    assert.match(await slack.command('who'), /shop/);
    assert.match(await slack.command('explain'), /PermissionRequest/);
    assert.match(await slack.command('waiting'), /[Ww]ait/);
    assert.match(await slack.command('who', 'U0EVE'), /^Not allowed/);
    assert.match(await slack.command('mute 5m; rm -rf'), /^\/hookbell who/);
    await slack.command('mute 5m');
    assert.equal((await place.ask('GET /v1/mutes')).length, 1);
    await slack.openHome('U0EVE');
    await slack.openHome();

    await until(() => slack.homes.length > 0);
    assert.deepEqual(
      slack.homes.map(({ user, view }) => [user, /shop/.test(view), /waited for you/.test(view)]),
      [['U0ADA', true, true]],
    );
    assert.deepEqual(slack.unacknowledged, []);
  });
});
