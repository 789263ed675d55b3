import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';

import { retry } from '../../../src/core/outcome.ts';
import { type DesktopSession, startDesktopSession } from '../../support/desktop-session.ts';
import { notificationServers } from '../../support/desktop-session.ts';
import { startNotificationServer } from '../../support/notification-server.ts';
import { sampleNotification } from '../../support/sample.ts';
import { needs } from '../../support/system-part.ts';
import { send } from '../conformance.ts';
import { busEnvironment, createDesktop } from './bus-stage.ts';

const question = sampleNotification({ kind: 'needs.permission', groupKey: 'claude:s1' });
const news = sampleNotification({ kind: 'turn.done', severity: 'info', groupKey: 'claude:s2' });

const hidden = retry('Not shown: "do not disturb" is on', { hidden: 'next-step' });

/** The channel, and what it reports. */
async function heardDesktop(env: DesktopSession['env'], options: Record<string, unknown> = {}) {
  const events = new EventEmitter();
  const onWorksAgain = (): void => void events.emit('works');
  const channel = await createDesktop({ backend: 'dbus', ...options }, { env, onWorksAgain });
  return { channel, worksAgain: () => once(events, 'works') };
}

const switches = {
  dunst: (isOn: boolean) => ['dunstctl', 'set-paused', String(isOn)],
  'xfce4-notifyd': (isOn: boolean) => {
    const place = ['-c', 'xfce4-notifyd', '-p', '/do-not-disturb'];
    return ['xfconf-query', ...place, '-n', '-t', 'bool', '-s', String(isOn)];
  },
} as const;

for (const server of ['dunst', 'xfce4-notifyd'] as const) {
  // Xfce shows critical pop-ups all the same; dunst shows none.
  const hidesQuestions = server === 'dunst';
  test(
    `"do not disturb" of ${server}: what it would hide is not sent, and the channel reports its end`,
    {
      skip: needs(
        'dbus-daemon',
        'gdbus',
        'Xvfb',
        'xdotool',
        notificationServers[server],
        ...(server === 'dunst' ? ['dunstctl'] : ['xfconf-query']),
      ),
      timeout: 60_000,
    },
    async () => {
      await using session = await startDesktopSession(server);
      const turn = async (isOn: boolean): Promise<void> => {
        const [program, ...words] = switches[server](isOn);
        await session.run(program ?? '', ...words);
      };
      const { channel, worksAgain } = await heardDesktop(session.env);
      await turn(true);

      assert.deepEqual(await send({ channel }, news), hidden);
      const outcome = await send({ channel }, question);
      await session.popUps(hidesQuestions ? 0 : 1);
      const works = worksAgain();
      await turn(false);
      await works;

      assert.equal(outcome.type, hidesQuestions ? 'retry' : 'delivered');
      assert.equal((await send({ channel }, news)).type, 'delivered');
      await session.popUps(hidesQuestions ? 1 : 2);
      await channel.close();
    },
  );
}

test('"do not disturb" as KDE Plasma reports it hides what is not critical, until it is over', async () => {
  await using server = await startNotificationServer();
  const { channel, worksAgain } = await heardDesktop(busEnvironment(server));
  server.inhibit(true);

  assert.deepEqual(await send({ channel }, news), hidden);
  assert.equal((await send({ channel }, question)).type, 'delivered');
  const works = worksAgain();
  server.inhibit(false);
  await works;

  assert.equal((await send({ channel }, news)).type, 'delivered');
  assert.equal(server.calls.length, 2);
  await channel.close();
});

test('`when_disturbed` has it wait for the end of the mode alone, or sends in spite of it', async () => {
  await using server = await startNotificationServer();
  server.inhibit(true);
  const holding = await heardDesktop(busEnvironment(server), { when_disturbed: 'hold' });
  const showing = await heardDesktop(busEnvironment(server), { when_disturbed: 'show' });

  const { summary } = await holding.channel.check(new AbortController().signal);
  assert.match(summary, /^dbus, .*"do not disturb" is on; server: actions/);
  assert.deepEqual(await send(holding, news), { ...hidden, hidden: 'hold' });
  assert.equal((await send(showing, news)).type, 'delivered');
  await holding.channel.close();
  await showing.channel.close();
});
