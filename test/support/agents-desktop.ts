import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { DesktopSession } from './desktop-session.ts';
import { startDesktopSession } from './desktop-session.ts';
import type { HookbellHome } from './hookbell-home.ts';
import { hookbellHome, projectRoot, until } from './hookbell-home.ts';
import { spawnHere } from './spawn-here.ts';

/** What such a desktop takes. */
export const desktopPrograms = [
  'dbus-daemon',
  'dunst',
  'dunstctl',
  'Xvfb',
  'xdotool',
  'gdbus',
  'openbox',
  'xprop',
  'xterm',
];

/** A desktop with a window manager, where agents run in terminals and a daemon shows what they ask. */
export interface AgentsDesktop extends AsyncDisposable {
  readonly session: DesktopSession;
  readonly place: HookbellHome;
  /** For terminals. */
  readonly env: Readonly<Record<string, string>>;
  /** Writes an agent that asks once, on `ask`, and keeps running; returns the path of a shell script. */
  agent(name: string): Promise<string>;
  /** Lets it ask, and waits until that is shown. */
  ask(name: string): Promise<void>;
  /** Clicks on what is shown, and waits until the question of that agent was seen. */
  click(name: string): Promise<void>;
  /** Waits for a window of that title; answers its number. */
  titled(title: string): Promise<string>;
  /** The window in front. */
  active(): Promise<string>;
  /** Opens a terminal by X's own program. */
  xterm(title: string, ...command: readonly string[]): Promise<AsyncDisposable>;
}

export async function startAgentsDesktop(): Promise<AgentsDesktop> {
  const session = await startDesktopSession('dunst');
  const place = await hookbellHome();
  for (const name of ['DISPLAY', 'DBUS_SESSION_BUS_ADDRESS']) {
    place.env[name] = session.env[name] ?? '';
  }
  const env = { ...place.env, SHELL: '/bin/sh', LC_ALL: 'C.UTF-8', LIBGL_ALWAYS_SOFTWARE: '1' };
  // Each question is shown immediately, however soon it follows another.
  await place.writeConfig(
    'channels: { desktop: { type: desktop, backend: dbus } }\nnoise: { burst: { at_once: 10 } }\n',
  );
  await place.start();
  const manager = await spawnHere('openbox', ['--sm-disable'], env);
  await until(async () => {
    const check = await session.run('xprop', '-root', '_NET_SUPPORTING_WM_CHECK');
    return check.includes('window id');
  });

  return {
    session,
    place,
    env,
    async agent(name) {
      const payload = join(place.home, `${name}.json`);
      const question = { session_id: name, cwd: `/home/dev/${name}`, message: 'Asks' };
      await writeFile(payload, JSON.stringify({ ...question, hook_event_name: 'Notification' }));
      const hook = join(projectRoot, 'hooks/hookbell-hook');
      const script = join(place.home, `${name}.sh`);
      await writeFile(
        script,
        `until [ -e '${place.home}/${name}.go' ]; do sleep 0.05; done\n` +
          // Alacritty gives people the home that the system knows.
          `HOME='${place.home}' '${hook}' --agent droid <'${payload}'\nsleep 600\n`,
      );
      return script;
    },
    async ask(name) {
      await writeFile(join(place.home, `${name}.go`), '');
      await session.popUps(1);
    },
    async click(name) {
      await session.press('2');
      await until(async () => {
        const alerts = await place.ask('GET /v1/alerts');
        return alerts.some(
          (alert) => alert.session === `droid:${name}` && alert.state === 'acknowledged',
        );
      });
      await session.popUps(0);
    },
    async titled(title) {
      let window = '';
      await until(async () => {
        window = await session
          .run('xdotool', 'search', '--onlyvisible', '--name', `^${title}$`)
          .catch(() => '');
        return window !== '';
      });
      return window;
    },
    active: () => session.run('xdotool', 'getactivewindow').catch(() => ''),
    xterm: (title, ...command) => spawnHere('xterm', ['-T', title, '-e', ...command], env),
    async [Symbol.asyncDispose]() {
      for (const part of [manager, place, session]) await part[Symbol.asyncDispose]();
    },
  };
}
