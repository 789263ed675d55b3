import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { startDesktopSession } from '../support/desktop-session.ts';
import type { DesktopSession } from '../support/desktop-session.ts';
import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { isAlive } from '../support/is-alive.ts';
import { needs } from '../support/system-part.ts';

const programs = ['dbus-daemon', 'dunst', 'dunstctl', 'Xvfb', 'xdotool', 'gdbus', 'busctl'];
const options = {
  skip: needs(...programs, 'notify-send', 'setpriv', 'stdbuf'),
  timeout: 60_000,
};

/** Questions go to the desktop at once and to a file later, by a daemon on that desktop; one question is shown. */
async function askedHome(session: DesktopSession): Promise<HookbellHome> {
  const place = await hookbellHome();
  for (const name of ['DISPLAY', 'DBUS_SESSION_BUS_ADDRESS']) {
    place.env[name] = session.env[name] ?? '';
  }
  await place.writeConfig(`
channels:
  desktop: { type: desktop, rung: notify-send }
  log: { type: file, path: later.jsonl }
plans: { escalate: [{ after: 0s, notify: desktop }, { after: 10m, notify: log }] }
routes: [{ match: { kind: waiting }, plan: escalate }, { match: {}, plan: none }]
`);
  await place.start();
  await place.hook({
    session_id: 's1',
    cwd: '/home/dev/shop',
    hook_event_name: 'Notification',
    message: 'Claude needs your permission',
  });
  await session.popUps(1);
  await until(async () => (await states(place))['desktop'] === 'sent');
  return place;
}

/** The states of the deliveries of the question, by channel. */
async function states(place: HookbellHome): Promise<Readonly<Record<string, string>>> {
  const [question] = await place.ask('GET /v1/history');
  const deliveries = question?.deliveries ?? [];
  return Object.fromEntries(deliveries.map(({ channel, state }) => [channel, state]));
}

async function alertState(place: HookbellHome): Promise<string | undefined> {
  const [alert] = await place.ask('GET /v1/alerts');
  return alert?.state;
}

/** The processes that a daemon keeps. */
async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

test(
  'a real click on the pop-up acknowledges the alert, and nobody else is told',
  options,
  async () => {
    await using session = await startDesktopSession('dunst');
    await using place = await askedHome(session);

    await session.press('2');
    await until(async () => (await alertState(place)) === 'acknowledged');

    assert.deepEqual(await states(place), { desktop: 'sent', inbox: 'sent', log: 'cancelled' });
    const [question] = await place.ask('GET /v1/history');
    const by = 'Acknowledged by a click on channel "desktop"';
    assert.equal(question?.deliveries.find(({ channel }) => channel === 'log')?.reason, by);
    assert.ok(question?.decisions.some(({ reason }) => reason === by));
    assert.match((await place.cli('sessions')).stdout, /^waiting, seen .* shop /m);
    await session.popUps(0);
  },
);

test(
  'the action of a pop-up that is older than the daemon, chosen on dunst, acknowledges the alert',
  options,
  async () => {
    await using session = await startDesktopSession('dunst');
    await using place = await askedHome(session);

    await place.killDaemon();
    await place.start();
    // The program that hears of it may still be starting, and to choose the action leaves the pop-up where it is.
    await until(async () => {
      await session.run('dunstctl', 'action', '0');
      return (await alertState(place)) === 'acknowledged';
    });

    assert.deepEqual(await states(place), { desktop: 'sent', inbox: 'sent', log: 'cancelled' });
  },
);

test('to close the pop-up without its action acknowledges nothing', options, async () => {
  await using session = await startDesktopSession('dunst');
  await using place = await askedHome(session);
  const { pid } = await place.ask('GET /v1/status');
  const listeners = await childrenOf(pid);

  await session.press('1');
  await session.popUps(0);
  // The program has seen how its pop-up ended, and said nothing.
  await until(() => !listeners.some(isAlive));

  assert.equal(listeners.length, 1);
  assert.equal(await alertState(place), 'open');
  assert.equal((await states(place))['log'], 'pending');
});

test('a daemon that is killed leaves nobody who waits for a click', options, async () => {
  await using session = await startDesktopSession('dunst');
  await using place = await askedHome(session);
  const { pid } = await place.ask('GET /v1/status');
  const listeners = await childrenOf(pid);

  await place.killDaemon();
  await until(() => !listeners.some(isAlive));

  assert.equal(listeners.length, 1);
  await session.popUps(1);
});
