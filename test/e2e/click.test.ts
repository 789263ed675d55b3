import assert from 'node:assert/strict';
import { test } from 'node:test';

import { commandLines } from '../support/command-lines.ts';
import { startDesktopSession } from '../support/desktop-session.ts';
import type { DesktopSession } from '../support/desktop-session.ts';
import { dunstHistory } from '../support/dunst-history.ts';
import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { needs } from '../support/system-part.ts';

const programs = ['dbus-daemon', 'dunst', 'dunstctl', 'Xvfb', 'xdotool', 'gdbus'];
const options = {
  skip: needs(...programs),
  timeout: 60_000,
};

/** Questions go to the desktop immediately and to a file later, by a daemon on that desktop; one question is shown. */
async function askedHome(session: DesktopSession): Promise<HookbellHome> {
  const place = await hookbellHome();
  for (const name of ['DISPLAY', 'DBUS_SESSION_BUS_ADDRESS']) {
    place.env[name] = session.env[name] ?? '';
  }
  await place.writeConfig(`
channels:
  desktop: { type: desktop, backend: dbus }
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

test(
  'a real click on the pop-up acknowledges the alert, and no other channel is notified',
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
    assert.match((await place.cli('sessions')).stdout, /^s1 +waiting, seen .* shop /m);
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
    // The program that receives it may still be starting, and choosing the action leaves the pop-up open.
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

  await session.press('1');
  await session.popUps(0);
  // A later event on the same connection was received, so this one was, too.
  await place.hook({
    session_id: 's2',
    cwd: '/home/dev/shop',
    hook_event_name: 'Notification',
    message: 'Claude needs your permission',
  });
  await session.popUps(1);
  await session.press('2');
  await until(async () => (await alertStates(place)).includes('acknowledged'));

  assert.deepEqual((await alertStates(place)).toSorted(), ['acknowledged', 'open']);
});

test(
  'while a pop-up stands, its text is in the arguments of no process (D8)',
  options,
  async () => {
    await using session = await startDesktopSession('dunst');
    await using place = await askedHome(session);
    const secret = 'merger-globex';
    await place.hook({
      session_id: `about ${secret}`,
      cwd: `/home/dev/${secret}`,
      hook_event_name: 'Notification',
      message: `Claude needs your permission for ${secret}`,
    });
    await session.popUps(2);
    const { pid } = await place.ask('GET /v1/status');

    const lines = await commandLines();

    const [latest] = await dunstHistory(session);
    assert.match(latest?.title ?? '', new RegExp(secret));
    assert.ok(lines.has(pid));
    assert.deepEqual(
      [...lines].filter(([, line]) => line.includes(secret)),
      [],
    );
  },
);

async function alertStates(place: HookbellHome): Promise<readonly string[]> {
  return (await place.ask('GET /v1/alerts')).map(({ state }) => state);
}
