import assert from 'node:assert/strict';
import { test } from 'node:test';
import desktop from '../../../src/channels/desktop/index.ts';
import type { Reaction } from '../../../src/core/channel.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { isAlive } from '../../support/is-alive.ts';
import type { RecordedRun } from '../../support/recorder.ts';
import { reactionTo, sampleNotification } from '../../support/sample.ts';
import { channelConformance, send } from '../conformance.ts';
import type { RecordedBackend } from './recorded-stage.ts';
import { openRecordedStage } from './recorded-stage.ts';
import { refOf } from './ref-of.ts';
import { until } from '../../support/until.ts';

const alerter: RecordedBackend = {
  name: 'alerter',
  platform: 'darwin',
  program: 'alerter',
  probe: 'case "$1" in --help) echo "--title --message --group --json"; exit 0;; esac',
  stays: true,
  arrivalOf: ({ arguments: arguments_ }) => ({
    shown: valuesOf(arguments_, ['--title=', '--message=']),
    shape: arguments_.map((argument) => argument.replace(/=.*/s, '')).join(' '),
  }),
};

const terminalNotifier: RecordedBackend = {
  name: 'terminal-notifier',
  platform: 'darwin',
  program: 'terminal-notifier',
  probe: 'case "$1" in -version) echo "terminal-notifier 3.0.0."; exit 0;; esac',
  arrivalOf: ({ arguments: arguments_ }) => ({
    shown: [arguments_[1], arguments_[3]].join('\n'),
    shape: arguments_.map((argument, index) => (index % 2 === 0 ? argument : 'value')).join(' '),
  }),
};

const osascript: RecordedBackend = {
  name: 'osascript',
  platform: 'darwin',
  program: 'osascript',
  readsInput: true,
  arrivalOf: ({ arguments: arguments_, input }) => {
    const { title, body, ...more }: Record<string, string> = JSON.parse(input);
    return { shown: `${title}\n${body}`, shape: JSON.stringify([arguments_, more]) };
  },
};

for (const backend of [alerter, terminalNotifier, osascript]) {
  const definition = { ...desktop, type: `desktop by ${backend.name}` };
  channelConformance(definition, () => openRecordedStage(backend));
}

test('desktop by alerter: shows text with a leading dash as the value of an option (T5)', async () => {
  await using stage = await openRecordedStage(alerter, { expire_seconds: { warning: 5 } });

  const outcome = await send(stage, sampleNotification({ title: '- a', body: '--help' }));

  const [run] = stage.programs.runs('alerter');
  const group = keyIn(refOf(outcome));
  assert.deepEqual(run?.arguments, [
    '--title=- a',
    '--message=--help',
    `--group=${group}`,
    '--timeout=5',
    '--json',
    '--sound=default',
  ]);
});

test('desktop by alerter: what is typed into an alert that can be answered is reported (T5)', async () => {
  const reactions: Reaction[] = [];
  await using stage = await openRecordedStage(alerter, {}, (reaction) => {
    reactions.push(reaction);
  });
  const script = String.raw`printf '%s' '{ "activationType" : "replied", "activationValue" : "-- \"yes\"\n$(x)" }'`;
  await stage.programs.add('alerter', { script, probe: alerter.probe ?? '' });
  const url = 'http://127.0.0.1:7447/reply/token';
  const replyLink = { url, machine: 'mac', forMs: 1_000 };
  const notification = sampleNotification({ replyLink });

  await send(stage, notification);
  await send(stage, sampleNotification());

  const { deliveryId } = notification;
  const [run, plain] = stage.programs.runs('alerter');
  assert.deepEqual(reactions, [{ deliveryId, type: 'replied', url, text: '-- "yes"\n$(x)' }]);
  assert.ok(run?.arguments.includes('--reply=Your answer'));
  assert.ok(!run?.arguments.join(' ').includes('token'));
  assert.ok(!plain?.arguments.some((argument) => argument.startsWith('--reply')));
});

test('desktop by alerter: is shown while it runs, and ends when the channel closes', async () => {
  await using stage = await openRecordedStage(alerter);
  await stage.programs.add('alerter', {
    script: 'exec /bin/sleep 600',
    probe: alerter.probe ?? '',
  });

  const outcome = await send(stage, sampleNotification());
  const { pid } = await stage.programs.reached('alerter', 1);
  const livedOn = isAlive(pid);
  await stage.channel.close();

  assert.equal(outcome.type, 'delivered');
  assert.equal(livedOn, true);
  await until(() => !isAlive(pid));
});

for (const [printed, expected] of [
  ['{ "activationType" : "contentsClicked" }', 'acknowledged'],
  ['{ "activationType" : "actionClicked", "activationValue" : "Show" }', 'acknowledged'],
  ['{ "activationType" : "closed", "activationValue" : "Close" }', 'nothing'],
  ['{ "activationType" : "timeout" }', 'nothing'],
  ['@CONTENTCLICKED', 'nothing'],
] as const) {
  test(`desktop by alerter: ${expected} is what it prints as ${printed}`, async () => {
    const reactions: Reaction[] = [];
    await using stage = await openRecordedStage(alerter, {}, (reaction) => {
      reactions.push(reaction);
    });
    const script = `echo '${printed}'`;
    await stage.programs.add('alerter', { script, probe: alerter.probe ?? '' });
    const notification = sampleNotification();

    const outcome = await send(stage, notification);

    const said = [reactionTo(notification)];
    assert.equal(outcome.type, 'delivered');
    assert.deepEqual(reactions, expected === 'acknowledged' ? said : []);
  });
}

test('desktop by alerter: withdraw removes the group', async () => {
  await using stage = await openRecordedStage(alerter);
  const ref = refOf(await send(stage, sampleNotification()));

  const withdrawn = await stage.channel.withdraw?.(ref, sendContext());

  assert.equal(withdrawn?.type, 'delivered');
  const [, run] = stage.programs.runs('alerter');
  assert.deepEqual(run?.arguments, [`--remove=${keyIn(ref)}`]);
});

test('desktop by terminal-notifier: guards a leading sign, and withdraw removes the group (T5)', async () => {
  await using stage = await openRecordedStage(terminalNotifier, { sound: false });

  const ref = refOf(await send(stage, sampleNotification({ title: '[a]', body: '-remove' })));
  await stage.channel.withdraw?.(ref, sendContext());

  const [shown, removed] = stage.programs.runs('terminal-notifier');
  assert.deepEqual(shown?.arguments, [
    '-title',
    '\u200b[a]',
    '-message',
    '\u200b-remove',
    '-group',
    keyIn(ref),
  ]);
  assert.deepEqual(removed?.arguments, ['-remove', keyIn(ref)]);
});

test('desktop by osascript: texts come to a constant script on standard input, and are in no argument (T4, D8)', async () => {
  await using stage = await openRecordedStage(osascript);

  const title = '" & do shell script "id"';
  await send(stage, sampleNotification({ title, body: '-e' }));
  await send(stage, sampleNotification({ title: 'other', body: 'other' }));

  const [run, other] = stage.programs.runs('osascript');
  assert.deepEqual(JSON.parse(run?.input ?? ''), { title, body: '-e', sound: 'default' });
  assert.deepEqual(run?.arguments, other?.arguments);
  assert.deepEqual(run?.arguments.slice(0, 3), ['-l', 'JavaScript', '-e']);
});

for (const [backend, probe] of [
  [alerter, 'case "$1" in --help) echo "-title -message -group -json"; exit 0;; esac'],
  [terminalNotifier, 'case "$1" in -version) echo "terminal-notifier 2.0.0."; exit 0;; esac'],
] as const) {
  test(`desktop by ${backend.name}: an older version, which fails silently, is passed over`, async () => {
    await using stage = await openRecordedStage({ ...backend, probe });

    const { ok, summary } = await stage.channel.check(AbortSignal.timeout(10_000));

    assert.equal(ok, false);
    assert.match(summary, /older than version/);
  });
}

function valuesOf(arguments_: RecordedRun['arguments'], prefixes: readonly string[]): string {
  return prefixes
    .flatMap((prefix) => arguments_.filter((argument) => argument.startsWith(prefix)))
    .map((argument) => argument.replace(/^--\w+=/, ''))
    .join('\n');
}

/** The group's name, which is also the id in the reference. */
function keyIn(ref: string): string {
  return /"id":"([0-9a-f]{16})"/.exec(ref)?.[1] ?? '';
}
