import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type DesktopSession, startDesktopSession } from '../support/desktop-session.ts';
import { dunstHistory } from '../support/dunst-history.ts';
import { type HookbellHome, hookbellHome, until } from '../support/hookbell-home.ts';
import { needs } from '../support/system-part.ts';

/** A daemon on a desktop that disturbs no longer; questions go to a file an hour after the desktop. */
async function disturbedHome(session: DesktopSession): Promise<HookbellHome> {
  const place = await hookbellHome();
  for (const name of ['DISPLAY', 'DBUS_SESSION_BUS_ADDRESS']) {
    place.env[name] = session.env[name] ?? '';
  }
  await place.writeConfig(`
channels:
  desktop: { type: desktop, backend: dbus }
  phone: { type: file, path: later.jsonl }
plans:
  escalate: [{ after: 0s, notify: desktop }, { after: 1h, notify: phone }]
  once: [{ after: 0s, notify: desktop }]
routes: [{ match: { kind: waiting }, plan: escalate }, { match: { kind: turn.done }, plan: once }]
`);
  await place.start();
  await session.run('dunstctl', 'set-paused', 'true');
  return place;
}

function hook(place: HookbellHome, id: string, fields: Readonly<Record<string, string>>) {
  return place.hook({ session_id: id, cwd: `/home/dev/${id}`, ...fields });
}

const asks = { hook_event_name: 'Notification', message: 'Claude needs your permission' };

async function deliveryOf(place: HookbellHome, session: string, channel: string) {
  const events = await place.ask('GET /v1/history');
  const own = events.filter(({ sessionId }) => sessionId === session);
  return own
    .flatMap(({ deliveries }) => deliveries)
    .find((delivery) => delivery.channel === channel);
}

describe(
  'while the desktop is in "do not disturb" (G25)',
  {
    skip: needs('dbus-daemon', 'dunst', 'dunstctl', 'Xvfb', 'xdotool', 'gdbus'),
    timeout: 120_000,
  },
  () => {
    test('a wait goes on to the next step of its plan, and is shown when the mode is over', async () => {
      await using session = await startDesktopSession('dunst');
      await using place = await disturbedHome(session);

      await hook(place, 'shop', asks);
      await until(async () => (await deliveryOf(place, 'shop', 'phone'))?.state === 'sent');

      const held = await deliveryOf(place, 'shop', 'desktop');
      assert.deepEqual(
        [held?.state, held?.reason],
        ['pending', 'Not shown: "do not disturb" is on'],
      );
      assert.match((await place.cli('status')).stdout, /desktop .*"do not disturb" is on/);
      assert.match((await place.cli('explain', 'last')).stdout, /"do not disturb" is on/);
      await session.popUps(0);
      await session.run('dunstctl', 'set-paused', 'false');
      await session.popUps(1);
      await until(async () => (await deliveryOf(place, 'shop', 'desktop'))?.state === 'sent');
    });

    test('what was answered meanwhile is not shown, and what was only news comes as one message', async () => {
      await using session = await startDesktopSession('dunst');
      await using place = await disturbedHome(session);
      const done = { hook_event_name: 'Stop', last_assistant_message: 'Done' };

      await hook(place, 'shop', asks);
      await until(async () => (await deliveryOf(place, 'shop', 'phone'))?.state === 'sent');
      await hook(place, 'shop', { hook_event_name: 'UserPromptSubmit', prompt: 'yes' });
      await until(async () => (await deliveryOf(place, 'shop', 'desktop'))?.state === 'cancelled');
      for (const id of ['api', 'web', 'docs']) await hook(place, id, done);
      // The first is tried alone, the others in one message of the burst.
      const tried = ['api', 'web'].map(
        (id) => async () => (await deliveryOf(place, id, 'desktop'))?.attempts === 1,
      );
      for (const isTried of tried) await until(isTried);
      await session.run('dunstctl', 'set-paused', 'false');
      await session.popUps(1);

      const [shown, ...others] = await dunstHistory(session);
      assert.deepEqual(others, []);
      for (const id of ['api', 'web', 'docs']) assert.match(shown?.body ?? '', new RegExp(id));
    });

    test('a test says that it would not be seen', async () => {
      await using session = await startDesktopSession('dunst');
      await using place = await disturbedHome(session);

      const { code, stdout } = await place.cli('test', 'desktop');

      assert.equal(code, 1);
      assert.match(stdout, /desktop .*Not shown: "do not disturb" is on/);
    });
  },
);
