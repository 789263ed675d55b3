import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDesktopChannel } from '../../../src/channels/desktop/desktop-channel.ts';
import { desktopOptions } from '../../../src/channels/desktop/pop-up.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { deferred } from '../../support/deferred.ts';
import { isAlive } from '../../support/is-alive.ts';
import { startNotificationServer } from '../../support/notification-server.ts';
import { createRecorder } from '../../support/recorder.ts';
import { sampleNotification } from '../../support/sample.ts';
import { needs } from '../../support/system-part.ts';
import { send } from '../conformance.ts';
import { createDesktop } from './bus-stage.ts';
import { until } from '../../support/until.ts';

const skip = needs('dbus-daemon');
const HANGS = '/bin/sleep 600 & echo $! >> "$0.children"; /bin/sleep 600';

/** A chain whose programs are the recorder's, on a clock that stands still, with a short deadline. */
async function openChain(
  more: Record<string, string> = {},
  {
    options = {},
    runMs = 250,
    onWorksAgain = () => undefined,
  }: { options?: Record<string, unknown>; runMs?: number; onWorksAgain?: () => void } = {},
) {
  const server = await startNotificationServer();
  const programs = await createRecorder();
  const clock = { now: 1_700_000_000_000 };
  const channel = createDesktopChannel(
    desktopOptions.parse({ terminal: false, ...options }),
    {
      name: 'desktop',
      baseDir: '/',
      platform: 'linux',
      env: {
        // node-notifier takes a shell.
        PATH: `${programs.directory}:/bin`,
        DBUS_SESSION_BUS_ADDRESS: server.address,
        LANG: 'de_DE.UTF-8',
        SLACK_WEBHOOK_URL: 'https://hooks.example/secret',
        ...more,
      },
      now: () => clock.now,
      onReaction: () => undefined,
      onWorksAgain: onWorksAgain,
    },
    { runMs, askMs: 5_000 },
  );
  return {
    server,
    programs,
    clock,
    channel,
    async [Symbol.asyncDispose]() {
      await channel.close();
      await programs[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Whom only the display can lead to a bus. */
const noBus = { DBUS_SESSION_BUS_ADDRESS: 'tcp:host=127.0.0.1,port=1', DISPLAY: ':99' };

test(
  'desktop: a server that hangs is left at the deadline, and shown what comes after 10 s (fault 38)',
  { skip },
  async () => {
    await using chain = await openChain();
    const { reached } = chain.server.hang();

    const outcome = await send(chain, sampleNotification());
    await reached;

    assert.deepEqual(outcome, {
      type: 'retry',
      reason:
        'Cannot show a pop-up: the notification server did not answer within 250 ms (dbus); ' +
        'shows what the session bus shows (node-notifier)',
      possibleDuplicate: true,
    });
  },
);

test(
  'desktop: where no bus can be used, node-notifier shows only the title by notify-send, with a small environment (C13, P12, T12)',
  { skip },
  async () => {
    await using chain = await openChain(noBus, { runMs: 20_000 });
    await chain.programs.add('notify-send');

    const outcome = await send(
      chain,
      sampleNotification({ title: 'shop: droid asks', body: 'the-secret' }),
    );
    const { summary } = await chain.channel.check(AbortSignal.timeout(10_000));

    assert.deepEqual(outcome, { type: 'delivered' });
    const [run] = chain.programs.runs('notify-send');
    assert.ok(run?.arguments.includes('shop: droid asks'), String(run?.arguments));
    assert.ok(!run?.arguments.join('\n').includes('the-secret'));
    const names = run?.env.map((line) => line.replace(/=.*/, '')) ?? [];
    // The shell of the recorder adds three, and Node the last one, to every child while coverage is measured.
    const known = ['PATH', 'DISPLAY', 'LANG', 'PWD', 'OLDPWD', '_', 'NODE_V8_COVERAGE', 'SHLVL'];
    assert.deepEqual(
      names.filter((name) => !known.includes(name)),
      [],
    );
    assert.match(
      summary,
      /^node-notifier, .*passed over: dbus: DBUS_SESSION_BUS_ADDRESS is neither "unix:path=" nor "unix:abstract="/,
    );
  },
);

test(
  'desktop: a notify-send that hangs is killed with its group, and not tried with every pop-up (P42, fault 38)',
  { skip },
  async () => {
    await using chain = await openChain(noBus, { runMs: 3_000 });
    await chain.programs.add('notify-send', { script: HANGS });

    const outcome = await send(chain, sampleNotification());

    assert.equal(outcome.type === 'retry' && outcome.possibleDuplicate, true);
    const [run] = chain.programs.runs('notify-send');
    assert.ok(run);
    const child = Number(chain.programs.read('notify-send.children'));
    await until(() => !isAlive(run.pid) && !isAlive(child));
  },
);

for (const [name, more] of [
  ['without a display', { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }],
  ['without notify-send', { ...noBus, PATH: '/nowhere' }],
] as const) {
  test(`desktop: ${name} nothing is shown, and check says what to do`, { skip }, async () => {
    await using chain = await openChain(more);

    const outcome = await send(chain, sampleNotification());
    const check = await chain.channel.check(AbortSignal.timeout(10_000));

    assert.equal(outcome.type, 'retry');
    assert.equal(check.ok, false);
    assert.match(check.hint ?? '', /^Run "hookbell restart" in a terminal on your desktop/);
  });
}

test(
  'desktop: without a notification server, the outcome says so (fault 38)',
  { skip },
  async () => {
    await using chain = await openChain();
    await chain.server.leave();

    const outcome = await send(chain, sampleNotification());

    assert.equal(outcome.type, 'retry');
    assert.match(
      outcome.reason,
      /^Cannot show a pop-up: no notification server on the session bus \(dbus\)$/,
    );
    const { summary, hint } = await chain.channel.check(AbortSignal.timeout(10_000));
    assert.equal(
      summary,
      'No desktop to show a pop-up on: no notification server on the session bus',
    );
    assert.match(hint ?? '', /^Start a notification server/);
  },
);

test(
  'desktop: a notification server that comes back is noticed without another message (B9)',
  { skip, timeout: 30_000 },
  async () => {
    let count = 0;
    const noticed = deferred();
    await using chain = await openChain(
      {},
      {
        onWorksAgain() {
          count += 1;
          noticed.resolve();
        },
      },
    );
    await chain.server.leave();
    await send(chain, sampleNotification());
    assert.equal(count, 0);

    await chain.server.enter();
    await noticed.promise;

    assert.equal((await send(chain, sampleNotification())).type, 'delivered');
  },
);

test(
  'desktop: a channel that starts in a desktop says that it works, so that an earlier circuit closes (B9)',
  { skip, timeout: 30_000 },
  async () => {
    const noticed = deferred();
    await using _chain = await openChain({}, { onWorksAgain: () => noticed.resolve() });

    await noticed.promise;
  },
);

test(
  'desktop: an address of a bus that names a program runs nothing, whatever is asked of the channel (D5)',
  { skip },
  async () => {
    await using programs = await createRecorder();
    const evil = `unixexec:path=${programs.directory}/evil`;
    await programs.add('evil');
    for (const named of [evil, `unix:path=/nowhere;${evil}`]) {
      await using chain = await openChain({ DBUS_SESSION_BUS_ADDRESS: named, DISPLAY: ':99' });
      await chain.programs.lend('notify-send', '/usr/bin/notify-send');

      await send(chain, sampleNotification());
      await chain.channel.withdraw?.('{"backend":"dbus","id":"1"}', sendContext());
      await chain.channel.check(AbortSignal.timeout(10_000));
    }

    assert.deepEqual(programs.runs('evil'), []);
  },
);

test('desktop: a backend that the platform does not have is an error of the configuration', async () => {
  await assert.rejects(createDesktop({ backend: 'alerter' }), {
    name: 'ConfigError',
    message: 'Cannot use channel "under-test": "backend" is "alerter", which linux does not have',
  });
});
