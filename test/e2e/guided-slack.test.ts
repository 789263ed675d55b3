import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { type FakeSlack, fakeTokens, startFakeSlack } from '../support/fake-slack.ts';
import { type HookbellHome, hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { needs } from '../support/system-part.ts';
import { keys, type TypedCommand, typedCommand } from '../support/typed-command.ts';

const skip = needs('script', 'stty');
const program = join(projectRoot, 'dist/program/cli.js');

function typed({ env }: HookbellHome, words: string): TypedCommand {
  return typedCommand(`exec '${process.execPath}' '${program}' ${words}`, {
    ...env,
    PATH: '/usr/bin:/bin',
  });
}

/** Chooses an app at the fake's address, up to the question for the first token. */
async function begin(command: TypedCommand, slack: FakeSlack): Promise<void> {
  await command.shown('how should hookbell post?');
  await command.shown('Stop');
  command.type(`${keys.down.repeat(2)}${keys.enter}`);
  await command.shown('Slack: address');
  command.type(`${slack.server}${keys.enter}`);
  await command.shown('https://api.slack.com/apps?new_app=1&manifest_json=');
  await command.shown('Bot User OAuth Token (xoxb-…)');
}

describe('"hookbell channel add slack" at a terminal', { skip, timeout: 120_000 }, () => {
  test('leads to an app: checks both tokens and the scopes, and waits for the press on its test', async () => {
    await using slack = await startFakeSlack();
    await using place = await hookbellHome();
    await using command = typed(place, 'channel add slack');

    await begin(command, slack);
    command.type(`xoxp-wrong${keys.enter}`);
    await command.shown('It does not begin with "xoxb-"');
    command.type(`${'\u007f'.repeat(10)}xoxb-wrong${keys.enter}`);
    await command.shown('the token is refused (invalid_auth)');
    slack.grant('chat:write,commands');
    await command.shown('Bot User OAuth Token');
    command.type(`${fakeTokens.bot}${keys.enter}`);
    await command.shown('The app lacks the scope "channels:history"');
    slack.grantAll();
    await command.shown('Bot User OAuth Token');
    command.type(`${fakeTokens.bot}${keys.enter}`);
    await command.shown('The token belongs to "hookbell" in "Fake"');
    await command.shown('App-Level Token (xapp-…)');
    command.type(`xapp-wrong${keys.enter}`);
    await command.shown('Cannot connect to Slack: the token is refused (invalid_auth)');
    await command.shown('App-Level Token');
    command.type(`${fakeTokens.app}${keys.enter}`);
    await command.shown('Your email address in Slack');
    command.type(`nobody@example.com${keys.enter}`);
    await command.shown('no member of the workspace has that address');
    await command.shown('Your email address in Slack');
    command.type(`ada@example.com${keys.enter}`);
    await command.shown('Where should it post?');
    command.type(keys.enter);
    await command.shown('/invite @hookbell');
    await command.shown('Id of the channel');
    command.type(`C0OTHER${keys.enter}`);
    await command.shown('Is the app in the conversation?');
    await command.shown('Later');
    command.type(keys.enter);
    await command.shown('the app was not invited to it (channel_not_found)');
    await command.shown('Where should it post?');
    command.type(keys.enter);
    await command.shown('Id of the channel');
    command.type(`C0TEAM${keys.enter}`);
    await command.shown('Later');
    command.type(keys.enter);
    await command.shown('Posted a test. Press "Seen" in Slack');
    await until(() => slack.connections() === 1);
    const [post] = slack.posts;
    assert.ok(post);
    await slack.press(post, 'seen', 'U0EVE');
    await slack.press(post, 'seen');
    await command.shown('Your press arrived after');
    await command.shown('When should "slack" receive');
    await command.shown('Not yet');
    command.type(keys.enter);
    const { code, screen } = await command.ended();

    assert.equal(code, 0, screen);
    assert.ok(!screen.includes(fakeTokens.bot) && !screen.includes(fakeTokens.app));
    const config = await readFile(place.paths.config, 'utf8');
    assert.match(config, /slack: \{ type: slack, .*to: C0TEAM, members: \[ "?T0FAKE:U0ADA"? \]/);
    assert.match(config, /bot_token: \{ file: .*app_token: \{ file: /);
    assert.ok(!config.includes('xoxb-') && !config.includes('xapp-'));
    const secrets = join(place.home, '.secrets');
    assert.deepEqual((await readdir(secrets)).toSorted(), [
      'hookbell-slack-app_token',
      'hookbell-slack-bot_token',
    ]);
    const file = join(secrets, 'hookbell-slack-bot_token');
    assert.equal(await readFile(file, 'utf8'), `${fakeTokens.bot}\n`);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal((await place.cli('config', 'check')).code, 0);
    await place.start();
    const doctor = await place.cli('doctor', '--all');
    assert.match(doctor.stdout, /Posts as "hookbell" in "Fake", with buttons/);
  });

  test('direct messages need no channel, and Ctrl-C while it waits for the press changes nothing', async () => {
    await using slack = await startFakeSlack();
    await using place = await hookbellHome();
    const before = await readdir(place.home, { recursive: true });
    await using command = typed(place, 'channel add team --type slack');

    await begin(command, slack);
    command.type(`${fakeTokens.bot}${keys.enter}`);
    await command.shown('App-Level Token');
    command.type(`${fakeTokens.app}${keys.enter}`);
    await command.shown('Your email address in Slack');
    command.type(`U0ADA${keys.enter}`);
    await command.shown('To you, as direct messages');
    command.type(`${keys.down}${keys.enter}`);
    await command.shown('Later');
    command.type(keys.enter);
    await command.shown('Posted a test.');
    assert.equal(slack.posts[0]?.channel, 'D0U0ADA');
    command.type(keys.interrupt);
    const { code, screen } = await command.ended();

    assert.equal(code, 1);
    assert.match(screen, /hookbell: Setup was interrupted\r?\n {2}Nothing was changed/);
    assert.deepEqual(await readdir(place.home, { recursive: true }), before);
  });

  test('an incoming webhook is asked for as before', async () => {
    await using place = await hookbellHome();
    await using command = typed(place, 'channel add slack --no-plan');

    await command.shown('how should hookbell post?');
    await command.shown('Stop');
    command.type(keys.enter);
    await command.shown('address of the incoming webhook');
    command.type(`https://hooks.slack.com/services/T0/B0/secret${keys.enter}`);
    const { code, screen } = await command.ended();

    assert.equal(code, 0, screen);
    assert.match(
      await readFile(place.paths.config, 'utf8'),
      /slack: \{ type: slack, webhook: \{ file: /,
    );
  });
});
