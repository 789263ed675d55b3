import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { z } from 'zod';

import type { AgentsDesktop } from '../support/agents-desktop.ts';
import { desktopPrograms, startAgentsDesktop } from '../support/agents-desktop.ts';
import { until } from '../support/hookbell-home.ts';
import { spawnHere } from '../support/spawn-here.ts';
import { needs } from '../support/system-part.ts';

/** The windows of the desktop that kitty has, with tabs, with windows in them. */
const kittySchema = z.array(
  z.object({
    is_focused: z.boolean(),
    platform_window_id: z.number(),
    tabs: z.array(
      z.object({ is_focused: z.boolean(), windows: z.array(z.object({ id: z.number() })) }),
    ),
  }),
);

interface Kitty extends AsyncDisposable {
  run(...words: readonly string[]): Promise<string>;
  /** The window of the desktop that is in front, and the one window of its tab. */
  seen(): Promise<{ readonly outer: string; readonly inner: number | undefined }>;
}

async function startKitty({ env, place, session }: AgentsDesktop, agent: string): Promise<Kitty> {
  const socket = `unix:${join(place.home, 'kitty')}`;
  const listens = ['-o', 'allow_remote_control=socket-only', '--listen-on', socket];
  const child = await spawnHere('kitty', ['-c', 'NONE', ...listens, 'sh', agent], env);
  const run = (...words: readonly string[]): Promise<string> =>
    session.run('kitty', '@', '--to', socket, ...words);
  const listed = async (): Promise<z.infer<typeof kittySchema>> =>
    kittySchema.parse(JSON.parse(await run('ls')));
  await until(() =>
    listed().then(
      (windows) => windows.length > 0,
      () => false,
    ),
  );
  return {
    run,
    async seen() {
      const outer = (await listed()).find((window) => window.is_focused);
      const inner = outer?.tabs.find((tab) => tab.is_focused)?.windows[0]?.id;
      return { outer: String(outer?.platform_window_id), inner };
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

describe('kitty', { skip: needs(...desktopPrograms, 'kitty'), timeout: 120_000 }, () => {
  test('a click brings its tab forward, also one that was moved to a separate window', async () => {
    await using desktop = await startAgentsDesktop();
    await using kitty = await startKitty(desktop, await desktop.agent('first'));
    await kitty.run('launch', '--type=tab', 'sh', await desktop.agent('second'));
    await kitty.run('launch', '--type=os-window', 'sh', await desktop.agent('third'));
    await using _other = await desktop.xterm('other', 'sleep', '600');
    const other = await desktop.titled('other');

    async function comesForward(name: string, id: number): Promise<string> {
      await desktop.session.run('xdotool', 'windowactivate', other);
      await until(async () => (await desktop.active()) === other);
      await desktop.ask(name);
      await desktop.click(name);
      await until(async () => (await kitty.seen()).inner === id);
      const { outer } = await kitty.seen();
      await until(async () => (await desktop.active()) === outer);
      return outer;
    }

    const first = await comesForward('first', 1);
    await kitty.run('detach-tab', '--match', 'id:2');
    const second = await comesForward('second', 2);
    const third = await comesForward('third', 3);
    assert.equal(new Set([first, second, third]).size, 3);
  });
});

describe('Alacritty', { skip: needs(...desktopPrograms, 'alacritty'), timeout: 120_000 }, () => {
  test('a click brings the right one of two windows forward that one process shows', async () => {
    await using desktop = await startAgentsDesktop();
    const { env, place, session } = desktop;
    const socket = join(place.home, 'alacritty');
    const shows = async (name: string): Promise<readonly string[]> => [
      '--title',
      name,
      '-e',
      'sh',
      await desktop.agent(name),
    ];
    const words = ['--socket', socket, ...(await shows('first'))];
    await using _alacritty = await spawnHere('alacritty', words, env);
    const first = await desktop.titled('first');
    const another = ['create-window', ...(await shows('second'))];
    await session.run('alacritty', 'msg', '--socket', socket, ...another);
    const second = await desktop.titled('second');
    await until(async () => (await desktop.active()) === second);

    await desktop.ask('first');
    await desktop.click('first');
    await until(async () => (await desktop.active()) === first);
    await desktop.ask('second');
    await desktop.click('second');
    await until(async () => (await desktop.active()) === second);
  });
});
