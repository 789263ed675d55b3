import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { CommandLine } from '../../support/command-line.ts';
import { commandLine } from '../../support/command-line.ts';
import { sampleEventView } from '../../support/sample-views.ts';
import { serveEvents } from '../../support/serve-events.ts';

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
  test('says which route and plan a payload takes, and who would be notified when', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, config);

    const { code, stdout } = await cli.run(['route', 'test', '--event', '-', '--agent', 'droid'], {
      input: permission,
    });

    assert.match(stdout, /^route +pass +routes\[0\] chooses plan "escalate"$/m);
    assert.match(stdout, /^would notify desktop after 700 ms$/m);
    assert.match(stdout, /^would notify log after 2 min$/m);
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
      { channel: 'desktop', afterMs: 700 },
      { channel: 'inbox', afterMs: 0 },
      { channel: 'log', afterMs: 120_000 },
    ]);
    assert.deepEqual(claude.notify, []);
    assert.deepEqual(claude.decisions.at(-1), {
      stage: 'route',
      verdict: 'stop',
      reason: 'No route matches needs.permission',
    });
  });

  test('--after makes the payload the end of a turn of this length', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, config);
    const words = ['route', 'test', '--event', '-', '--after'];

    const short = await cli.run([...words, '30'], { input: stop });
    const long = await cli.run([...words, '30.5'], { input: stop });

    assert.match(short.stdout, /after a turn of 30 s\nwould notify no one\n$/);
    assert.match(long.stdout, /would notify desktop immediately/);
  });

  for (const [name, words, input, expected] of [
    ['a payload that is no event', ['--event', '-'], '[]', 1],
    ['a file that is not there', ['--event', 'nowhere.json'], '', 6],
    ['a length that is no number', ['--event', '-', '--after', '2m'], stop, 2],
    ['a time that is none', ['--event', '-', '--at', '25:00'], stop, 2],
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

  test('--verify ends with 0 on the expected plan and with 1 on another one, saying which', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, config);
    await cli.write('payload.json', permission);
    const words = 'route test --event payload.json --agent droid --verify'.split(' ');

    const right = await cli.run([...words, 'escalate', '--json']);
    const wrong = await cli.run([...words, 'none']);
    const json = await cli.run([...words, 'none', '--json']);
    const unknown = await cli.run([...words, 'esclate']);

    assert.equal(right.code, 0);
    assert.equal(JSON.parse(right.stdout).verified, true);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /^It takes escalate, expected "none"\n$/);
    assert.equal(json.code, 1);
    assert.equal(JSON.parse(json.stdout).verified, false);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /Unknown plan "esclate"\n {2}Expected one of: none, escalate/);
  });

  test('--verify none is right for an event that notifies no one', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, config);

    const words = 'route test --event - --after 5 --verify none'.split(' ');

    assert.equal((await cli.run(words, { input: stop })).code, 0);
  });

  test('--at decides as if it were that time', async () => {
    await using cli = await commandLine();
    await cli.write(
      CONFIG,
      `${config}  - { match: { hours: "22:00-06:00" }, notify: log }
`,
    );
    const words = 'route test --event - --agent claude --json --at'.split(' ');

    const notified = [];
    for (const at of ['2026-01-05T22:30:00Z', '2026-01-05T12:00:00Z', '23:15', '7:00']) {
      const { stdout } = await cli.run([...words, at], { input: permission });
      notified.push(JSON.parse(stdout).notify.map(({ channel }: { channel: string }) => channel));
    }
    const refused = await cli.run([...words, 'noon'], { input: permission });

    assert.deepEqual(notified, [['log', 'inbox'], [], ['log', 'inbox'], []]);
    assert.match(refused.stderr, /The time is "noon", expected one such as/);
    assert.equal(refused.code, 2);
  });

  test('--tree shows every route, the one taken, and what keeps the payload from the others', async () => {
    await using cli = await commandLine();
    await cli.write(CONFIG, config);
    await cli.write('payload.json', permission);
    const words = 'route test --event payload.json --tree --agent'.split(' ');

    const claude = await cli.run([...words, 'claude']);
    const droid = JSON.parse((await cli.run([...words, 'droid', '--json'])).stdout);

    assert.match(
      claude.stdout,
      /^ {2}routes\[0\] -> escalate\n {6}agent does not hold: claude, wanted droid\n {2}routes\[1\] -> routes\[1\]\n {6}kind does not hold: needs.permission, wanted turn.done\n {6}longer_than does not hold: ends no turn, wanted more than 30 s\n/,
    );
    assert.deepEqual(droid.tree, [
      { route: 'routes[0]', plan: 'escalate', taken: true, unfit: [] },
      {
        route: 'routes[1]',
        plan: 'routes[1]',
        taken: false,
        unfit: [
          { condition: 'kind', wanted: 'turn.done', actual: 'needs.permission' },
          { condition: 'longer_than', wanted: 'more than 30 s', actual: 'ends no turn' },
        ],
      },
    ]);
  });
});

describe('hookbell route diff', () => {
  test('lists the recorded events that would go to other channels, oldest first, and ends with 1', async () => {
    await using cli = await commandLine();
    await serveHistory(cli);
    await cli.write('old.yaml', config);
    await cli.write('new.yaml', config.replace('turn.done, longer_than: 30s', 'turn.done'));

    const { code, stdout } = await cli.run(['route', 'diff', 'old.yaml', 'new.yaml']);
    const json = await cli.run(['route', 'diff', 'old.yaml', 'new.yaml', '--json']);

    assert.match(stdout, /^EVENT +TIME +WHAT +BEFORE +AFTER\nstop1 .* no one +desktop\n$/);
    const [difference, ...more] = JSON.parse(json.stdout);
    assert.deepEqual(difference, {
      eventId: 'stop1',
      at: '2026-03-01T10:00:10.000Z',
      title: 'shop: done',
      before: [],
      after: ['desktop'],
    });
    assert.deepEqual(more, []);
    assert.deepEqual([code, json.code], [1, 1]);
  });

  test('ends with 6 where one of the files is not there (B8)', async () => {
    await using cli = await commandLine();
    await serveHistory(cli);
    await cli.write('old.yaml', config);

    for (const files of [
      ['old.yaml', 'gone.yaml'],
      ['gone.yaml', 'old.yaml'],
    ]) {
      const { code, stderr } = await cli.run(['route', 'diff', ...files]);

      assert.match(stderr, /Cannot read the configuration "gone\.yaml": no such file/);
      assert.equal(code, 6);
    }
  });

  test('distinguishes a later step', async () => {
    await using cli = await commandLine();
    await serveHistory(cli);
    await cli.write('old.yaml', config);
    await cli.write(
      'new.yaml',
      config.replace('{ after: 2m, notify: log }', '{ after: 8s, notify: log }'),
    );

    const { stdout } = await cli.run(['route', 'diff', 'old.yaml', 'new.yaml', '--json']);

    const found = JSON.parse(stdout).map(({ before, after }: Record<string, unknown>) => ({
      before,
      after,
    }));
    assert.deepEqual(found, [{ before: ['desktop'], after: ['desktop', 'log (step 1)'] }]);
  });

  test('ends with 0 when nothing would go elsewhere', async () => {
    await using cli = await commandLine();
    await serveHistory(cli);
    await cli.write('old.yaml', config);

    assert.deepEqual(await cli.run(['route', 'diff', 'old.yaml', 'old.yaml']), {
      code: 0,
      stdout: '',
      stderr: '3 events, no difference\n',
    });
  });
});

/** A daemon that remembers a prompt, a question of droid, and the end of the turn ten seconds after the prompt. */
async function serveHistory(cli: CommandLine): Promise<void> {
  await serveEvents(cli, [
    sampleEventView({
      eventId: 'stop1',
      at: '2026-03-01T10:00:10.000Z',
      agent: 'droid',
      title: 'shop: done',
      payload: payloadOf('Stop'),
    }),
    sampleEventView({
      eventId: 'ask1',
      at: '2026-03-01T10:00:01.000Z',
      agent: 'droid',
      payload: payloadOf('Notification', { message: 'Droid needs your permission to use Execute' }),
    }),
    sampleEventView({
      eventId: 'prompt1',
      at: '2026-03-01T10:00:00.000Z',
      agent: 'droid',
      payload: payloadOf('UserPromptSubmit', { prompt: 'go on' }),
    }),
  ]);
}

function payloadOf(event: string, fields: object = {}): string {
  return JSON.stringify({ hook_event_name: event, session_id: 's1', ...fields });
}
