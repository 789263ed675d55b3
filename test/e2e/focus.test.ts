import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { startDesktopSession } from '../support/desktop-session.ts';
import { hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { spawnHere } from '../support/spawn-here.ts';
import { needs } from '../support/system-part.ts';

const desktop = ['dbus-daemon', 'dunst', 'dunstctl', 'Xvfb', 'xdotool', 'gdbus', 'busctl'];
const options = {
  skip: needs(...desktop, 'notify-send', 'setpriv', 'stdbuf', 'openbox', 'xprop', 'xterm', 'tmux'),
  timeout: 120_000,
};

test(
  'a real click brings the window that rang forward, and its tmux pane, and acknowledges',
  options,
  async () => {
    await using session = await startDesktopSession('dunst');
    await using place = await hookbellHome();
    for (const name of ['DISPLAY', 'DBUS_SESSION_BUS_ADDRESS']) {
      place.env[name] = session.env[name] ?? '';
    }
    const env = { ...place.env, SHELL: '/bin/sh', LC_ALL: 'C.UTF-8' };
    await place.writeConfig('channels: { desktop: { type: desktop, rung: notify-send } }\n');
    await place.start();

    /** Rings, and stays as an agent does that waits. */
    async function agentIn(name: string): Promise<string> {
      const payload = join(place.home, `${name}.json`);
      const question = { session_id: name, cwd: `/home/dev/${name}`, message: 'Asks' };
      await writeFile(payload, JSON.stringify({ ...question, hook_event_name: 'Notification' }));
      const hook = join(projectRoot, 'hooks/hookbell-hook');
      const script = join(place.home, `${name}.sh`);
      await writeFile(
        script,
        `until [ -e '${place.home}/${name}.go' ]; do sleep 0.05; done\n` +
          `'${hook}' --agent droid <'${payload}'\nsleep 600\n`,
      );
      return script;
    }
    async function titled(title: string): Promise<string> {
      let window = '';
      await until(async () => {
        window = await session
          .run('xdotool', 'search', '--onlyvisible', '--name', `^${title}$`)
          .catch(() => '');
        return window !== '';
      });
      return window;
    }
    const active = (): Promise<string> => session.run('xdotool', 'getactivewindow').catch(() => '');
    async function seen(name: string): Promise<boolean> {
      const alerts = await place.ask('GET /v1/alerts');
      return alerts.some(
        (alert) => alert.session === `droid:${name}` && alert.state === 'acknowledged',
      );
    }

    await using _manager = await spawnHere('openbox', ['--sm-disable'], env);
    await until(async () => {
      const check = await session.run('xprop', '-root', '_NET_SUPPORTING_WM_CHECK');
      return check.includes('window id');
    });
    const socket = join(place.home, 'tmux');
    const tmux = ['tmux', '-f', '/dev/null', '-S', socket];
    // The server outlives the terminal it was started in.
    await using _server = {
      [Symbol.asyncDispose]: () =>
        session.run('tmux', '-S', socket, 'kill-server').then(
          () => undefined,
          () => undefined,
        ),
    };
    await using _first = await spawnHere(
      'xterm',
      ['-T', 'first', '-e', ...tmux, 'new-session', 'sh', await agentIn('shop')],
      env,
    );
    const first = await titled('first');
    await until(
      async () => (await session.run('tmux', '-S', socket, 'list-panes').catch(() => '')) !== '',
    );
    await session.run('tmux', '-S', socket, 'split-window', 'sleep 600');
    await session.run('tmux', '-S', socket, 'new-window', 'sleep 600');
    await using _second = await spawnHere(
      'xterm',
      ['-T', 'second', '-e', 'sh', await agentIn('office')],
      env,
    );
    const second = await titled('second');
    await session.run('xdotool', 'windowactivate', second);
    await until(async () => (await active()) === second);

    await writeFile(join(place.home, 'shop.go'), '');
    await session.popUps(1);
    await session.press('2');
    await until(async () => (await active()) === first);
    await until(() => seen('shop'));
    const pane = ['display-message', '-p', '#{window_index} #{pane_id}'];
    assert.equal(await session.run('tmux', '-S', socket, ...pane), '0 %0');
    await session.popUps(0);

    await writeFile(join(place.home, 'office.go'), '');
    await session.popUps(1);
    await session.press('2');
    await until(async () => (await active()) === second);
    await until(() => seen('office'));
  },
);
