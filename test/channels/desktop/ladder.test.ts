import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDesktopChannel } from '../../../src/channels/desktop/desktop-channel.ts';
import { desktopOptions } from '../../../src/channels/desktop/options.ts';
import { isAlive } from '../../support/is-alive.ts';
import { startNotificationServer } from '../../support/notification-server.ts';
import { createRecorder } from '../../support/recorder.ts';
import { sampleNotification } from '../../support/sample.ts';
import { needs } from '../../support/system-part.ts';
import { send } from '../conformance.ts';
import { createDesktop } from './bus-stage.ts';

const skip = needs('dbus-daemon', 'busctl', 'gdbus');

/** Answers --help as a notify-send that tells ids. */
const KNOWS_IDS = 'case "$1" in --help) echo "--print-id --action"; exit 0;; esac';
const HANGS = '/bin/sleep 600 & echo $! >> "$0.children"; /bin/sleep 600';

/** A ladder whose programs are the recorder's, on a clock that stands still, with a short deadline. */
async function openLadder(options: Record<string, unknown> = {}) {
  const server = await startNotificationServer();
  const programs = await createRecorder();
  const clock = { now: 1_700_000_000_000 };
  const env = {
    PATH: programs.directory,
    DBUS_SESSION_BUS_ADDRESS: server.address,
    LANG: 'de_DE.UTF-8',
    SLACK_WEBHOOK_URL: 'https://hooks.example/secret',
  };
  return {
    server,
    programs,
    clock,
    /** Made by the test once the programs stand, since the ladder is probed at once. */
    createChannel: () =>
      createDesktopChannel(
        desktopOptions.parse({ terminal: false, ...options }),
        {
          name: 'desktop',
          platform: 'linux',
          env,
          now: () => clock.now,
          onReaction: () => undefined,
        },
        { runMs: 250, askMs: 5_000 },
      ),
    async [Symbol.asyncDispose]() {
      await programs[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test(
  'desktop: a notify-send that hangs is killed with its group, and the next rung shows it (P11, fault 38)',
  { skip },
  async () => {
    await using ladder = await openLadder();
    await ladder.programs.add('notify-send', { script: HANGS, probe: KNOWS_IDS });
    await ladder.programs.lend('busctl', '/usr/bin/busctl');
    const channel = ladder.createChannel();

    const outcome = await send({ channel }, sampleNotification());

    assert.equal(outcome.type, 'delivered');
    assert.equal(ladder.server.calls.length, 1);
    const [run] = ladder.programs.runs('notify-send');
    assert.equal(isAlive(run?.pid ?? 0), false);
    const children = ladder.programs.read('notify-send.children');
    assert.equal(isAlive(Number(children)), false);
  },
);

test(
  'desktop: a rung that failed is not tried with every pop-up, but again after 10 s (fault 38)',
  { skip },
  async () => {
    await using ladder = await openLadder();
    await ladder.programs.add('notify-send', { script: HANGS, probe: KNOWS_IDS });
    await ladder.programs.lend('busctl', '/usr/bin/busctl');
    const channel = ladder.createChannel();

    for (let count = 0; count < 20; count += 1) await send({ channel }, sampleNotification());
    const triedAtFirst = ladder.programs.runs('notify-send').length;
    await ladder.programs.add('notify-send', { script: 'echo 7', probe: KNOWS_IDS });
    ladder.clock.now += 10_000;
    const outcome = await send({ channel }, sampleNotification());

    assert.equal(triedAtFirst, 1, 'the hanging one');
    assert.equal(ladder.server.calls.length, 20);
    assert.deepEqual(outcome, { type: 'delivered', ref: '{"rung":"notify-send","id":"7"}' });
  },
);

test('desktop: an older notify-send gets no option it does not know', { skip }, async () => {
  await using ladder = await openLadder();
  await ladder.programs.add('notify-send', {
    probe: 'case "$1" in --help) echo "--urgency"; exit 0;; esac',
  });
  const channel = ladder.createChannel();

  const outcome = await send({ channel }, sampleNotification({ title: '--help' }));

  assert.deepEqual(outcome, { type: 'delivered' });
  const [run] = ladder.programs.runs('notify-send');
  const names = run?.arguments.map((argument) => argument.replace(/=.*/, ''));
  assert.deepEqual(names?.slice(0, 3), ['--app-name', '--urgency', '--icon']);
  assert.deepEqual(run?.arguments.slice(-3, -1), ['--', '--help']);
});

for (const program of ['busctl', 'gdbus']) {
  test(
    `desktop: without notify-send it is ${program} that shows the pop-up`,
    { skip },
    async () => {
      await using ladder = await openLadder();
      await ladder.programs.lend(program, `/usr/bin/${program}`);
      const channel = ladder.createChannel();

      const outcome = await send({ channel }, sampleNotification());

      assert.deepEqual(outcome, { type: 'delivered', ref: `{"rung":"${program}","id":"1"}` });
      const { summary } = await channel.check(AbortSignal.timeout(10_000));
      assert.match(summary, new RegExp(`^${program}, .*passed over: notify-send: not on PATH`));
    },
  );
}

test(
  'desktop: the notifier gets a small environment without secrets (P12, T12)',
  { skip },
  async () => {
    await using ladder = await openLadder();
    await ladder.programs.add('notify-send', { script: 'echo 1', probe: KNOWS_IDS });

    await send({ channel: ladder.createChannel() }, sampleNotification());

    const [run] = ladder.programs.runs('notify-send');
    const names = run?.env.map((line) => line.replace(/=.*/, '')) ?? [];
    assert.ok(run?.env.includes(`DBUS_SESSION_BUS_ADDRESS=${ladder.server.address}`));
    assert.ok(run?.env.includes('LANG=de_DE.UTF-8'));
    // The shell of the recorder adds three, and Node the last one, to every child while coverage is measured.
    const shells = ['PWD', 'OLDPWD', '_', 'NODE_V8_COVERAGE'];
    const known = ['PATH', 'DBUS_SESSION_BUS_ADDRESS', 'LANG', ...shells];
    assert.deepEqual(
      names.filter((name) => !known.includes(name)),
      [],
    );
  },
);

test(
  'desktop: where nothing can show a pop-up, the outcome says why and check says what to do (fault 38)',
  { skip },
  async () => {
    await using ladder = await openLadder();
    await ladder.server.leave();
    await ladder.programs.add('notify-send', { script: 'exit 1', probe: KNOWS_IDS });
    await ladder.programs.lend('busctl', '/usr/bin/busctl');
    const channel = ladder.createChannel();

    const outcome = await send({ channel }, sampleNotification());
    const check = await channel.check(AbortSignal.timeout(10_000));

    assert.equal(outcome.type, 'retry');
    assert.match(
      outcome.reason,
      /^Cannot show a pop-up: no notification server on the session bus \(notify-send, busctl\b/,
    );
    assert.equal(check.ok, false);
    assert.match(check.hint ?? '', /Install notify-send/);
  },
);

test(
  'desktop: a pop-up that may stand although its notifier was killed is a possible duplicate (P72)',
  { skip },
  async () => {
    await using ladder = await openLadder({ rung: 'notify-send' });
    await ladder.programs.add('notify-send', { script: HANGS, probe: KNOWS_IDS });

    const outcome = await send({ channel: ladder.createChannel() }, sampleNotification());

    assert.deepEqual(outcome, {
      type: 'retry',
      reason: 'Cannot show a pop-up: did not end within 250 ms (notify-send)',
      possibleDuplicate: true,
    });
  },
);

test(
  'desktop: the reason of a failure quotes neither the message nor what the notifier said (P13)',
  { skip },
  async () => {
    await using ladder = await openLadder({ rung: 'notify-send' });
    await ladder.programs.add('notify-send', { script: 'echo "$@" >&2; exit 1', probe: KNOWS_IDS });

    const outcome = await send({ channel: ladder.createChannel() }, sampleNotification());

    assert.deepEqual(outcome, {
      type: 'retry',
      reason: 'Cannot show a pop-up: exited with code 1 (notify-send)',
    });
  },
);

test('desktop: a rung that the platform does not have is an error of the configuration', async () => {
  await assert.rejects(createDesktop({ rung: 'alerter' }), {
    name: 'ConfigError',
    message: 'Cannot use channel "under-test": "rung" is "alerter", which linux does not have',
  });
});
