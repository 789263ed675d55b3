import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';

const payload = JSON.stringify({
  hook_event_name: 'Notification',
  session_id: 's1',
  cwd: '/home/dev/shop',
  message: 'Claude needs your permission to use Bash',
});

const unknown = { kind: null, sessionId: null, message: null, cwd: null, project: null };

describe('hookbell hook --explain', () => {
  test('says what hookbell makes of a payload, with exactly these keys, and hands nothing in', async () => {
    await using cli = await commandLine();

    const { code, stdout, stderr } = await cli.run(['hook', '--explain', '--agent', 'claude'], {
      input: payload,
    });

    assert.deepEqual(JSON.parse(stdout), {
      valid: true,
      reason: null,
      agent: 'claude',
      kind: 'needs.permission',
      sessionId: 's1',
      message: 'Claude needs your permission to use Bash',
      cwd: '/home/dev/shop',
      project: 'shop',
    });
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(await readdir(cli.home), []);
  });

  for (const [name, input, reason] of [
    ['nothing', '', 'empty'],
    ['cut JSON', '{"hook_event_name": "St', 'invalid-json'],
    ['an array', '[1]', 'not-object'],
    ['an object without an event', '{"session_id":"x","message":"hi"}', 'no-event'],
  ] as const) {
    test(`ends with 0 for ${name} and says "${reason}"`, async () => {
      await using cli = await commandLine();

      const { code, stdout, stderr } = await cli.run(['hook', '--explain'], { input });

      assert.deepEqual(JSON.parse(stdout), { valid: false, reason, agent: 'unknown', ...unknown });
      assert.match(stderr, /^Not an event\. (?:Send|Add) /);
      assert.equal(code, 0);
    });
  }

  test('names the member of an unknown wrapper that is the event', async () => {
    await using cli = await commandLine();
    const input = '{"source":"relay","input_data":{"hook_event_name":"Stop","session_id":"s"}}';

    const { stdout, stderr } = await cli.run(['hook', '--explain'], { input });

    const { valid, reason } = JSON.parse(stdout);
    assert.deepEqual({ valid, reason }, { valid: false, reason: 'no-event' });
    assert.match(stderr, /Send the object in "input_data" by itself/);
  });

  test('takes the agent from the same variables as the hook', async () => {
    await using cli = await commandLine();
    const input = '{"hook_event_name":"Stop"}';

    const droid = await cli.run(['hook', '--explain'], {
      input,
      env: { FACTORY_PROJECT_DIR: '/home/dev/shop' },
    });
    const secret = await cli.run(['hook', '--explain'], { input, env: { AGENT: 'claude' } });

    assert.equal(JSON.parse(droid.stdout).agent, 'droid');
    assert.equal(JSON.parse(secret.stdout).agent, 'unknown');
  });

  test('takes the name of the event and the payload from its words', async () => {
    await using cli = await commandLine();

    const { stdout } = await cli.run(['hook', '--explain', '--event', 'Stop', '{"cwd":"/a/b"}']);

    const { valid, kind, project } = JSON.parse(stdout);
    assert.deepEqual({ valid, kind, project }, { valid: true, kind: 'turn.done', project: 'b' });
  });
});

describe('hookbell hook', () => {
  test('hands the event in silently, as the installed hook does', async () => {
    await using cli = await commandLine();

    const ended = await cli.run(['hook', '--agent', 'claude'], { input: payload });

    assert.deepEqual(ended, { code: 0, stdout: '', stderr: '' });
    const [name = '', ...more] = await readdir(cli.paths.spool);
    assert.deepEqual(more, []);
    const envelope = await readFile(join(cli.paths.spool, name), 'utf8');
    assert.match(envelope, /^agent=claude$/m);
    assert.ok(envelope.includes(`\n\n${payload}\nhookbell-end ${name}\n`));
  });

  test('no word is wrong enough to end with 2, which would stop an agent (023)', async () => {
    await using cli = await commandLine();

    for (const words of [['--agnet', 'x'], ['--agent'], ['a', 'b', 'c']]) {
      const ended = await cli.run(['hook', ...words], { input: payload });

      assert.deepEqual(ended, { code: 0, stdout: '', stderr: '' }, words.join(' '));
    }
    assert.equal((await readdir(cli.paths.spool)).length, 3);
  });
});
