import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';

const CONFIG = '.config/hookbell/config.yaml';
const config = `
channels:
  desktop: { type: desktop }
  log: { type: file, path: log.jsonl }
plans:
  escalate: [{ notify: desktop }, { after: 2m, notify: log }]
routes:
  - { match: { kind: needs.permission, agent: droid }, plan: escalate }
  - { match: { kind: turn.done, longer_than: 30s }, notify: desktop }
`;
const permission = JSON.stringify({
  hook_event_name: 'Notification',
  session_id: 's1',
  message: 'Droid needs your permission to use Execute',
});
const stop = JSON.stringify({ hook_event_name: 'Stop', session_id: 's1' });

describe('hookbell route test', () => {
  test('says which route and plan a payload takes, and who would be told when', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, config);

    const { code, stdout } = await cli.run(['route', 'test', '--event', '-', '--agent', 'droid'], {
      input: permission,
    });

    assert.match(stdout, /^route +pass +routes\[0\] chooses plan "escalate"$/m);
    assert.match(stdout, /^would tell desktop at once$/m);
    assert.match(stdout, /^would tell log after 2 min$/m);
    assert.equal(code, 0);
  });

  test('--json gives the decisions and the channels with their delays', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, config);
    await cli.write('payload.json', permission);
    const words = ['route', 'test', '--event', 'payload.json', '--json'];

    const droid = JSON.parse((await cli.run([...words, '--agent', 'droid'])).stdout);
    const claude = JSON.parse((await cli.run([...words, '--agent', 'claude'])).stdout);

    assert.equal(droid.kind, 'needs.permission');
    assert.deepEqual(droid.notify, [
      { channel: 'desktop', afterMs: 0 },
      { channel: 'inbox', afterMs: 0 },
      { channel: 'log', afterMs: 120_000 },
    ]);
    assert.deepEqual(claude.notify, []);
    assert.deepEqual(claude.decisions.at(-1), {
      stage: 'route',
      verdict: 'stop',
      reason: 'No route fits needs.permission',
    });
  });

  test('--after makes the payload the end of a turn that took so long', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, config);
    const words = ['route', 'test', '--event', '-', '--after'];

    const short = await cli.run([...words, '30'], { input: stop });
    const long = await cli.run([...words, '30.5'], { input: stop });

    assert.match(short.stdout, /after a turn of 30000 ms\nwould tell nobody\n$/);
    assert.match(long.stdout, /would tell desktop at once/);
  });

  for (const [name, words, input, expected] of [
    ['a payload that is no event', ['--event', '-'], '{}', 1],
    ['a file that is not there', ['--event', 'nowhere.json'], '', 6],
    ['a length that is no number', ['--event', '-', '--after', '2m'], stop, 2],
    ['no payload at all', [], '', 2],
  ] as const) {
    test(`ends with ${expected} for ${name}`, async () => {
      await using cli = await commandLine();

      const { code, stdout, stderr } = await cli.run(['route', 'test', ...words], { input });

      assert.equal(code, expected);
      assert.equal(stdout, '');
      assert.notEqual(stderr, '');
    });
  }

  test('ends with 3 when the configuration cannot be used', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, 'routes: 5\n');

    const { code, stderr } = await cli.run(['route', 'test', '--event', '-'], { input: stop });

    assert.equal(code, 3);
    assert.match(stderr, /config\.yaml:1:9 routes: /);
  });
});
