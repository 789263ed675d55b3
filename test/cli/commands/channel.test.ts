import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { withChannel } from '../../../src/cli/commands/channel.ts';
import { askChannel } from '../../../src/cli/init/ask-channel.ts';
import { channelFields } from '../../../src/cli/init/channel-fields.ts';
import { selectableChannels } from '../../../src/cli/init/make-plan.ts';
import { silentQuestions } from '../../../src/cli/init/terminal-questions.ts';
import { hookbellHome, until } from '../../support/hookbell-home.ts';

const commented = `# mine
channels:
  # the screen
  desktop: { type: desktop } # at work
routes:
  - { match: { kind: waiting }, notify: desktop }
`;

const file = { type: 'file', path: '~/out.jsonl' };
const slack = { type: 'slack', webhook: { env: 'SLACK' } };
const FILE = '{ type: file, path: ~/out.jsonl }';
const SLACK = '{ type: slack, webhook: { env: SLACK } }';
const later = { plan: null, after: '2m' };
const now = { plan: null, after: '0s' };

describe('withChannel() (B10)', () => {
  test('keeps every comment and every other line', async () => {
    const { text } = await withChannel(commented, 'c.yaml', {
      name: 'log',
      entry: file,
      joins: null,
    });

    assert.equal(text, commented.replace('routes:', `  log: ${FILE}\nroutes:`));
  });

  test('keeps the desktop where the configuration named no channel', async () => {
    const entry = { type: 'terminal' };

    const { text } = await withChannel('# empty\n', 'c.yaml', { name: 'here', entry, joins: null });

    assert.match(text, /^ {2}desktop:/m);
    assert.match(text, /^ {2}here: \{ type: terminal \}/m);
  });

  test('refuses a name that is taken, a plan that is not there, and a text that cannot be read', async () => {
    const desktop = { name: 'desktop', entry: { type: 'terminal' }, joins: null };
    const joins = { plan: 'night', after: '0s' };

    await assert.rejects(withChannel(commented, 'c.yaml', desktop), {
      message: 'Channel "desktop" already exists',
    });
    await assert.rejects(withChannel(commented, 'c.yaml', { name: 'log', entry: file, joins }), {
      message: 'Plan "night" does not exist',
    });
    await assert.rejects(withChannel('channels: [', 'c.yaml', desktop), { name: 'ConfigError' });
  });

  test('quotes a name that YAML would read as a number', async () => {
    const odd = { name: '12', entry: file, joins: now };

    const { text } = await withChannel(commented, 'c.yaml', odd);

    assert.match(text, /^ {2}"12": \{ type: file/m);
    assert.match(text, /notify: \[desktop, "12"\]/);
  });
});

const cases: readonly {
  readonly name: string;
  readonly before: string;
  readonly channel: Parameters<typeof withChannel>[2];
  readonly after: string;
  readonly changes: readonly string[];
}[] = [
  {
    name: 'a separate step in the plan of requests, between the others',
    before: `channels:
  desktop: { type: desktop }
  mail: { type: file, path: ~/mail }
plans:
  escalate:
    - notify: desktop # first
    # much later
    - { after: 10m, notify: mail }
routes:
  - { match: { agent: droid }, plan: none }
  - { match: { kind: waiting }, plan: escalate }
  - { match: { kind: turn.done }, notify: [desktop,mail] }
`,
    channel: { name: 'team', entry: slack, joins: later },
    after: `channels:
  desktop: { type: desktop }
  mail: { type: file, path: ~/mail }
  team: ${SLACK}
plans:
  escalate:
    - notify: desktop # first
    - { after: 2m, notify: team }
    # much later
    - { after: 10m, notify: mail }
routes:
  - { match: { agent: droid }, plan: none }
  - { match: { kind: waiting }, plan: escalate }
  - { match: { kind: turn.done }, notify: [desktop,mail] }
`,
    changes: ['Plan "escalate" notifies "team" after 2m without a reaction'],
  },
  {
    name: 'the step that is due at the same time',
    before: `channels: { desktop: { type: desktop }, mail: { type: file, path: ~/mail } }
plans: { now: [{ notify: [desktop] }], slow: [{ after: 2m, notify: mail, if: { presence: away } }] }
routes: [{ plan: now }]
`,
    channel: { name: 'team', entry: slack, joins: { plan: 'slow', after: '120s' } },
    after: `channels: { desktop: { type: desktop }, mail: { type: file, path: ~/mail }, team: ${SLACK} }
plans: { now: [{ notify: [desktop] }], slow: [{ after: 2m, notify: [mail, team], if: { presence: away } }] }
routes: [{ plan: now }]
`,
    changes: [
      'Plan "slow" notifies "team" after 120s without a reaction, with the "if" and "repeat" of that step',
    ],
  },
  {
    name: 'a new plan for routes that name channels, but not for those of a project',
    before: `channels:
  desktop: { type: desktop }

# Which events
routes:
  - match: { severity: [warning, critical] }
    notify: desktop # here
  - match: { project: shop }
    notify: desktop
  - match: { kind: turn.done, longer_than: 20s }
    notify:
      - desktop
`,
    channel: { name: 'team', entry: slack, joins: later },
    after: `channels:
  desktop: { type: desktop }
  team: ${SLACK}

plans:
  escalate:
    - { notify: desktop }
    - { after: 2m, notify: team }

# Which events
routes:
  - match: { severity: [warning, critical] }
    plan: escalate # here
  - match: { project: shop }
    notify: desktop
  - match: { kind: turn.done, longer_than: 20s }
    plan: escalate
`,
    changes: [
      'New plan "escalate" notifies "desktop" immediately, and "team" after 2m without a reaction',
      'routes[0] and routes[2] use it',
    ],
  },
  {
    name: 'the routes themselves if it is notified immediately',
    before: commented,
    channel: { name: 'log', entry: file, joins: now },
    after: commented
      .replace('routes:', `  log: ${FILE}\nroutes:`)
      .replace('notify: desktop', 'notify: [desktop, log]'),
    changes: ['routes[0] notifies "log" immediately'],
  },
  {
    name: 'the plan that stands in its route, in front of the others',
    before: `channels: { desktop: { type: desktop } }
routes:
  - match: { kind: waiting }
    plan:
    - { after: 1m, notify: desktop }
`,
    channel: { name: 'log', entry: file, joins: now },
    after: `channels: { desktop: { type: desktop }, log: ${FILE} }
routes:
  - match: { kind: waiting }
    plan:
    - { notify: log }
    - { after: 1m, notify: desktop }
`,
    changes: ['Plan "routes[0]" notifies "log" immediately'],
  },
  {
    name: 'only the channels without routes, because then each is notified',
    before: 'channels:\r\n  desktop: { type: desktop }\r\n',
    channel: { name: 'log', entry: file, joins: now },
    after: `channels:\r\n  desktop: { type: desktop }\r\n  log: ${FILE}\r\n`,
    changes: ['Without "routes", every channel is notified immediately'],
  },
  {
    name: 'the default routes, written out, where a channel is to be notified later',
    before: 'channels: { desktop: { type: desktop } }',
    channel: { name: 'team', entry: slack, joins: later },
    after: `channels: { desktop: { type: desktop }, team: ${SLACK} }
plans:
  escalate:
    - { notify: desktop }
    - { after: 2m, notify: team }

routes:
  - { match: { severity: [warning, critical] }, plan: escalate }
  - { match: { kind: turn.done, longer_than: 20s }, plan: escalate }
`,
    changes: [
      'New plan "escalate" notifies "desktop" immediately, and "team" after 2m without a reaction',
      'New routes use it for the same events as before',
    ],
  },
  {
    name: 'a text in the style of JSON',
    before: '{ "plans": {}, "routes": [{ "notify": ["desktop"] }] }',
    channel: { name: 'team', entry: slack, joins: later },
    after: `{ "plans": { escalate: [{ notify: desktop }, { after: 2m, notify: team }] }, "routes": [{ plan: escalate }], channels: { desktop: { type: desktop }, team: ${SLACK} } }
`,
    changes: [
      'New plan "escalate" notifies "desktop" immediately, and "team" after 2m without a reaction',
      'routes[0] uses it',
    ],
  },
];

describe('withChannel() puts the channel into a plan and changes nothing else:', () => {
  for (const { name, before, channel, after, changes } of cases) {
    test(name, async () => {
      const result = await withChannel(before, 'c.yaml', channel);

      assert.equal(result.text, after);
      assert.deepEqual(result.changes, changes);
    });
  }
});

test('"hookbell channel add" puts the secret into a separate file and never into the configuration (B10)', async () => {
  await using place = await hookbellHome();
  await place.writeConfig(commented);
  place.env['HOOKBELL_INIT_SLACK_WEBHOOK'] = 'https://hooks.slack.com/services/T0/B0/hunter2';

  const refused = await place.cli('channel', 'add', 'team');
  const { code, stderr } = await place.cli('channel', 'add', 'team', '--type', 'slack');

  assert.equal(refused.code, 2);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /run "hookbell test team"/);
  assert.match(stderr, /New plan "escalate" notifies "desktop" immediately, and "team" after 2m/);
  const secret = join(place.home, '.secrets/hookbell-slack-webhook');
  assert.match(await readFile(secret, 'utf8'), /hunter2/);
  assert.equal((await stat(secret)).mode & 0o777, 0o600);
  const written = await readFile(place.paths.config, 'utf8');
  assert.match(written, /# at work\n {2}team: \{ type: slack, webhook: \{ file: ~\/\.secrets\//);
  assert.ok(!written.includes('hunter2'));
});

test('"hookbell channel remove" says where a channel is removed', async () => {
  await using place = await hookbellHome();

  const { code, stderr } = await place.cli('channel', 'remove', 'team');

  assert.equal(code, 2);
  assert.match(
    stderr,
    /Channel "team" is removed in the configuration.*\n.*"hookbell config edit"/,
  );
});

for (const definition of selectableChannels) {
  const required = channelFields(definition).filter((field) => field.required);
  if (required.length === 0) continue;
  test(`"hookbell channel add" names options of ${definition.type} as its "--set" takes them`, async () => {
    const questions = silentQuestions('defaults');

    await askChannel(definition, [], '', {}, questions);

    const names = questions.unanswered().map((flag) => /^--set ([\w.]+)=/.exec(flag)?.[1]);
    const paths = required.map(({ path }) => path.join('.'));
    assert.deepEqual(
      names.filter((name) => name === undefined || !paths.includes(name)),
      [],
    );
  });
}

test('"hookbell channel add" refuses a secret that cannot be read, and adds it with --force', async () => {
  await using place = await hookbellHome();
  await place.writeConfig(commented);
  const before = await readFile(place.paths.config, 'utf8');
  const words = ['channel', 'add', 'phone', '--type', 'ntfy'];
  const missing = join(place.home, 'topic');

  const unsaid = await place.cli(...words);
  const refused = await place.cli(...words, '--set', `topic=file:${missing}`);
  const untouched = await readFile(place.paths.config, 'utf8');
  await writeFile(missing, 'a-topic\n', { mode: 0o644 });
  const open = await place.cli(...words, '--set', `topic=file:${missing}`);
  const unset = await place.cli(...words, '--set', 'topic=env:NO_SUCH_TOPIC');
  const address = join(place.home, 'address');
  await writeFile(address, 'http://hooks.slack.com/services/x\n', { mode: 0o600 });
  const posting = ['channel', 'add', 'slack', '--set', `webhook=file:${address}`];
  const plain = await place.cli(...posting);
  const forced = await place.cli(...words, '--set', 'topic=env:NO_SUCH_TOPIC', '--force');

  assert.equal(plain.code, 2);
  assert.match(plain.stderr, /Channel "slack" would not work: "webhook" is not https/);
  assert.equal(unsaid.code, 2);
  assert.match(unsaid.stderr, /^ +--set topic=file:PATH \(or env:NAME, or its value in HOOKBELL_/m);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /Channel "phone" would not work: .*topic": it does not exist/);
  assert.match(refused.stderr, /add the channel anyway with --force/);
  assert.equal(untouched, before);
  assert.match(open.stderr, /other users may access it \(mode 0644, expected 0600\)\n.*chmod 600/);
  assert.match(unset.stderr, /variable "NO_SUCH_TOPIC": it is not set\n.*Set it where the daemon/);
  assert.equal(forced.code, 0, forced.stderr);
  assert.match(forced.stderr, /variable "NO_SUCH_TOPIC": it is not set/);
  assert.match(await readFile(place.paths.config, 'utf8'), /phone: \{ type: ntfy, topic: /);
});

test('a channel that was just added without any other option notifies (B10)', async () => {
  await using place = await hookbellHome();
  await place.writeConfig(`${commented}alerts: { settle: 0 }\n`);
  const path = join(place.home, 'out.jsonl');

  const added = await place.cli('channel', 'add', 'log', '--type', 'file', '--set', `path=${path}`);
  await place.start();
  await place.hook({
    hook_event_name: 'PermissionRequest',
    session_id: 's1',
    cwd: '/home/me/shop',
    tool_name: 'Bash',
    tool_input: { command: 'make' },
  });
  await until(() => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'));

  assert.equal(added.code, 0, added.stderr);
  assert.match(added.stderr, /routes\[0\] notifies "log" immediately/);
  assert.match(await readFile(path, 'utf8'), /needs\.permission/);
});
