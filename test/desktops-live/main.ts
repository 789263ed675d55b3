// The desktop channel on GNOME Shell and KDE Plasma, run without a screen: what is shown, clicked, replaced, withdrawn and hidden.
// dunst and xfce4-notifyd are part of the other tests.
//
//   npm run test:desktops [-- --pictures DIRECTORY]
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import desktop from '../../src/channels/desktop/index.ts';
import type { Channel, Reaction } from '../../src/core/channel.ts';
import type { Notification } from '../../src/core/notification.ts';
import { isIsolated, runIsolated } from '../agents-live/isolated.ts';
import { channelDependencies, sendContext } from '../support/channel-dependencies.ts';
import { until } from '../support/hookbell-home.ts';
import { sampleNotification } from '../support/sample.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openGnome, openPlasma, type Shell } from './shells.ts';

const { values } = parseArgs({ options: { pictures: { type: 'string' } } });
const gnome = ['gnome-shell', 'gjs', 'gsettings', 'gdbus', 'dbus-daemon'];
const plasma = [
  'plasmashell',
  'kwin_x11',
  'gdbus',
  'dbus-daemon',
  '/usr/bin/python3',
  'xdotool',
  'import',
];

/** A pop-up that has just appeared moves into its place, and takes no clicks yet, ms. */
const SETTLE_MS = 1_500;

const permission = sampleNotification({
  kind: 'needs.permission',
  severity: 'warning',
  title: 'shop needs permission · Fix the cart',
  body: 'Run: npm run migrate -- --to 41',
  groupKey: 'claude:s1',
});
const done = sampleNotification({
  kind: 'turn.done',
  severity: 'info',
  title: 'depot is done (4 min)',
  body: 'All 214 tests pass.',
  groupKey: 'claude:s2',
});
const decidable: Notification = {
  ...permission,
  decidable: {
    question: 'q-1',
    requestHash: 'a'.repeat(64),
    text: 'npm run migrate -- --to 41',
    choices: ['allow', 'deny'],
    asks: [],
  },
};

/** The channel on a desktop, and what it reports. */
interface Scene {
  readonly shell: Shell;
  readonly channel: Channel;
  readonly reaction: () => Promise<Reaction>;
  readonly worksAgain: () => Promise<unknown>;
}

const rows: readonly (readonly [name: string, play: (scene: Scene) => Promise<void>])[] = [
  [
    'two sessions are two pop-ups, a newer one of a session replaces the older, and both are withdrawn',
    async ({ shell, channel }) => {
      await shown(channel, permission);
      await until(async () => (await shell.count()) === 1);
      await shown(channel, { ...permission, body: 'Run: npm test' });
      const ref = await shown(channel, done);
      await until(async () => (await shell.count()) === 2);
      await channel.withdraw?.(ref, sendContext());
      await until(async () => (await shell.count()) === 1);
      const latest = await shown(channel, permission);
      if (values.pictures !== undefined) {
        await delay(SETTLE_MS);
        const name = `desktop-${shell.name.toLowerCase()}.png`;
        await shell.screenshot(join(resolve(values.pictures), name));
      }
      await channel.withdraw?.(latest, sendContext());
      await until(async () => (await shell.count()) === 0);
    },
  ],
  [
    'a click acknowledges, and the pop-up is gone',
    async ({ shell, channel, reaction }) => {
      await shown(channel, permission);
      await until(async () => (await shell.count()) === 1);
      await delay(SETTLE_MS);
      const reacted = reaction();
      await shell.click();
      assert.equal((await reacted).type, 'acknowledged');
      await until(async () => (await shell.count()) === 0);
    },
  ],
  [
    'its buttons allow and deny',
    async ({ shell, channel, reaction }) => {
      for (const [label, choice] of [
        ['Allow', 'allow'],
        ['Deny', 'deny'],
      ] as const) {
        await shown(channel, decidable);
        await until(async () => (await shell.count()) === 1);
        await delay(SETTLE_MS);
        const reacted = reaction();
        await shell.press(label);
        const decided = await reacted;
        assert.ok(decided.type === 'decided');
        assert.equal(decided.choice, choice);
        await until(async () => (await shell.count()) === 0);
      }
    },
  ],
  [
    '"do not disturb" hides news, which is not sent, and shows a question; its end is heard',
    async ({ shell, channel, worksAgain }) => {
      await shell.disturb(false);
      const isHidden = async (): Promise<boolean> => {
        const outcome = await channel.send(done, sendContext());
        if (outcome.type === 'delivered')
          await channel.withdraw?.(outcome.ref ?? '', sendContext());
        return outcome.type === 'retry' && outcome.hidden !== undefined;
      };
      await until(isHidden);
      await shown(channel, permission);
      await until(async () => (await shell.count()) === 1);
      const works = worksAgain();
      await shell.disturb(true);
      await works;
      const ref = await shown(channel, done);
      await until(async () => (await shell.count()) === 2);
      for (const one of [ref, await shown(channel, permission)])
        await channel.withdraw?.(one, sendContext());
      await until(async () => (await shell.count()) === 0);
    },
  ],
  [
    'after the shell was started again, pop-ups are shown and clicked as before',
    async ({ shell, channel, reaction }) => {
      await shell.restart();
      await until(async () => (await channel.send(permission, sendContext())).type === 'delivered');
      await until(async () => (await shell.count()) === 1);
      await delay(SETTLE_MS);
      const reacted = reaction();
      await shell.click();
      assert.equal((await reacted).type, 'acknowledged');
    },
  ],
];

process.exitCode = isIsolated() ? await examine() : await prepare();

async function prepare(): Promise<number> {
  await using directory = await temporaryDirectory();
  return await runIsolated({ TMPDIR: directory.path });
}

async function examine(): Promise<number> {
  let failed = 0;
  for (const [name, programs, open] of [
    ['GNOME', gnome, openGnome],
    ['Plasma', plasma, openPlasma],
  ] as const) {
    const missing = needs(...programs);
    if (missing === false) failed += await playOn(open);
    else process.stdout.write(`--  ${name}: left out: ${missing}\n`);
  }
  return failed === 0 ? 0 : 1;
}

/** Returns how many rows failed. */
async function playOn(open: () => Promise<Shell>): Promise<number> {
  await using shell = await open();
  const events = new EventEmitter();
  const channel = await desktop.create(
    desktop.options.parse({ backend: 'dbus' }),
    channelDependencies({
      env: shell.env,
      onReaction: (reaction) => events.emit('reaction', reaction),
      onWorksAgain: () => events.emit('works'),
    }),
  );
  const scene: Scene = {
    shell,
    channel,
    async reaction() {
      const [reaction]: Reaction[] = await once(events, 'reaction', patience());
      assert.ok(reaction);
      return reaction;
    },
    worksAgain: () => once(events, 'works', patience()),
  };
  let failed = 0;
  for (const [name, play] of rows) {
    const from = performance.now();
    try {
      await play(scene);
      const seconds = ((performance.now() - from) / 1_000).toFixed(1);
      process.stdout.write(`ok  ${shell.name}: ${name} (${seconds} s)\n`);
    } catch (error) {
      failed += 1;
      const reason = error instanceof Error ? error.message : String(error);
      process.stdout.write(`BAD ${shell.name}: ${name}: ${reason}\n`);
    }
  }
  await channel.close();
  return failed;
}

function patience() {
  return { signal: AbortSignal.timeout(30_000) };
}

/** Sends it; returns its reference. Plasma refuses one like the last that comes too soon: the daemon would try again. */
async function shown(channel: Channel, notification: Notification): Promise<string> {
  let outcome = await channel.send(notification, sendContext());
  await until(async () => {
    if (outcome.type !== 'delivered') outcome = await channel.send(notification, sendContext());
    return outcome.type === 'delivered';
  });
  assert.ok(outcome.type === 'delivered', JSON.stringify(outcome));
  return outcome.ref ?? assert.fail('It has no reference');
}
