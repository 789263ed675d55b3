import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { startMock } from '../support/reference-service/reference-server.ts';

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

describe('an app in Slack and a real waiting hook', { timeout: 240_000 }, () => {
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
    const [record] = await place.ask('GET /v1/answers');
    assert.match(record?.outcome ?? '', /^Allowed at .* by Slack member T0FAKE:U0ADA/);
  });

  test('"Seen" says in the message and in "explain" who pressed it', async () => {
    await using slack = await startFakeSlack();
    await using place = await homeWith(slack);
    await place.start();
    await place.hook({ ...permissionRequest, tool_input: { command: 'ls' } });
    await until(() => slack.posts.length === 2 && slack.connections() === 1);

    await slack.press(slack.posts[1]!, 'seen');

    const who = /Acknowledged by a click of Slack member T0FAKE:U0ADA on channel "team"/;
    await until(() => who.test(JSON.stringify(slack.posts[1]?.blocks).replaceAll('\\"', '"')));
    await until(() => slack.posts[0]?.text.includes('Waiting, seen') === true);
    const { stdout } = await place.cli('explain', 'last');
    assert.match(stdout, who);
  });

  test('"hookbell status" shows the call that Slack asked to wait with, also after a restart', async () => {
    await using slack = await startFakeSlack();
    await using place = await homeWith(slack);
    await place.start();
    await place.hook({ ...permissionRequest, tool_input: { command: 'ls' } });
    await until(() => slack.posts.length === 2);
    slack.refuse('chat.update', 429, 600);
    await place.hook({ ...permissionRequest, hook_event_name: 'SessionEnd', reason: 'exit' });

    const isShown = async (): Promise<boolean> =>
      /team .*chat\.update waits until \d/.test((await place.cli('status')).stdout);
    await until(isShown);
    await place.killDaemon();
    await place.start();

    assert.ok(await isShown(), (await place.cli('status')).stdout);
    assert.equal(slack.calls['chat.update'], 1);
  });

  test('a daemon that is killed before Slack responds posts nothing twice', async () => {
    await using slack = await startFakeSlack();
    await using place = await homeWith(slack);
    await place.start();
    slack.refuse('chat.postMessage', 'slow');
    slack.refuse('chat.postMessage', 'slow');
    await place.hook({ ...permissionRequest, tool_input: { command: 'ls' } });
    for (const count of [1, 2]) {
      await until(() => slack.posts.length === count);
      await place.killDaemon();
      await place.start();
    }
    await until(async () => (await place.ask('GET /v1/status')).deliveries.pending === 0);

    assert.equal(slack.posts.length, 2);
    assert.equal((await place.ask('GET /v1/status')).deliveries.dead, 0);
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
    await using service = await startMock({ now: Date.now });
    await place.writeConfig(
      `${await readFile(place.paths.config, 'utf8')}\napi: { base_url: "${service.baseUrl}", key: { env: AGENT_KEY } }\n`,
    );
    place.env['AGENT_KEY'] = service.keys.owner;
    await place.start();
    const hostile = '<!channel> <@U0EVE> <https://evil.test|shop> ``` *bold* https://evil.test';
    const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 'h', cwd: '/w/x' };
    await place.hook({ ...prompt, prompt: hostile });
    await place.hook({ ...permissionRequest, tool_input: { command: 'ls' } });
    await until(() => slack.posts.length === 2 && slack.connections() === 1);

    const who = await slack.command('who');
    assert.match(who, /shop/);
    assert.match(who, /channel/);
    assert.match(await slack.command('digest'), /standard credits/i);
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
    const shown = [...slack.commandBlocks, slack.homes[0]?.view].join('\n');
    assert.match(shown, /&lt;!channel&gt;/);
    assert.doesNotMatch(shown, /<[!@#h]/);
    assert.equal(shown.split('```').length - 1, 2 * (shown.split('"mrkdwn"').length - 1));
    assert.deepEqual(slack.unacknowledged, []);
  });
});
