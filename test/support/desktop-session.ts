import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { startDisplay } from './display.ts';
import { startSessionBus } from './session-bus.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Where pictures are kept: artifacts/ at the root of the repository, seen from dist/test/support. */
const ARTIFACTS = fileURLToPath(new URL('../../../artifacts/', import.meta.url));

/** The notification servers there are tests with, and where they are installed. */
export const notificationServers = {
  dunst: 'dunst',
  'xfce4-notifyd': '/usr/lib/x86_64-linux-gnu/xfce4/notifyd/xfce4-notifyd',
} as const;

/** A virtual display, with a real notification server on a private bus. */
export interface DesktopSession extends AsyncDisposable {
  /** DISPLAY, DBUS_SESSION_BUS_ADDRESS and what else belongs to the session. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs a program in the session; returns its standard output. */
  run(program: string, ...arguments_: readonly string[]): Promise<string>;
  /** Waits until `count` pop-ups are visible. */
  popUps(count: number): Promise<void>;
  /** Presses a button of the mouse (1: left, 2: middle) upon the only pop-up, where a server that makes a button of an action has it; `fromRight` pixels from its right edge. */
  press(button: '1' | '2', fromRight?: number): Promise<void>;
  /** Keeps a picture of the whole screen as artifacts/NAME.png; answers its path. */
  screenshot(name: string): Promise<string>;
}

/**
 * @param dunstrc how dunst is to look; otherwise as it does by itself
 * @param gtkCss the same for xfce4-notifyd
 */
export async function startDesktopSession(
  server: keyof typeof notificationServers,
  { dunstrc = '', gtkCss = '' } = {},
): Promise<DesktopSession> {
  const home = await temporaryDirectory();
  if (dunstrc !== '') {
    await mkdir(`${home.path}/dunst`);
    await writeFile(`${home.path}/dunst/dunstrc`, dunstrc);
  }
  if (gtkCss !== '') {
    await mkdir(`${home.path}/gtk-3.0`);
    await writeFile(`${home.path}/gtk-3.0/gtk.css`, gtkCss);
  }
  const base = {
    PATH: process.env['PATH'],
    HOME: home.path,
    XDG_CONFIG_HOME: home.path,
    XDG_RUNTIME_DIR: home.path,
    NO_AT_BRIDGE: '1',
  };
  const display = await startDisplay(base);
  const bus = await startSessionBus({ ...base, DISPLAY: display.name });
  const env = { ...base, DISPLAY: display.name, DBUS_SESSION_BUS_ADDRESS: bus.address };
  const daemon = spawn(notificationServers[server], { env, stdio: 'ignore' });

  async function run(program: string, ...arguments_: readonly string[]): Promise<string> {
    const { stdout } = await execa(program, arguments_, { env, extendEnv: false });
    return stdout;
  }
  async function visible(): Promise<number> {
    if (server === 'dunst') return Number(await run('dunstctl', 'count', 'displayed'));
    const search = ['search', '--onlyvisible', '--class', server];
    const { stdout } = await execa('xdotool', search, { env, extendEnv: false, reject: false });
    return stdout === '' ? 0 : stdout.split('\n').length;
  }

  await run('gdbus', 'wait', '--session', '--timeout', '20', 'org.freedesktop.Notifications');
  return {
    env,
    run,
    async popUps(count) {
      while ((await visible()) !== count) await delay(20);
    },
    async press(button, fromRight = 50) {
      const search = ['search', '--onlyvisible', '--class', server];
      const geometry = await run('xdotool', ...search, 'getwindowgeometry');
      const numbers = /(\d+),(\d+)[^]*Geometry: (\d+)x(\d+)/.exec(geometry)?.map(Number) ?? [];
      const [, x = 0, y = 0, width = 0, height = 0] = numbers;
      const [column, row] = [x + width - fromRight, y + height * 0.75].map(Math.round).map(String);
      await run('xdotool', 'mousemove', column ?? '', row ?? '');
      await run('xdotool', 'click', button);
    },
    async screenshot(name) {
      await mkdir(ARTIFACTS, { recursive: true });
      const path = `${ARTIFACTS}${name}.png`;
      await run('import', '-window', 'root', path);
      return path;
    },
    async [Symbol.asyncDispose]() {
      await stop(daemon);
      await bus[Symbol.asyncDispose]();
      await display[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}
