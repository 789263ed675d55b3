import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { CommandLine } from '../../support/command-line.ts';
import { commandLine } from '../../support/command-line.ts';

/** Channels that people read; nothing is sent, so their type does not matter otherwise. */
const channels = `
channels:
  desktop: { type: desktop }
  team: { type: desktop }
  mail: { type: desktop }
alerts: { settle: 0 }
`;
/** Desktop immediately, team after two minutes, mail after ten. */
const escalating = `${channels}
plans: { escalate: [{ notify: desktop }, { after: 2m, notify: team }, { after: 10m, notify: mail }] }
routes: [{ match: { kind: waiting }, plan: escalate }]
`;

/** A line of a timeline: an event of claude in a session. */
function line(at: number, payload: object, session = 's1'): string {
  return JSON.stringify({ at, agent: 'claude', payload: { session_id: session, ...payload } });
}

function permission(at: number, command: string, session?: string): string {
  const tool = { tool_name: 'Bash', tool_input: { command } };
  return line(at, { hook_event_name: 'PermissionRequest', ...tool }, session);
}

function prompt(at: number, session?: string): string {
  return line(at, { hook_event_name: 'UserPromptSubmit', prompt: 'go on' }, session);
}

interface Ring {
  readonly at: number;
  readonly channel: string;
  readonly sessionId: string;
  readonly alertId: string;
}

/** The notifications that the command prints with --json. */
async function replay(
  cli: CommandLine,
  config: string,
  lines: readonly string[],
): Promise<readonly Ring[]> {
  await cli.write('other.yaml', config);
  await cli.write('timeline.jsonl', lines.join('\n'));
  const words = ['route', 'replay', 'timeline.jsonl', '--config', 'other.yaml', '--json'];
  const { code, stdout, stderr } = await cli.run(words);
  assert.equal(stderr, '');
  assert.equal(code, 0);
  return JSON.parse(stdout);
}

/** "desktop@0 s1", in order. */
function rings(told: readonly Ring[]): readonly string[] {
  return told.map(({ channel, at, sessionId }) => `${channel}@${at} ${sessionId}`);
}

describe('hookbell route replay', () => {
  test('an unanswered question escalates step by step, each with its reason', async () => {
    await using cli = await commandLine();

    const told = await replay(cli, escalating, [permission(0, 'npm test')]);

    const [{ alertId } = {}] = told;
    assert.equal(typeof alertId, 'string');
    const reason =
      'routes[0] chooses plan "escalate"; immediately: desktop, inbox; after 2 min: team; after 10 min: mail';
    const rest = { kind: 'needs.permission', sessionId: 's1', alertId, reason };
    assert.deepEqual(told, [
      { at: 0, channel: 'desktop', step: 0, ...rest },
      { at: 120, channel: 'team', step: 1, ...rest },
      { at: 600, channel: 'mail', step: 2, ...rest },
    ]);
  });

  test('an answer stops the escalation', async () => {
    await using cli = await commandLine();

    const told = await replay(cli, escalating, [permission(0, 'npm test'), prompt(130)]);

    assert.deepEqual(rings(told), ['desktop@0 s1', 'team@120 s1']);
  });

  test('the same prompt twice notifies once, a different one notifies again, as does another session', async () => {
    await using cli = await commandLine();

    const told = await replay(cli, escalating, [
      permission(0, 'npm test'),
      permission(20, 'npm test'),
      permission(40, 'rm -r build'),
      permission(60, 'npm test', 's2'),
      prompt(100),
      prompt(110, 's2'),
    ]);

    assert.deepEqual(rings(told), ['desktop@0 s1', 'desktop@40 s1', 'desktop@60 s2']);
  });

  test('three simultaneous questions notify immediately, and those after them together', async () => {
    await using cli = await commandLine();
    const sessions = ['s1', 's2', 's3', 's4', 's5'];

    const told = await replay(cli, escalating, [
      ...sessions.map((session) => permission(0, 'npm test', session)),
      ...sessions.map((session) => prompt(60, session)),
    ]);

    assert.deepEqual(rings(told), ['desktop@0 s1', 'desktop@0 s2', 'desktop@0 s3', 'desktop@5 s4']);
  });

  test('quiet hours hold what comes in until they are over, but not what they let through', async () => {
    await using cli = await commandLine();
    // A timeline that counts from its own beginning begins at 12:00 UTC.
    const quiet = `${escalating}
quiet_hours: { from: "12:00", to: "12:30", timezone: UTC, let_through: needs.input }
`;

    const told = await replay(cli, quiet, [
      permission(60, 'npm test'),
      line(90, { hook_event_name: 'Elicitation', message: 'Which?', elicitation_id: 'e' }, 's2'),
      prompt(100, 's2'),
      prompt(1_830),
    ]);

    assert.deepEqual(rings(told), ['desktop@90 s2', 'desktop@1800 s1']);
  });

  test('Unix times stay as they are, and lines need no order', async () => {
    await using cli = await commandLine();
    const start = Date.UTC(2026, 2, 1, 10) / 1_000;

    const told = await replay(cli, escalating, [
      '',
      prompt(start + 130),
      permission(start, 'npm test'),
    ]);

    assert.deepEqual(rings(told), [`desktop@${start} s1`, `team@${start + 120} s1`]);
  });

  test('without --config takes the configuration in force, and prints a table', async () => {
    await using cli = await commandLine();
    await cli.write('.config/hookbell/config.yaml', escalating);
    await cli.write('timeline.jsonl', [permission(0, 'a'), prompt(5)].join('\n'));
    await cli.write('silent.jsonl', prompt(0));

    const { stdout } = await cli.run(['route', 'replay', 'timeline.jsonl']);
    const silent = await cli.run(['route', 'replay', 'silent.jsonl']);

    assert.match(
      stdout,
      /^AT +CHANNEL +STEP .*\n0 s +desktop +0 +needs.permission +s1 +routes\[0\]/,
    );
    assert.equal(stdout.split('\n').length, 3);
    assert.deepEqual(silent, { code: 0, stdout: '', stderr: 'Nothing would be sent\n' });
  });

  test('says which events it skips because they are none, and goes on', async () => {
    await using cli = await commandLine();
    await cli.write('.config/hookbell/config.yaml', escalating);
    await cli.write('timeline.jsonl', ['{"at":3,"payload":[]}', permission(4, 'a')].join('\n'));

    const { code, stdout, stderr } = await cli.run(['route', 'replay', 'timeline.jsonl', '--json']);

    assert.match(stderr, /^Skipped the event at 3 s: .+\n$/);
    assert.equal(JSON.parse(stdout).length, 3);
    assert.equal(code, 0);
  });

  for (const [name, second, complaint] of [
    ['is no JSON', '{"at":', /line 2 is not a JSON object/],
    ['is no object', '[1]', /line 2 is not a JSON object/],
    ['has no time', '{"payload":{}}', /line 2 has no "at", expected a number of seconds/],
    ['has a time of words', '{"at":"0","payload":{}}', /line 2 has no "at"/],
    ['has a time before the beginning', '{"at":-1,"payload":{}}', /line 2 has no "at"/],
    ['has no payload', '{"at":0}', /line 2 has no "payload"/],
  ] as const) {
    test(`a line that ${name} ends with 2 and names the line`, async () => {
      await using cli = await commandLine();
      await cli.write('.config/hookbell/config.yaml', escalating);
      await cli.write('timeline.jsonl', `${prompt(0)}\n${second}\n`);

      const { code, stdout, stderr } = await cli.run([
        'route',
        'replay',
        'timeline.jsonl',
        '--json',
      ]);

      assert.match(stderr, complaint);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    });
  }

  test('a file that is not there ends with 2, a configuration that cannot be used with 3', async () => {
    await using cli = await commandLine();
    await cli.write('bad.yaml', 'routes: 5\n');
    await cli.write('timeline.jsonl', prompt(0));

    const missing = await cli.run(['route', 'replay', 'nowhere.jsonl']);
    const refused = await cli.run(['route', 'replay', 'timeline.jsonl', '--config', 'bad.yaml']);
    const named = await cli.run(['route', 'replay', 'timeline.jsonl', '--config', 'gone.yaml']);

    assert.match(missing.stderr, /Cannot read the timeline "nowhere.jsonl": it does not exist/);
    assert.equal(missing.code, 2);
    assert.match(refused.stderr, /bad\.yaml:1:9 routes: /);
    assert.equal(refused.code, 3);
    assert.match(named.stderr, /"gone\.yaml": no such file/, 'B8');
    assert.equal(named.code, 6);
  });
});
