import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { silentLog } from '../../src/platform/log.ts';
import { bringForward } from '../../src/attention/bring-forward.ts';
import type { AgentsDesktop } from '../support/agents-desktop.ts';
import { desktopPrograms, startAgentsDesktop } from '../support/agents-desktop.ts';
import { until } from '../support/hookbell-home.ts';
import { needs } from '../support/system-part.ts';

const options = { skip: needs(...desktopPrograms, 'tmux'), timeout: 120_000 };

/** Waits until a window is in front. */
async function inFront(desktop: AgentsDesktop, window: string): Promise<void> {
  await until(async () => (await desktop.active()) === window);
}

/** Puts a window in front, as a person would. */
async function toFront(desktop: AgentsDesktop, window: string): Promise<void> {
  await desktop.session.run('xdotool', 'windowactivate', window);
  await inFront(desktop, window);
}

/** Waits until the daemon says so. */
async function said({ place }: AgentsDesktop, sentence: string): Promise<void> {
  await until(async () => (await readFile(place.paths.log, 'utf8')).includes(sentence));
}

/** A separate tmux server, which outlives the terminal it was started in. */
function tmuxServer({ session, place }: AgentsDesktop): AsyncDisposable & {
  readonly words: readonly string[];
  run(...words: readonly string[]): Promise<string>;
} {
  const socket = join(place.home, 'tmux');
  const run = (...words: readonly string[]): Promise<string> =>
    session.run('tmux', '-S', socket, ...words).catch(() => '');
  return {
    words: ['tmux', '-f', '/dev/null', '-S', socket],
    run,
    [Symbol.asyncDispose]: () => run('kill-server').then(() => undefined),
  };
}

test(
  'a real click brings the window of the session forward, and its tmux pane, and acknowledges',
  options,
  async () => {
    await using desktop = await startAgentsDesktop();
    await using tmux = tmuxServer(desktop);
    const agent = await desktop.agent('shop');
    await using _first = await desktop.xterm('first', ...tmux.words, 'new-session', 'sh', agent);
    const first = await desktop.titled('first');
    await until(async () => (await tmux.run('list-panes')) !== '');
    await tmux.run('split-window', 'sleep 600');
    await tmux.run('new-window', 'sleep 600');
    await using _second = await desktop.xterm('second', 'sh', await desktop.agent('office'));
    const second = await desktop.titled('second');
    await toFront(desktop, second);

    await desktop.ask('shop');
    await desktop.click('shop');
    await inFront(desktop, first);
    const pane = await tmux.run('display-message', '-p', '#{window_index} #{pane_id}');
    assert.equal(pane, '0 %0');

    await desktop.ask('office');
    await desktop.click('office');
    await inFront(desktop, second);
  },
);

test(
  'a click switches to the desktop of the window of the session, also where the terminal does not name it',
  options,
  async () => {
    await using desktop = await startAgentsDesktop();
    const { session } = desktop;
    await session.run('xdotool', 'set_num_desktops', '3');
    await using _named = await desktop.xterm('named', 'sh', await desktop.agent('shop'));
    const unnamed = ['env', '-u', 'WINDOWID', 'sh', await desktop.agent('office')];
    await using _unnamed = await desktop.xterm('unnamed', ...unnamed);
    const windows = [await desktop.titled('named'), await desktop.titled('unnamed')];
    for (const [index, window] of windows.entries()) {
      await session.run('xdotool', 'set_desktop_for_window', window, String(index + 1));
    }

    for (const [index, name] of ['shop', 'office'].entries()) {
      await desktop.ask(name);
      await desktop.click(name);
      await inFront(desktop, windows[index] ?? '');
      assert.equal(await session.run('xdotool', 'get_desktop'), String(index + 1));
    }
  },
);

test(
  'a click moves nothing where the terminal is closed, nor what may have the number of its window since, and the log says so',
  options,
  async () => {
    await using desktop = await startAgentsDesktop();
    await using _other = await desktop.xterm('other', 'sleep', '600');
    const other = await desktop.titled('other');
    const closing = await desktop.xterm('closing', 'sh', await desktop.agent('shop'));
    await desktop.titled('closing');
    await using _next = await desktop.xterm('next', 'sleep', '600');
    const windowid = await desktop.titled('next');
    await desktop.ask('shop');
    await closing[Symbol.asyncDispose]();
    await toFront(desktop, other);

    await desktop.click('shop');
    await said(desktop, "Cannot bring the session's terminal forward: it is closed");
    assert.equal(await desktop.active(), other);

    const { DISPLAY: display = '' } = desktop.env;
    const here = { env: desktop.env, platform: process.platform, now: Date.now, log: silentLog };
    await bringForward({ agent: 'droid', facts: { display, windowid }, at: 0 }, here);
    assert.equal(await desktop.active(), other);
    await bringForward({ agent: 'droid', facts: { display, windowid }, at: Date.now() }, here);
    await inFront(desktop, windowid);
  },
);

test(
  'a click finds the terminal that shows the tmux session now, and none where it is detached',
  options,
  async () => {
    await using desktop = await startAgentsDesktop();
    await using tmux = tmuxServer(desktop);
    const asked = ['new-session', '-s', 'work', 'sh', await desktop.agent('shop')];
    await using _first = await desktop.xterm('first', ...tmux.words, ...asked);
    await until(async () => (await tmux.run('list-clients')) !== '');
    await tmux.run('new-window', '-t', 'work', 'sh', await desktop.agent('office'));
    await tmux.run('detach-client', '-s', 'work');
    await using _other = await desktop.xterm('other', 'sleep', '600');
    const other = await desktop.titled('other');
    await toFront(desktop, other);

    await desktop.ask('shop');
    await desktop.click('shop');
    await said(desktop, 'No terminal shows its tmux session');
    assert.equal(await desktop.active(), other);

    await using _second = await desktop.xterm('second', ...tmux.words, 'attach', '-t', 'work');
    const second = await desktop.titled('second');
    await until(async () => (await tmux.run('list-clients')) !== '');
    await tmux.run('select-window', '-t', 'work:0');
    await toFront(desktop, other);
    await desktop.ask('office');
    await desktop.click('office');
    await inFront(desktop, second);
    assert.equal(await tmux.run('display-message', '-p', '#{window_index}'), '1');
  },
);
