import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { readLines } from '../support/file-channel-home.ts';
import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome, projectRoot } from '../support/hookbell-home.ts';
import type { Finished } from '../support/run-process.ts';
import { runProcess } from '../support/run-process.ts';
import { needs } from '../support/system-part.ts';
import type { TypedCommand } from '../support/typed-command.ts';
import { keys, typedCommand } from '../support/typed-command.ts';

const program = join(projectRoot, 'dist/program/cli.js');
const quiet = { PATH: '/usr/bin:/bin' };

/** A home directory of a user of Claude Code. */
async function homeWithClaude(): Promise<HookbellHome> {
  const place = await hookbellHome();
  await mkdir(join(place.home, '.claude'));
  return place;
}

/** With the program where an installation copies it: the checkout itself, since a copy takes seconds. */
async function homeWithProgram(): Promise<HookbellHome> {
  const place = await homeWithClaude();
  await mkdir(dirname(place.paths.program), { recursive: true });
  await symlink(projectRoot, place.paths.program);
  return place;
}

function init(
  place: HookbellHome,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  return runProcess(process.execPath, [program, 'init', ...words], {
    env: { ...place.env, ...quiet, ...env },
  });
}

function typedInit({ env }: HookbellHome, words = ''): TypedCommand {
  const line = `exec '${process.execPath}' '${program}' init ${words}`;
  return typedCommand(line, { ...env, ...quiet });
}

describe('hookbell init by its flags', { timeout: 120_000 }, () => {
  const words = ['--yes', '--channel', 'file', '--set', 'file.path=~/out.jsonl'];

  test('registers the agent it finds, writes the configuration, starts the daemon and sends a test; a second run only sends a test', async () => {
    await using place = await homeWithClaude();

    const { code, stdout, stderr } = await init(place, words);

    assert.equal(code, 0, `${stdout}\n${stderr}`);
    assert.match(stdout, /^\+ hooks +claude: .*settings\.json$/m);
    assert.match(stdout, /^file +file +delivered /m);
    const [line, ...more] = await readLines(join(place.home, 'out.jsonl'));
    assert.deepEqual([line?.channel, more], ['file', []]);
    assert.equal((await stat(place.paths.config)).mode & 0o777, 0o600);
    const { config } = await place.ask('GET /v1/status');
    assert.deepEqual([config.ok, config.path], [true, place.paths.config]);
    const settings = await readFile(join(place.home, '.claude/settings.json'), 'utf8');
    assert.ok(settings.includes('hookbell-hook'));

    const again = await init(place, words);

    assert.equal(again.code, 0, again.stderr);
    assert.doesNotMatch(again.stdout, /^\+ (?!daemon)/m);
    assert.equal((await readLines(join(place.home, 'out.jsonl'))).length, 2);
  });

  test('replaces a configuration only where that is said, keeps a copy, and lets the running daemon take it', async () => {
    await using place = await homeWithProgram();
    await place.writeConfig('# mine\nchannels: { mine: { type: file, path: mine.jsonl } }\n');
    const before = await readFile(place.paths.config, 'utf8');
    await place.start();

    const refused = await init(place, words);
    const untouched = await readFile(place.paths.config, 'utf8');
    const replaced = await init(place, [...words, '--existing', 'backup', '--json']);

    assert.equal(refused.code, 2);
    assert.match(
      refused.stderr,
      /already exists\n  Choose how to handle it: --existing keep\|backup/,
    );
    assert.equal(untouched, before);
    assert.equal(replaced.code, 0, replaced.stderr);
    assert.equal(await readFile(`${place.paths.config}.backup`, 'utf8'), before);
    const { ok, tests } = JSON.parse(replaced.stdout);
    assert.equal(ok, true);
    assert.deepEqual(
      tests.map(({ channel, outcome }: Record<string, string>) => [channel, outcome]),
      [['file', 'delivered']],
    );
  });

  test('keeps a configuration if chosen, and tests none of its channels that others may read (B3)', async () => {
    await using place = await homeWithProgram();
    await place.writeConfig('channels: { mine: { type: file, path: mine.jsonl } }\n');
    const before = await readFile(place.paths.config, 'utf8');

    const { code, stdout } = await init(place, ['--yes', '--existing', 'keep']);

    assert.equal(code, 0, stdout);
    assert.match(stdout, /^inbox +inbox +delivered /m);
    assert.doesNotMatch(stdout, /^mine /m);
    assert.equal(await readFile(place.paths.config, 'utf8'), before);
  });

  test('ends with 3 where the configuration that is kept cannot be used, and says why', async () => {
    await using place = await homeWithProgram();
    await place.writeConfig('chanels: {}\n');

    const { code, stderr } = await init(place, ['--yes', '--no-hooks', '--existing', 'keep']);

    assert.equal(code, 3);
    assert.match(stderr, /config\.yaml:1:1 chanels: .*\nhookbell: The daemon does not use this/);
  });

  test('keeps a secret of the environment in a separate file until "uninstall --purge", and never in the configuration', async () => {
    await using place = await homeWithClaude();
    const secret = 'https://hooks.slack.com/services/T0/B0/hunter2';
    const slack = ['--yes', '--no-hooks', '--channel', 'slack', '--no-test'];

    const { code, stdout, stderr } = await init(place, slack, {
      HOOKBELL_INIT_SLACK_WEBHOOK: secret,
    });

    const path = join(place.home, '.secrets/hookbell-slack-webhook');
    assert.equal(code, 0, stderr);
    assert.equal(await readFile(path, 'utf8'), `${secret}\n`);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    const written = await readFile(place.paths.config, 'utf8');
    assert.ok(!`${written}${stdout}${stderr}`.includes('hunter2'));
    const { channels } = await place.ask('GET /v1/status');
    assert.equal(channels.find(({ name }) => name === 'slack')?.state, 'ok');

    const planned = await place.cli('uninstall', '--dry-run');
    assert.match(planned.stdout, /^would remove +\S+\/hookbell$/m);
    assert.doesNotMatch(planned.stdout, /^removed/m);
    const uninstalled = await place.cli('uninstall');
    assert.match(uninstalled.stdout, /^kept +.*config\.yaml: your configuration$/m);
    assert.match(uninstalled.stdout, /^kept +.*hookbell-slack-webhook: a secret/m);
    assert.equal(await readFile(path, 'utf8'), `${secret}\n`);
    await place.cli('uninstall', '--purge', '--yes');
    assert.deepEqual(await readdir(place.home), ['.claude']);
  });
});

describe('hookbell init in a terminal', { skip: needs('script', 'stty'), timeout: 120_000 }, () => {
  test('asks with arrow keys, shows what it will write, and tests the chosen channels', async () => {
    await using place = await homeWithProgram();
    await using typed = typedInit(place);

    await typed.shown('◼ claude');
    await typed.shown('to navigate');
    typed.type(keys.enter);
    await typed.shown('How should hookbell notify you?');
    await typed.shown('Choose channels');
    typed.type(`${keys.down}${keys.enter}`);
    await typed.shown('Where do you want notifications?');
    await typed.shown('to navigate');
    // This home has no desktop, so none is chosen beforehand. One line up, round the end, are the rarer channels.
    typed.type(keys.up);
    typed.type(' ');
    await typed.shown('◼ more');
    typed.type(keys.enter);
    await typed.shown('Where do you want notifications?');
    await typed.shown('to navigate');
    typed.type(keys.up);
    typed.type(keys.up);
    typed.type(' ');
    await typed.shown('◼ file');
    typed.type(keys.enter);
    await typed.shown('path of the file');
    typed.type(`${join(place.home, 'out.jsonl')}${keys.enter}`);
    await typed.shown('Set quiet hours?');
    await typed.shown('No');
    typed.type(`${keys.up}${keys.enter}`);
    await typed.shown('Quiet hours, from-to');
    typed.type(`22-7${keys.enter}`);
    await typed.shown('is not a range of hours');
    typed.type(`${'\u007f'.repeat(4)}23:00-06:30${keys.enter}`);
    await typed.shown('Look up session titles');
    await typed.shown('Without it, titles come from');
    typed.type(keys.enter);
    await typed.shown('quiet_hours: { from: "23:00", to: "06:30" }');
    await typed.shown('You are notified when an agent needs permission');
    await typed.shown('immediately  the file');
    await typed.shown(
      'quiet hours  23:00 to 06:30; notifications are held and sent together afterwards',
    );
    await typed.shown('"hookbell channel add NAME" adds a channel later');
    await typed.shown('Should hookbell write this, register the hook with claude');
    typed.type(keys.enter);
    const { code, screen } = await typed.ended();

    assert.equal(code, 0, screen);
    assert.match(screen, /^file +file +delivered /m);
    assert.equal((await readLines(join(place.home, 'out.jsonl'))).length, 1);
    const written = await readFile(place.paths.config, 'utf8');
    assert.match(written, /^channels:\n {2}file: \{ type: file, path: .*out\.jsonl \}\n\n/m);
  });

  test('does not show a secret while it is typed, and asks for the address that Slack gave', async () => {
    await using place = await homeWithProgram();
    const said = '--channel slack --no-hooks --no-quiet-hours --no-api --no-test';
    await using typed = typedInit(place, said);

    await typed.shown('Slack: how should hookbell post?');
    await typed.shown('Stop');
    typed.type(keys.enter);
    await typed.shown('address of the incoming webhook');
    typed.type(`http://hooks.slack.com/services/hunter2${keys.enter}`);
    await typed.shown('It is not https');
    typed.type(`${'\u007f'.repeat(80)}https://hooks.slack.com/services/hunter2${keys.enter}`);
    await typed.shown('Should hookbell write this, start the daemon?');
    typed.type(keys.enter);
    const { code, screen } = await typed.ended();

    assert.equal(code, 0, screen);
    assert.ok(!screen.includes('hunter2'));
    const path = join(place.home, '.secrets/hookbell-slack-webhook');
    assert.equal(await readFile(path, 'utf8'), 'https://hooks.slack.com/services/hunter2\n');
  });

  test('Ctrl-C at the first question changes nothing and ends with 1', async () => {
    await using place = await homeWithClaude();
    await using typed = typedInit(place);

    await typed.shown('to navigate');
    typed.type(keys.interrupt);
    const { code, screen } = await typed.ended();

    assert.equal(code, 1);
    assert.match(screen, /hookbell: Setup was interrupted\r?\n {2}Nothing was changed/);
    assert.deepEqual(await readdir(place.home, { recursive: true }), ['.claude']);
  });

  test('Ctrl-C at the last question changes nothing either', async () => {
    await using place = await homeWithClaude();
    const said = '--agent claude --channel file --no-quiet-hours --no-api';
    await using typed = typedInit(place, said);

    await typed.shown('path of the file');
    typed.type(keys.enter);
    await typed.shown('Should hookbell');
    await typed.shown('No');
    // Closing the terminal now would end the process without another chance.
    assert.deepEqual(await readdir(place.paths.state), ['init-answers.json']);
    typed.type(keys.interrupt);
    const { code, screen } = await typed.ended();

    assert.equal(code, 1);
    assert.match(
      screen,
      /hookbell: Setup was interrupted\r?\n {2}Nothing was changed. Your answers are/,
    );
    assert.deepEqual(
      (await readdir(place.home, { recursive: true })).filter((name) => !name.startsWith('.local')),
      ['.claude'],
    );
    assert.deepEqual(await readdir(place.paths.state), ['init-answers.json']);
    assert.equal((await stat(place.paths.initAnswers)).mode & 0o777, 0o600);
  });

  test('offers to keep a configuration, to write a new one, or to stop, and "no" at the end changes nothing', async () => {
    await using place = await homeWithClaude();
    await place.writeConfig('channels: { mine: { type: file, path: mine.jsonl } }\n');
    const before = await readdir(place.home, { recursive: true });
    await using typed = typedInit(place);

    await typed.shown('Configuration ');
    await typed.shown('Stop');
    typed.type(`${keys.down}${keys.enter}`);
    await typed.shown('Which agents');
    await typed.shown('to navigate');
    typed.type(keys.enter);
    await typed.shown('How should hookbell notify you?');
    await typed.shown('Choose channels');
    typed.type(`${keys.down}${keys.enter}`);
    await typed.shown('Where do you want notifications?');
    await typed.shown('to navigate');
    typed.type(` ${keys.enter}`);
    await typed.shown('Set quiet hours?');
    await typed.shown('No');
    typed.type(keys.enter);
    await typed.shown('Look up session titles');
    await typed.shown('Without it, titles come from');
    typed.type(keys.enter);
    await typed.shown('The previous one is kept as');
    await typed.shown('Should hookbell');
    typed.type(`${keys.down}${keys.enter}`);
    const { code, screen } = await typed.ended();

    assert.equal(code, 1);
    assert.match(screen, /hookbell: Setup was stopped/);
    assert.deepEqual(await readdir(place.paths.state), []);
    assert.deepEqual(
      (await readdir(place.home, { recursive: true })).filter((name) => !name.startsWith('.local')),
      before,
    );
  });
});

describe(
  'a person who cannot answer all of hookbell init',
  { skip: needs('script', 'stty'), timeout: 240_000 },
  () => {
    test('a channel whose questions cannot be answered is left out, and an interruption keeps the rest', async () => {
      await using place = await homeWithProgram();
      const said = '--channel email --channel file --no-hooks --no-quiet-hours --no-api --no-test';
      await using typed = typedInit(place, said);

      await typed.shown('Email: recipient');
      typed.type(keys.interrupt);
      await typed.shown('Channel "email" is not set up yet');
      await typed.shown('Stop');
      typed.type(`${keys.down}${keys.enter}`);
      await typed.shown('path of the file');
      typed.type(`${join(place.home, 'out.jsonl')}${keys.enter}`);
      await typed.shown('Should hookbell');
      typed.type(keys.interrupt);
      const stopped = await typed.ended();
      await using again = typedInit(place, said.replace('--channel email ', ''));
      await again.shown('Continue with your answers of');
      await again.shown('with file set up?');
      again.type(keys.enter);
      await again.shown('Should hookbell');
      again.type(keys.enter);
      const { code, screen } = await again.ended();

      assert.equal(stopped.code, 1);
      assert.equal(code, 0, screen);
      const written = await readFile(place.paths.config, 'utf8');
      assert.match(written, /^channels:\n {2}file: \{ type: file, path: .*out\.jsonl \}\n\n/m);
      await assert.rejects(stat(place.paths.initAnswers), /ENOENT/);
    });

    test('a server that cannot be reached is tried again, left out, or used anyway', async () => {
      await using place = await homeWithProgram();
      const said = '--channel ntfy --no-hooks --no-quiet-hours --no-api --no-test';
      await using typed = typedInit(place, said);

      await typed.shown('address of the server');
      typed.type(`http://127.0.0.1:9${keys.enter}`);
      await typed.shown('Cannot use "http://127.0.0.1:9": ');
      await typed.shown('How do you want to continue?');
      await typed.shown('Stop');
      typed.type(keys.enter);
      await typed.shown('Cannot use "http://127.0.0.1:9": ');
      await typed.shown('Stop');
      typed.type(`${keys.down.repeat(3)}${keys.enter}`);
      // Without a channel there is nothing to write.
      await typed.shown('Where do you want notifications?');
      await typed.shown('to navigate');
      typed.type(`${keys.down.repeat(4)} `);
      await typed.shown('◼ ntfy');
      typed.type(keys.enter);
      await typed.shown('address of the server');
      typed.type(`http://127.0.0.1:9${keys.enter}`);
      await typed.shown('How do you want to continue?');
      await typed.shown('Stop');
      typed.type(`${keys.down.repeat(2)}${keys.enter}`);
      await typed.shown('Access token of your account');
      typed.type(keys.enter);
      await typed.shown('Is the phone subscribed?');
      await typed.shown('Stop');
      typed.type(`${keys.down}${keys.enter}`);
      await typed.shown('Should hookbell write this');
      typed.type(keys.enter);
      const { code, screen } = await typed.ended();

      assert.equal(code, 0, screen);
      assert.match(
        await readFile(place.paths.config, 'utf8'),
        /ntfy: \{ type: ntfy, server: http:\/\/127\.0\.0\.1:9, topic: \{ file: /,
      );
    });

    test('tests each channel of a configuration that is kept, as it says', async () => {
      await using place = await homeWithProgram();
      await place.writeConfig('channels: { mine: { type: file, path: mine.jsonl } }\n');
      await using typed = typedInit(place, '--no-hooks');

      await typed.shown('Configuration ');
      await typed.shown('Stop');
      typed.type(keys.enter);
      await typed.shown('send a test through each channel?');
      typed.type(keys.enter);
      const { code, screen } = await typed.ended();

      assert.equal(code, 0, screen);
      assert.match(screen, /^mine +file +delivered/m);
    });
  },
);
