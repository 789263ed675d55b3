import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { hookbellHome, until } from '../support/hookbell-home.ts';

const asks = {
  hook_event_name: 'PermissionRequest',
  session_id: 'session-a',
  cwd: '/home/dev/shop',
  tool_name: 'Bash',
  tool_input: { command: 'make' },
};

describe('hookbell test', () => {
  test('of a channel that works again ends the warning of `status`, sends what waited, and is explained', async () => {
    await using home = await hookbellHome();
    const broken = join(home.home, 'broken');
    const ring = `{ type: command, command: [/bin/sh, -c, "test ! -e ${broken}"] }`;
    await home.writeConfig(`
channels: { log: ${ring} }
routes: [{ match: { kind: waiting }, notify: log }]
`);
    await writeFile(broken, '');
    await home.start();
    await home.hook(asks);
    await until(async () => /log +command .* retry /.test((await home.cli('status')).stdout));
    await rm(broken);

    const tested = await home.cli('test', 'log');
    const status = await home.cli('status');
    const explained = await home.cli('explain', 'last');
    const listed = await home.cli('history');

    assert.match(tested.stdout, /^log +command +delivered/m);
    assert.match(status.stdout, /^log +command +ok +delivered$/m);
    assert.match(explained.stdout, /event "HookbellTest"/);
    assert.match(explained.stdout, /^ {2}delivery +notify +log: delivered after \d+ ms$/m);
    assert.match(explained.stdout, /none: a test is sent directly/);
    assert.doesNotMatch(explained.stdout, /What would have to change/);
    assert.match(listed.stdout, /a test of log +log: delivered after/);
    await until(async () => (await home.ask('GET /v1/status')).deliveries.sent > 0);
  });

  test('finds a channel that was written a moment ago, and says what is not in force', async () => {
    await using home = await hookbellHome();
    await home.writeConfig('channels: { one: { type: command, command: ["true"] } }');
    await home.start();

    await home.writeConfig(`channels:
  one: { type: command, command: ["true"] }
  two: { type: command, command: ["true"] }
`);
    const added = await home.cli('test', 'two');
    await home.writeConfig('channels: { one: { type: command, command: ["false"] } }\nroutes: 5\n');
    const invalid = await home.cli('test', 'one');
    const restarted = await home.cli('restart');
    const started = await home.cli('start');

    assert.equal(added.code, 0, added.stderr);
    assert.match(invalid.stdout, /^one +command +delivered/m);
    assert.match(restarted.stderr, /could not start: Cannot use the configuration: .*:2:9 routes/);
    for (const { stderr } of [invalid, started]) {
      assert.match(
        stderr,
        /^The configuration is not in force, the former settings are: .*:2:9 routes/m,
      );
      assert.match(stderr, /^ {2}Run "hookbell config check"$/m);
    }
    assert.equal(added.stderr, '');
  });

  test('`explain` shows a message as it was sent, with the title of its session', async () => {
    await using home = await hookbellHome();
    const sent = join(home.home, 'sent');
    await home.writeConfig(`
channels: { log: { type: command, command: [/bin/sh, -c, "cat >> ${sent}"] } }
routes: [{ match: { kind: waiting }, notify: log }]
`);
    await home.start();
    const { session_id, cwd } = asks;
    const prompt = { hook_event_name: 'UserPromptSubmit', session_id, cwd, prompt: 'Fix the cart' };
    await home.hook(prompt);
    await home.hook(asks);
    await until(async () => (await home.ask('GET /v1/status')).deliveries.sent > 0);

    const { stdout } = await home.cli('explain', 'last');

    assert.match(stdout, /Session: Fix the cart/);
  });
});
