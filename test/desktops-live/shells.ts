import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { execa } from 'execa';

import { startDisplay } from '../support/display.ts';
import { until } from '../support/hookbell-home.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A desktop that people use, without a screen. */
export interface Shell extends AsyncDisposable {
  readonly name: string;
  /** What a program of this desktop session has in its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** How many pop-ups of hookbell stand, or are kept in its list. */
  count(): Promise<number>;
  /** Clicks the latest pop-up. */
  click(): Promise<void>;
  /** Presses one of its buttons. */
  press(label: 'Allow' | 'Deny'): Promise<void>;
  /** Switches "do not disturb". */
  disturb(isAllowed: boolean): Promise<void>;
  /** Ends the shell as a crash does, and starts it again. */
  restart(): Promise<void>;
  screenshot(path: string): Promise<void>;
}

const WAIT_MS = 60_000;
const SERVICES = '/usr/share/dbus-1/services';
const NOTIFIER = 'org.freedesktop.Notifications';

type Run = (program: string, ...words: readonly string[]) => Promise<string>;

/** A session bus that starts these services only, a bus in place of the system's, and a home directory. */
interface Session extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  readonly run: Run;
  start(program: string, words?: readonly string[]): ChildProcess;
}

async function openSession(
  services: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<Session> {
  const home = await temporaryDirectory();
  const place = join(home.path, 'services');
  await mkdir(place);
  for (const name of services) await copyFile(`${SERVICES}/${name}`, join(place, name));
  const [session, system] = ['bus', 'system'].map((name) => `unix:path=${join(home.path, name)}`);
  const file = join(home.path, 'bus.conf');
  const allowed = '<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>';
  await writeFile(
    file,
    `<busconfig><type>session</type><listen>${session}</listen><auth>EXTERNAL</auth><servicedir>${place}</servicedir>
<policy context="default">${allowed}<allow own="*"/></policy></busconfig>`,
  );
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home.path,
    XDG_RUNTIME_DIR: home.path,
    DBUS_SESSION_BUS_ADDRESS: session ?? '',
    DBUS_SYSTEM_BUS_ADDRESS: system ?? '',
    ...more,
  };
  const running: ChildProcess[] = [];
  const start = (program: string, words: readonly string[] = []): ChildProcess => {
    // GNOME Shell may wait for good for a standard output that is the null device.
    const log = openSync(join(home.path, `${basename(program)}.log`), 'a');
    const child = spawn(program, words, { env, stdio: ['ignore', log, log] });
    closeSync(log);
    running.push(child);
    return child;
  };
  const run: Run = async (program, ...words) => {
    const { stdout } = await execa(program, words, { env, extendEnv: false, timeout: 20_000 });
    return stdout;
  };
  start('dbus-daemon', ['--nofork', `--config-file=${file}`]);
  start('dbus-daemon', ['--nofork', '--session', `--address=${system}`]);
  await become(async () => (await run('gdbus', ...callOf(BUS, 'ListNames'))) !== '');
  return {
    env,
    run,
    start,
    async [Symbol.asyncDispose]() {
      for (const child of running.toReversed()) await ended(child);
      await home[Symbol.asyncDispose]();
    },
  };
}

const BUS = ['org.freedesktop.DBus', '/org/freedesktop/DBus'] as const;

function callOf([name, path]: readonly [string, string], member: string, ...words: string[]) {
  const place = ['--session', '--dest', name, '--object-path', path];
  return ['call', ...place, '--method', `${name}.${member}`, ...words];
}

/** Waits until it is so; a program that cannot be asked yet is asked again. */
async function become(isSo: () => Promise<boolean>): Promise<void> {
  await until(() => isSo().catch(() => false), WAIT_MS);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Its list is read, and its pop-ups are clicked, by the scripts that the shell runs with `--unsafe-mode`. */
export async function openGnome(): Promise<Shell> {
  const services = ['ca.desrt.dconf.service', 'org.gnome.Shell.Notifications.service'];
  const session = await openSession(services, {
    XDG_SESSION_TYPE: 'wayland',
    LIBGL_ALWAYS_SOFTWARE: '1',
  });
  const { run, env } = session;
  const shellPlace = ['org.gnome.Shell', '/org/gnome/Shell'] as const;
  const own = `Main.messageTray.getSources().flatMap((source) => source.notifications).filter((one) => one.source.title === 'hookbell')`;

  async function evaluate(script: string): Promise<string> {
    const printed = await run('gdbus', ...callOf(shellPlace, 'Eval', script));
    return /^\(true, '(.*)'\)$/.exec(printed)?.[1] ?? '';
  }

  async function startShell(): Promise<ChildProcess> {
    const options = ['--headless', '--unsafe-mode', '--virtual-monitor', '1280x800', '--no-x11'];
    const shell = session.start('gnome-shell', options);
    const isUp = async () => (await evaluate('Main.layoutManager._startingUp')) === 'false';
    await become(isUp);
    await become(async () => (await run('gdbus', ...serverCall('GetServerInformation'))) !== '');
    // Its overview, and warnings for an administrator, would cover what is shown.
    const others = `Main.messageTray.getSources().filter((one) => one.title !== 'hookbell')`;
    await evaluate(`Main.overview.hide(); ${others}.forEach((one) => one.destroy())`);
    return shell;
  }

  let shell = await startShell();
  return {
    name: 'GNOME',
    env,
    count: async () => Number(await evaluate(`${own}.length`)),
    click: async () => void (await evaluate(`${own}.at(-1).activate()`)),
    // As its buttons do: a pop-up that does not stay is destroyed after the action.
    press: async (label) => {
      const action = `one.actions.find(({ label }) => label === '${label}')`;
      await evaluate(`${own}.slice(-1).forEach((one) => { ${action}.callback(); one.destroy(); })`);
    },
    disturb: async (isAllowed) => {
      const key = ['org.gnome.desktop.notifications', 'show-banners'];
      await run('gsettings', 'set', ...key, String(isAllowed));
    },
    async restart() {
      await ended(shell);
      shell = await startShell();
    },
    async screenshot(path) {
      const place = ['org.gnome.Shell.Screenshot', '/org/gnome/Shell/Screenshot'] as const;
      await run('gdbus', ...callOf(place, 'Screenshot', 'false', 'false', path));
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

function serverCall(member: string, ...words: string[]) {
  return callOf([NOTIFIER, '/org/freedesktop/Notifications'], member, ...words);
}

/** An inhibition holds as long as its program is connected. */
const INHIBIT = `
import dbus, time
server = dbus.SessionBus().get_object('${NOTIFIER}', '/org/freedesktop/Notifications')
none = dbus.Dictionary(signature='sv')
server.Inhibit('test', 'a presentation', none, dbus_interface='${NOTIFIER}')
time.sleep(600)
`;

/** Its pop-ups are windows, which are clicked where a person would. */
export async function openPlasma(): Promise<Shell> {
  const display = await startDisplay({ PATH: process.env['PATH'] });
  const session = await openSession([], {
    DISPLAY: display.name,
    QT_QPA_PLATFORM: 'xcb',
    QT_QUICK_BACKEND: 'software',
    XDG_CURRENT_DESKTOP: 'KDE',
    KDE_FULL_SESSION: 'true',
  });
  const { run, env } = session;
  session.start('kwin_x11');
  session.start('/usr/lib/x86_64-linux-gnu/libexec/kactivitymanagerd');

  async function startShell(): Promise<ChildProcess> {
    const child = session.start('plasmashell');
    await become(async () => (await run('gdbus', ...serverCall('GetServerInformation'))) !== '');
    // Desktop and panel are there.
    await become(async () => (await windows()).length >= 2);
    return child;
  }

  /** Left, top, width and height of its windows. */
  async function windows(): Promise<readonly (readonly number[])[]> {
    const search = ['search', '--onlyvisible', '--class', 'plasmashell'];
    const quietly = { env, extendEnv: false, reject: false } as const;
    const { stdout } = await execa('xdotool', search, quietly);
    const found: number[][] = [];
    for (const id of stdout.split('\n').filter((line) => line !== '')) {
      const place = ['getwindowgeometry', '--shell', id];
      // A window may be closed meanwhile.
      const { stdout: geometry } = await execa('xdotool', place, quietly);
      const numbers = [...geometry.matchAll(/^(?:X|Y|WIDTH|HEIGHT)=(\d+)$/gm)];
      if (numbers.length === 4) found.push(numbers.map(([, number]) => Number(number)));
    }
    return found;
  }

  /** Desktop and panel are as wide as the screen. */
  async function popUps(): Promise<readonly (readonly number[])[]> {
    return (await windows()).filter(([, , width = 0]) => width > 200 && width < 600);
  }

  async function clickAt(fromRight: number, fromBottom: number): Promise<void> {
    const [x = 0, y = 0, width = 0, height = 0] = (await popUps()).at(-1) ?? [];
    const place = [x + width - fromRight, y + height - fromBottom].map(String);
    await run('xdotool', 'mousemove', ...place, 'click', '1');
  }

  let inhibitor: ChildProcess | null = null;
  let shell = await startShell();
  return {
    name: 'Plasma',
    env,
    count: async () => (await popUps()).length,
    click: () => clickAt(160, 45),
    press: (label) => (label === 'Deny' ? clickAt(162, 19) : clickAt(215, 19)),
    async disturb(isAllowed) {
      if (inhibitor !== null) await ended(inhibitor);
      inhibitor = isAllowed ? null : session.start('/usr/bin/python3', ['-c', INHIBIT]);
    },
    async restart() {
      await ended(shell);
      shell = await startShell();
    },
    screenshot: async (path) => void (await run('import', '-window', 'root', path)),
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await display[Symbol.asyncDispose]();
    },
  };
}
