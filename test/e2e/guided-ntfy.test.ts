import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { type HookbellHome, hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { ntfyPrograms, startNtfy } from '../support/ntfy-server.ts';
import { scanQrCode } from '../support/qr-scanner.ts';
import { needs } from '../support/system-part.ts';
import { keys, type TypedCommand, typedCommand } from '../support/typed-command.ts';

const skip = needs('script', 'stty', 'zbarimg', ntfyPrograms['2.27']);
const program = join(projectRoot, 'dist/program/cli.js');

/** Everyone may use the topics that a person makes up, as on ntfy.sh. */
const open = 'auth-access: ["*:hookbell-*:read-write"]';

function typed({ env }: HookbellHome, words: string): TypedCommand {
  return typedCommand(`exec '${process.execPath}' '${program}' ${words}`, {
    ...env,
    PATH: '/usr/bin:/bin',
  });
}

function topicOf(link: string): string {
  return /^ntfy:\/\/127\.0\.0\.1:\d+\/(hookbell-[a-z2-9]{20})\?secure=false$/.exec(link)?.[1] ?? '';
}

describe('"hookbell channel add ntfy" at a terminal', { skip, timeout: 120_000 }, () => {
  test('makes topics, shows a code that the phone can scan, and waits for the tap on its test', async () => {
    await using server = await startNtfy('2.27', open);
    await using place = await hookbellHome();
    await using command = typed(place, 'channel add ntfy');

    await command.shown('address of the server');
    command.type(`http://127.0.0.1:9${keys.enter}`);
    await command.shown('Cannot use "http://127.0.0.1:9": ');
    await command.shown('Stop');
    command.type(`${keys.down}${keys.enter}`);
    await command.shown('address of the server');
    command.type(`${server.url}${keys.enter}`);
    await command.shown('Allow and Deny need topics that others cannot read');
    await command.shown('Access token of your account');
    command.type(keys.enter);
    await command.shown('Is the phone subscribed?');
    const link = await scanQrCode(command.screen());
    const topic = topicOf(link);
    assert.notEqual(topic, '', link);
    assert.ok(command.screen().includes(`\n${link}`), 'the link stands below its code');
    await using phone = await server.phone({ topic, token: null });
    await command.shown('Later');
    command.type(keys.enter);
    await command.shown('Sent a test. Tap "Seen" on the phone');
    await until(() => phone.received.length === 1);
    const [shown] = phone.received;
    assert.ok(shown);
    assert.equal(shown.title, 'hookbell: tap "Seen"');
    await phone.press('Seen', shown);
    await command.shown('The phone answered after');
    await command.shown('everyone who knows the topic can read it');
    await command.shown('When should "ntfy" receive');
    await command.shown('Not yet');
    command.type(keys.enter);
    const { code, screen } = await command.ended();

    assert.equal(code, 0, screen);
    const config = await readFile(place.paths.config, 'utf8');
    assert.match(
      config,
      /ntfy: \{ type: ntfy, server: http.*, topic: \{ file: .*answer_topic: \{ file: /,
    );
    assert.match(config, /after: 2m, notify: ntfy/);
    assert.ok(!config.includes(topic));
    const secrets = join(place.home, '.secrets');
    assert.deepEqual((await readdir(secrets)).toSorted(), [
      'hookbell-ntfy-answer_topic',
      'hookbell-ntfy-topic',
    ]);
    const file = join(secrets, 'hookbell-ntfy-topic');
    assert.equal(await readFile(file, 'utf8'), `${topic}\n`);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal((await stat(secrets)).mode & 0o777, 0o700);
    assert.equal((await place.cli('config', 'check')).code, 0);
  });

  test('names the commands that close the topics of a server with access control, and they do', async () => {
    await using server = await startNtfy('2.27');
    await using place = await hookbellHome();
    await using command = typed(place, 'channel add phone --type ntfy --after 0s');

    await command.shown('address of the server');
    command.type(`${server.url}${keys.enter}`);
    await command.shown('(Settings, Manage users)');
    const commands = [...command.screen().matchAll(/^ {2}ntfy (access \S+ \S+ \S+)\r?$/gm)];
    assert.equal(commands.length, 4);
    for (const [, words = ''] of commands) await server.administer(words.split(' '));
    await command.shown('Token of the user "hookbell"');
    command.type(`${server.token}${keys.enter}`);
    await command.shown('Token of the user "buttons"');
    command.type(`${server.answerToken}${keys.enter}`);
    await command.shown('Is the phone subscribed?');
    const topic = topicOf(await scanQrCode(command.screen()));
    await using phone = await server.phone({ topic });
    await command.shown('Later');
    command.type(keys.enter);
    await command.shown('Sent a test.');
    await until(() => phone.received.length === 1);
    const [shown] = phone.received;
    assert.ok(shown);
    await phone.press('Seen', shown);
    await command.shown('with buttons; requests can be decided there');
    const { code, screen } = await command.ended();

    assert.equal(code, 0, screen);
    assert.ok(!screen.includes(server.token));
    await place.start();
    const doctor = await place.cli('doctor', '--all');
    assert.match(doctor.stdout, /can replace, withdraw, acknowledge, snooze, decide/);
  });

  test('Ctrl-C while it waits for the tap changes nothing', async () => {
    await using server = await startNtfy('2.27', open);
    await using place = await hookbellHome();
    const before = await readdir(place.home, { recursive: true });
    await using command = typed(place, 'channel add ntfy');

    await command.shown('address of the server');
    command.type(`${server.url}${keys.enter}`);
    await command.shown('Access token of your account');
    command.type(keys.enter);
    await command.shown('Is the phone subscribed?');
    await command.shown('Later');
    command.type(keys.enter);
    await command.shown('Sent a test.');
    command.type(keys.interrupt);
    const { code, screen } = await command.ended();

    assert.equal(code, 1);
    assert.match(screen, /hookbell: Setup was interrupted\r?\n {2}Nothing was changed/);
    assert.deepEqual(await readdir(place.home, { recursive: true }), before);
  });

  test('"hookbell init" proposes the phone, and only failures at night, where nothing shows pop-ups', async () => {
    await using server = await startNtfy('2.27', open);
    await using place = await hookbellHome();
    await using command = typed(place, 'init --no-hooks --no-api --dry-run');

    await command.shown('How should hookbell notify you?');
    await command.shown('On the phone (this machine shows no pop-ups)');
    await command.shown('from 22:00 to 07:30 only failures');
    await command.shown('Choose channels');
    command.type(keys.enter);
    await command.shown('address of the server');
    command.type(`${server.url}${keys.enter}`);
    await command.shown('Access token of your account');
    command.type(keys.enter);
    await command.shown('Is the phone subscribed?');
    await command.shown('Later');
    command.type(`${keys.down}${keys.enter}`);
    const { code, screen } = await command.ended();

    assert.equal(code, 0, screen);
    const written = screen.replaceAll('\r', '');
    assert.match(written, /^channels:\n {2}ntfy: .*\n\n/m);
    assert.match(
      written,
      /^quiet_hours: \{ from: "22:00", to: "07:30", let_through: turn\.failed \}$/m,
    );
  });

  test('"hookbell init" sets ntfy up in the same way', async () => {
    await using server = await startNtfy('2.27', open);
    await using place = await hookbellHome();
    const said = '--channel desktop --channel ntfy --no-hooks --no-quiet-hours --no-api --no-test';
    await using command = typed(place, `init ${said} --dry-run`);

    await command.shown('address of the server');
    command.type(`${server.url}${keys.enter}`);
    await command.shown('Access token of your account');
    command.type(keys.enter);
    await command.shown('Is the phone subscribed?');
    await command.shown('Later');
    command.type(`${keys.down}${keys.enter}`);
    const { code, screen } = await command.ended();

    assert.equal(code, 0, screen);
    assert.match(screen, /ntfy: \{ type: ntfy, server: .*answer_topic: \{ file: /);
    assert.match(screen, /A secret would be stored in .*hookbell-ntfy-topic/);
  });
});
