import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hookbellHome, until } from '../support/hookbell-home.ts';
import { startNotificationServer } from '../support/notification-server.ts';
import { needs } from '../support/system-part.ts';

test(
  'what waits for a desktop is shown once it is there, though the circuit is open; doctor reports one finding (B9)',
  { skip: needs('dbus-daemon'), timeout: 120_000 },
  async () => {
    await using place = await hookbellHome();
    await using popUps = await startNotificationServer();
    await popUps.leave();
    await place.writeConfig(`
channels: { screen: { type: desktop, terminal: false } }
routes: [{ match: {}, notify: screen }]
noise: { burst: { at_once: 100 } }
`);
    Object.assign(place.env, { DBUS_SESSION_BUS_ADDRESS: popUps.address });
    await place.start();
    const channel = async () =>
      (await place.ask('GET /v1/status')).channels.find(({ name }) => name === 'screen');
    const sessions = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const session of sessions) {
      const payload = { hook_event_name: 'Notification', message: `asks ${session}.`, cwd: '/srv' };
      await place.hook({ session_id: session, ...payload }, ['--agent', 'claude']);
    }
    await until(async () => (await channel())?.state === 'open');

    const { stdout } = await place.cli('doctor');
    const findings = stdout
      .split('\n')
      .filter((line) => /^(?:problem|warning) .*server/.test(line));
    assert.equal(findings.length, 1, stdout);
    assert.match(stdout, /Start a notification server such as dunst/);
    await popUps.enter();

    // The circuit would stay open for 30 s, longer than this waits.
    await until(async () => (await channel())?.state === 'ok');
    await until(() =>
      sessions.every((id) => popUps.calls.some(({ body }) => body.includes(`asks ${id}.`))),
    );
  },
);
