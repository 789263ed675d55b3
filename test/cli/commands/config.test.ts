import assert from 'node:assert/strict';
import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { CommandLine } from '../../support/command-line.ts';
import { commandLine } from '../../support/command-line.ts';

const CONFIG = '.config/hookbell/config.yaml';

describe('hookbell config check', () => {
  test('ends with 3 and names every problem as file:line:column', async () => {
    await using cli = await commandLine();
    const path = await cli.write('bad.yaml', 'chanels: {}\nhistory: { keep: 5 }\n');

    const { code, stdout, stderr } = await cli.run(['config', 'check', 'bad.yaml']);

    const [first = '', second = '', ...rest] = stdout.split('\n');
    assert.ok(first.startsWith(`${path}:1:1 chanels: `), first);
    assert.ok(second.startsWith(`${path}:2:18 history.keep: `), second);
    assert.deepEqual(rest, ['']);
    assert.match(stderr, /is not valid/);
    assert.equal(code, 3);
  });

  test('--json shows file, line, column and path of each problem in separate fields', async () => {
    await using cli = await commandLine();
    const path = await cli.write(CONFIG, 'chanels: {}\n');

    const { code, stdout } = await cli.run(['config', 'check', '--json']);

    const checked = JSON.parse(stdout);
    assert.equal(checked.ok, false);
    assert.equal(checked.problems.length, 1);
    const [{ message, ...place }] = checked.problems;
    assert.deepEqual(place, { file: path, line: 1, column: 1, path: 'chanels' });
    assert.match(message, /did you mean "channels"/);
    assert.equal(code, 3);
  });

  test('warns with line and column of what cannot work, and shows no secret (B11)', async () => {
    await using cli = await commandLine();
    const open = await cli.write('open', 'hunter2\n');
    await chmod(open, 0o644);
    const path = await cli.write(
      CONFIG,
      `channels:
  plain: { type: webhook, url: "http://example.test/hunter2" }
  near: { type: webhook, url: "https://localhost/hunter2" }
  lan: { type: webhook, url: "https://192.168.1.4/x", allow_private: true }
  auth: { type: webhook, url: "https://example.test", headers: { Authorization: "Bearer $TOKEN" } }
  gone: { type: slack, webhook: { file: nowhere } }
  open: { type: slack, webhook: { file: ${open} } }
  run: { type: command, command: [no-such-program, hunter2] }
`,
    );

    const { code, stdout, stderr } = await cli.run(['config', 'check']);

    const lines = stdout.split('\n').filter((line) => !line.includes('in plain text'));
    assert.deepEqual(
      lines.map((line) => line.replace(`warning: ${path}:`, '').replace(/(: .{12}).*$/, '$1')),
      [
        '2:32 channels.plain.url: is an addres',
        '3:31 channels.near.url: is an addres',
        '5:81 channels.auth.headers.Authorization: contains a s',
        '6:41 channels.gone.webhook.file: does not wor',
        '7:41 channels.open.webhook.file: does not wor',
        '8:35 channels.run.command[0]: names the pr',
        '',
      ],
    );
    assert.match(stdout, /write \{ env: TOKEN \}/);
    assert.match(stdout, /nowhere": it does not exist/);
    assert.match(stdout, /mode 0644, expected 0600/);
    assert.match(stdout, /"no-such-program", which was not found/);
    assert.ok(!`${stdout}${stderr}`.includes('hunter2'));
    assert.equal(code, 0);
  });

  test('refuses an address written out that is not that of a Slack webhook, without showing it (P34)', async () => {
    await using cli = await commandLine();
    const webhook = 'https://evil.test/services/T0/B0/hunter2';
    const path = await cli.write(
      CONFIG,
      `channels: { team: { type: slack, webhook: "${webhook}" } }\n`,
    );

    const { code, stdout, stderr } = await cli.run(['config', 'check']);

    assert.ok(
      stdout.startsWith(
        `${path}:1:43 channels.team.webhook: is at "evil.test", expected hooks.slack.com`,
      ),
      stdout,
    );
    assert.ok(!`${stdout}${stderr}`.includes('hunter2'));
    assert.equal(code, 3);
  });

  test('refuses an address in a secret file that the channel refuses, without showing it', async () => {
    await using cli = await commandLine();
    const secret = await cli.write('webhook', 'http://hooks.slack.com/services/T0/hunter2\n');
    await chmod(secret, 0o600);
    const path = await cli.write(
      CONFIG,
      `channels: { team: { type: slack, timeout: 5s, webhook: { file: ${secret} } } }\n`,
    );

    const { code, stdout, stderr } = await cli.run(['config', 'check']);
    await cli.write('webhook', 'https://hooks.slack.com/services/T0/hunter2\n');
    const good = await cli.run(['config', 'check']);

    assert.equal(stdout, `${path} channels.team.webhook: is not https\n`);
    assert.match(stderr, /is not valid$/m);
    assert.deepEqual([code, good.code], [3, 0]);
  });

  test('warns of a secret in plain text without showing it', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, 'api: { key: hunter2-hunter2 }\n');

    const { code, stdout, stderr } = await cli.run(['config', 'check']);

    assert.match(stdout, /^warning: "api\.key" is a secret in plain text/m);
    assert.ok(!`${stdout}${stderr}`.includes('hunter2'));
    assert.equal(code, 0);
  });

  test('no configuration is a good one, but a named file has to be there', async () => {
    await using cli = await commandLine();

    const without = await cli.run(['config', 'check']);
    const missing = await cli.run(['config', 'check', 'missing.yaml']);

    assert.equal(without.code, 0);
    assert.match(without.stderr, /the built-in configuration is in use/);
    assert.equal(missing.code, 6);
  });
});

describe('hookbell config', () => {
  test('show prints what holds, with secrets masked and the rest readable again', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, 'api: { key: hunter2-hunter2 }\nhistory: { keep: 3d }\n');

    const { code, stdout } = await cli.run(['config', 'show']);
    const json = await cli.run(['config', 'show', '--json']);

    assert.match(stdout, /^ {2}key: "?\*\*\*"?$/m);
    assert.match(stdout, /^ {2}keep: 3d$/m);
    assert.match(stdout, /^channels:$/m);
    assert.equal(JSON.parse(json.stdout).api.key, '***');
    assert.ok(!`${stdout}${json.stdout}`.includes('hunter2'));
    assert.equal(code, 0);
  });

  test('show ends with 3 when the configuration cannot be used', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, 'chanels: {}\n');

    const { code, stdout, stderr } = await cli.run(['config', 'show']);

    assert.equal(code, 3);
    assert.equal(stdout, '');
    assert.match(stderr, /config\.yaml:1:1 chanels: /);
  });

  test('init writes a private file that check accepts, and does not overwrite one', async () => {
    await using cli = await commandLine();

    const first = await cli.run(['config', 'init']);
    const check = await cli.run(['config', 'check']);
    await cli.write(CONFIG, '# mine\n');
    const second = await cli.run(['config', 'init']);

    assert.equal(first.code, 0);
    assert.equal((await stat(cli.paths.config)).mode & 0o777, 0o600);
    assert.deepEqual([check.code, check.stdout], [0, '']);
    assert.equal(second.code, 1);
    assert.match(second.stderr, /it already exists\n {2}Run "hookbell config init --force"/);
    assert.equal(await readFile(cli.paths.config, 'utf8'), '# mine\n');
  });

  test('init --force replaces the file', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, '# mine\n');

    const { code } = await cli.run(['config', 'init', '--force']);

    assert.equal(code, 0);
    assert.match(await readFile(cli.paths.config, 'utf8'), /^# yaml-language-server: \$schema=/);
  });

  test('init says why it cannot write', async () => {
    await using cli = await commandLine();
    await cli.write('.config/hookbell', 'a file in its way');

    const { code, stderr } = await cli.run(['config', 'init']);

    assert.equal(code, 1);
    assert.match(stderr, /^hookbell: Cannot write "[^"]+config\.yaml": /);
  });
});

/** An editor that does these lines of shell; "$1" is its option, "$2" the file. */
async function editor(cli: CommandLine, lines: string): Promise<Record<string, string>> {
  await cli.write('editor', `#!/bin/sh\n${lines}\n`);
  await chmod(join(cli.home, 'editor'), 0o700);
  return { VISUAL: `${join(cli.home, 'editor')} --wait`, EDITOR: 'false' };
}

describe('hookbell config edit (B18)', () => {
  test('runs $VISUAL with its options, then checks the file', async () => {
    await using cli = await commandLine();
    const path = await cli.write(CONFIG, 'channels: {}\n');
    const env = await editor(cli, 'echo "# $1" >>"$2"');

    const { code, stderr } = await cli.run(['config', 'edit'], { env });

    assert.equal(code, 0);
    assert.match(stderr, /is valid\n$/);
    assert.equal(await readFile(path, 'utf8'), 'channels: {}\n# --wait\n');
  });

  test('reports a broken file with line and column, keeps it and ends with 3', async () => {
    await using cli = await commandLine();
    const path = await cli.write(CONFIG, 'channels: {}\n');
    const env = await editor(cli, 'echo "chanels: {}" >"$2"');

    const { code, stdout, stderr } = await cli.run(['config', 'edit'], { env });

    assert.equal(code, 3);
    assert.ok(stdout.startsWith(`${path}:1:1 chanels: `), stdout);
    assert.match(stderr, /The file is kept/);
    assert.equal(await readFile(path, 'utf8'), 'chanels: {}\n');
  });

  test('starts no editor of its own choice without a terminal, and says how to go on', async () => {
    await using cli = await commandLine();
    const path = await cli.write(CONFIG, 'channels: {}\n');

    const { code, stderr } = await cli.run(['config', 'edit']);

    assert.equal(code, 1);
    assert.match(stderr, /^hookbell: Cannot open an editor: this is not a terminal\n/);
    assert.ok(stderr.includes(`edit "${path}" and run "hookbell config check"`), stderr);
  });

  test('says which variable to set where the editor fails', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await cli.run(['config', 'edit'], {
      env: { EDITOR: 'no-such-editor' },
    });

    assert.equal(code, 1);
    assert.match(stderr, /Editor "no-such-editor" exited with 127.*\n {2}Set VISUAL or EDITOR/);
  });
});
