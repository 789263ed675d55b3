import { chown, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { until } from './hookbell-home.ts';
import { runProcess } from './run-process.ts';
import { spawnHere } from './spawn-here.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The id of the unprivileged user. */
const NOBODY = 65_534;

export interface Sway extends AsyncDisposable {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Returns what it prints. */
  readonly ask: (...words: readonly string[]) => Promise<string>;
}

/**
 * A Sway that draws without a GPU. It refuses to run as root, so then it runs as an unprivileged user.
 *
 * @param display the X display in which it has a window, with its mouse and keyboard; without one it has no screen
 */
export async function startSway(display?: string): Promise<Sway> {
  const directory = await temporaryDirectory();
  const home = directory.path;
  const config = join(home, 'config');
  const output = display === undefined ? 'HEADLESS-1' : 'X11-1';
  // Windows that open or ring their bell do not come forward by themselves.
  await writeFile(
    config,
    `xwayland disable\nfocus_on_window_activation none\noutput ${output} mode 1280x720\n`,
  );
  const base = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_RUNTIME_DIR: home,
    LC_ALL: 'C.UTF-8',
    SHELL: '/bin/sh',
  };
  const backend =
    display === undefined
      ? { WLR_BACKENDS: 'headless' }
      : { WLR_BACKENDS: 'x11', DISPLAY: display };
  const drawing = { ...backend, WLR_RENDERER: 'pixman', WLR_LIBINPUT_NO_DEVICES: '1' };
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) await chown(home, NOBODY, NOBODY);
  const identity = isRoot
    ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
    : ['env'];
  const [program, ...words] = [...identity, 'sway', '-c', config];
  const sway = await spawnHere(program, words, { ...base, ...drawing });
  const named = async (pattern: RegExp): Promise<string> =>
    (await readdir(home)).find((name) => pattern.test(name)) ?? '';
  await until(
    async () => (await named(/^sway-ipc\./)) !== '' && (await named(/^wayland-\d$/)) !== '',
  );
  const socket = join(home, await named(/^sway-ipc\./));
  const ask = async (...words_: readonly string[]): Promise<string> =>
    (await runProcess('swaymsg', words_, { env: { ...base, SWAYSOCK: socket } })).stdout;
  // It is still starting, and would end without its directory.
  await until(async () => (await ask('-t', 'get_outputs', '-r')).includes(output));
  // A socket of another user is refused (D7), and here Sway only is one because it does not run as root.
  if (isRoot) for (const path of [socket, home]) await chown(path, 0, 0);
  const env = {
    ...base,
    SWAYSOCK: socket,
    WAYLAND_DISPLAY: await named(/^wayland-\d$/),
  };
  return {
    home,
    env,
    ask,
    async [Symbol.asyncDispose]() {
      await sway[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
