import assert from 'node:assert/strict';
import { chown, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';

import { factsOf } from '../../hooks/facts.ts';
import type { Log } from '../../src/platform/log.ts';
import { bringForward } from '../../src/attention/bring-forward.ts';
import { until } from '../support/hookbell-home.ts';
import { isAlive } from '../support/is-alive.ts';
import { runProcess } from '../support/run-process.ts';
import { spawnHere } from '../support/spawn-here.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** The id of the unprivileged user. */
const NOBODY = 65_534;

interface Sway extends AsyncDisposable {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Returns what it prints. */
  readonly ask: (...words: readonly string[]) => Promise<string>;
}

/** A Sway without a screen, which draws without a GPU. It refuses to run as root, so then it runs as an unprivileged user. */
async function startSway(): Promise<Sway> {
  const directory = await temporaryDirectory();
  const home = directory.path;
  const config = join(home, 'config');
  // Windows that open or ring their bell do not come forward by themselves.
  await writeFile(config, 'xwayland disable\nfocus_on_window_activation none\n');
  const base = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_RUNTIME_DIR: home,
    LC_ALL: 'C.UTF-8',
    SHELL: '/bin/sh',
  };
  const headless = {
    WLR_BACKENDS: 'headless',
    WLR_RENDERER: 'pixman',
    WLR_LIBINPUT_NO_DEVICES: '1',
  };
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) await chown(home, NOBODY, NOBODY);
  const identity = isRoot
    ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
    : ['env'];
  const [program, ...words] = [...identity, 'sway', '-c', config];
  const sway = await spawnHere(program, words, { ...base, ...headless });
  const named = async (pattern: RegExp): Promise<string> =>
    (await readdir(home)).find((name) => pattern.test(name)) ?? '';
  await until(
    async () => (await named(/^sway-ipc\./)) !== '' && (await named(/^wayland-\d$/)) !== '',
  );
  const socket = join(home, await named(/^sway-ipc\./));
  const ask = async (...words_: readonly string[]): Promise<string> =>
    (await runProcess('swaymsg', words_, { env: { ...base, SWAYSOCK: socket } })).stdout;
  // It is still starting, and would end without its directory.
  await until(async () => (await ask('-t', 'get_outputs', '-r')).includes('HEADLESS-1'));
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

const focusedWindow = z.object({ focused: z.literal(true), pid: z.number(), name: z.string() });

/** The title of the window that has the focus, wherever in the tree it is. */
function titleInFront(tree: string): string | null {
  let title: string | null = null;
  JSON.parse(tree, (_key, node: unknown) => {
    const { success, data } = focusedWindow.safeParse(node);
    if (success) title = data.name;
    return node;
  });
  return title;
}

interface Terminal extends AsyncDisposable {
  /** Brings it forward as a click would; answers what is logged. */
  bring(): Promise<string>;
  /** Whether its window has the focus. */
  isInFront(): Promise<boolean>;
}

/** A terminal with something that stays, as an agent does. */
async function openFoot({ home, env, ask }: Sway, title: string): Promise<Terminal> {
  const [told, number] = [join(home, `${title}.env`), join(home, `${title}.pid`)];
  const agent = `env >'${told}'; echo $$ >'${number}'; exec sleep 600`;
  const foot = await spawnHere('foot', ['-T', title, 'sh', '-c', agent], env);
  const isInFront = async (): Promise<boolean> =>
    titleInFront(await ask('-t', 'get_tree', '-r')) === title;
  let pid = 0;
  await until(async () => {
    pid = Number(await readFile(number, 'utf8').catch(() => '0'));
    return pid > 0 && (await isInFront());
  });
  const lines = (await readFile(told, 'utf8')).split('\n').map((line) => line.split('='));
  const surroundings = Object.fromEntries(
    lines.map(([name = '', ...value]) => [name, value.join('=')]),
  );
  const facts = factsOf({ agent: 'droid', event: '' }, { env: surroundings, pid, ppid: pid });
  return {
    isInFront,
    async bring() {
      const said: string[] = [];
      const say = (_fields: object, sentence: string): void => void said.push(sentence);
      const log: Log = { debug: say, info: say, warn: say, error: say };
      const options = {
        env: { PATH: process.env['PATH'] },
        platform: process.platform,
        now: Date.now,
        log,
      };
      await bringForward({ agent: 'droid', facts, at: Date.now() }, options);
      return said.join('\n');
    },
    async [Symbol.asyncDispose]() {
      await foot[Symbol.asyncDispose]();
      await until(() => !isAlive(pid));
    },
  };
}

test(
  'a click brings the right window forward on Sway, from another workspace too, and none where it is closed',
  { skip: needs('sway', 'swaymsg', 'foot', 'setpriv'), timeout: 60_000 },
  async () => {
    await using sway = await startSway();
    const first = await openFoot(sway, 'first');
    await using second = await openFoot(sway, 'second');
    await sway.ask('workspace', '2');
    await using third = await openFoot(sway, 'third');

    for (const terminal of [first, third, second]) {
      assert.match(await terminal.bring(), /Brought the terminal of the session forward/);
      assert.equal(await terminal.isInFront(), true);
    }

    await first[Symbol.asyncDispose]();
    assert.match(await first.bring(), /Cannot bring the terminal of the session forward/);
    assert.equal(await second.isInFront(), true);
  },
);
