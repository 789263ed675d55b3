import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { execa } from 'execa';

import { startDisplay } from './display.ts';
import { until } from './hookbell-home.ts';
import { clickOn, placeOf } from './screen.ts';
import { startSessionBus } from './session-bus.ts';
import { spawnHere } from './spawn-here.ts';
import { startSway } from './sway.ts';

/** What such a desktop takes; the last is swaync with the libraries of its release, see .ci/run. */
export const swayncPrograms = [
  'dbus-daemon',
  'gdbus',
  'import',
  'sway',
  'xdotool',
  'Xvfb',
  'swaync-trixie',
];

/** Parts of a pop-up, each drawn in a different colour, by which they are found on the screen. */
const colours = { entry: '#12ff34', typing: '#ff12d3', allow: '#fbe712' } as const;

/** Without the theme's gradients, pictures and shadows, and without what fades in. */
const style = `
* { background: none; border: none; box-shadow: none; text-shadow: none; transition: none; color: #000 }
.inline-reply-entry { background: ${colours.entry} }
.inline-reply-entry:focus { background: ${colours.typing} }
.notification-action:first-child { background: ${colours.allow} }
`;

/** A desktop with a real mouse, keyboard and notification server, which takes typed text. */
export interface SwayncDesktop extends AsyncDisposable {
  /** For a daemon whose pop-ups appear there. */
  readonly env: Readonly<Record<string, string>>;
  /** Clicks on a part of the only pop-up. */
  click(part: keyof typeof colours): Promise<void>;
  /** Types into the entry of the only pop-up, and presses Enter. */
  reply(text: string): Promise<void>;
  /** Waits until no such part is drawn. */
  isGone(part: keyof typeof colours): Promise<void>;
}

export async function startSwayncDesktop(): Promise<SwayncDesktop> {
  const display = await startDisplay({ PATH: process.env['PATH'] });
  const sway = await startSway(display.name);
  const bus = await startSessionBus();
  const env = { ...sway.env, DISPLAY: display.name, DBUS_SESSION_BUS_ADDRESS: bus.address };
  const config = join(sway.home, 'swaync.json');
  // A pop-up stays until it is answered, and does not slide in.
  const settings = { 'notification-inline-replies': true, timeout: 0, 'transition-time': 0 };
  await writeFile(config, JSON.stringify(settings));
  const css = join(sway.home, 'swaync.css');
  await writeFile(css, style);
  const { DISPLAY: _, ...wayland } = env;
  const server = await spawnHere('swaync-trixie', ['-c', config, '-s', css], wayland);
  const run = (program: string, ...words: readonly string[]) =>
    execa(program, words, { env, extendEnv: false });
  await run('gdbus', 'wait', '--session', '--timeout', '20', 'org.freedesktop.Notifications');

  return {
    env: { DBUS_SESSION_BUS_ADDRESS: bus.address },
    click: (part) => clickOn(colours[part], env),
    async reply(text) {
      await clickOn(colours.entry, env);
      await until(async () => (await placeOf(colours.typing, env)) !== null);
      await run('xdotool', 'type', text);
      await run('xdotool', 'key', 'Return');
    },
    isGone: (part) => until(async () => (await placeOf(colours[part], env)) === null),
    async [Symbol.asyncDispose]() {
      for (const part of [server, bus, sway, display]) await part[Symbol.asyncDispose]();
    },
  };
}
