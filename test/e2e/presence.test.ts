import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pretendDesktop } from '../support/pretend-desktop.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { needs } from '../support/system-part.ts';
import { openTmux } from '../support/tmux.ts';

test(
  'a question notifies unless you look at the terminal that asks it',
  { skip: needs('tmux', 'script') },
  async () => {
    await using tmux = await openTmux();
    await using place = await hookbellHome();
    await using desktop = await pretendDesktop(place.home, null);
    place.env['DBUS_SESSION_BUS_ADDRESS'] = desktop.address;
    await place.writeConfig(`
channels: { desktop: { type: desktop, backend: dbus } }
plans: { bell: [{ after: 0s, notify: desktop }] }
routes: [{ match: {}, plan: bell }]
presence: { when_watching: suppress }
`);
    await place.start();

    place.env['TMUX'] = `${tmux.socket},1,0`;
    for (const [session, pane] of [
      ['seen', '%0'],
      ['elsewhere', '%9'],
    ] as const) {
      place.env['TMUX_PANE'] = pane;
      await place.hook({
        session_id: session,
        cwd: '/home/dev/shop',
        hook_event_name: 'Notification',
        message: 'Claude needs your permission',
      });
    }
    const told = async (sessionId: string): Promise<string | undefined> => {
      const history = await place.ask('GET /v1/history');
      const entry = history.find((one) => one.sessionId === sessionId);
      const delivery = entry?.deliveries.find(({ channel }) => channel === 'desktop');
      return delivery && `${delivery.state}: ${delivery.reason}`;
    };
    await until(async () => (await told('elsewhere'))?.startsWith('sent') === true);
    await until(async () => (await told('seen'))?.startsWith('pending') === false);

    assert.match((await told('seen')) ?? '', /^cancelled: The terminal of the session has focus/);
    const { stdout } = await place.cli('doctor', '--all');
    assert.match(
      stdout,
      /^ok +presence +screen lock: cannot be detected here; .*tmux focus: tmux \d/m,
    );
  },
);
