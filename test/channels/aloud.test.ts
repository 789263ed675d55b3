import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import speech from '../../src/channels/speech.ts';
import { playSound } from '../../src/channels/support/play-sound.ts';
import { channelDependencies } from '../support/channel-dependencies.ts';
import { startDisplay } from '../support/display.ts';
import { startNotificationServer } from '../support/notification-server.ts';
import { createRecorder } from '../support/recorder.ts';
import { sampleNotification } from '../support/sample.ts';
import { soundPrograms, startSoundServer, toneFile } from '../support/sound-server.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { send } from './conformance.ts';
import { busEnvironment, createDesktop } from './desktop/bus-stage.ts';

const done = sampleNotification({ kind: 'turn.done', severity: 'info' });
const permission = sampleNotification({
  kind: 'needs.permission',
  title: 'shop needs permission · Fix the cart',
  asked: { action: 'run', text: 'npm publish', options: [] },
});

describe('on a real sound server', { timeout: 240_000 }, () => {
  test(
    'a file is heard once and for its length, on a real sound server, and only for its kind',
    { skip: needs(...soundPrograms, 'paplay', 'dbus-daemon') },
    async () => {
      await using sound = await startSoundServer();
      await using server = await startNotificationServer();
      await writeFile(join(sound.directory, 'tone.wav'), toneFile(1));
      const channel = await createDesktop(
        { backend: 'dbus', sounds: { 'turn.done': './tone.wav' } },
        { env: { ...busEnvironment(server), ...sound.env }, baseDir: sound.directory },
      );

      await send({ channel }, { ...done, quietly: true });
      await send({ channel }, permission);
      await send({ channel }, done);

      const heard = await sound.heard(1);
      await channel.close();
      assert.equal(heard.length, 1);
      const [{ loud } = { loud: 0 }] = heard;
      assert.ok(loud > 0.8 && loud < 1.3, `${loud} s`);
      // The desktop plays a sound for the other kinds only.
      const asked = server.calls.map(({ hints }) => hints['sound-name'] !== undefined);
      assert.deepEqual(asked, [false, true, false]);
    },
  );

  test(
    'a sound of the theme is heard by its name',
    { skip: needs(...soundPrograms, 'canberra-gtk-play', 'Xvfb') },
    async () => {
      await using sound = await startSoundServer();
      await using display = await startDisplay(sound.env);
      await using programs = await createRecorder();
      await programs.lend('canberra-gtk-play', '/usr/bin/canberra-gtk-play');
      const env = { ...sound.env, PATH: programs.directory, DISPLAY: display.name };

      const trouble = await playSound(
        'complete',
        { platform: 'linux', env, baseDir: '/' },
        AbortSignal.timeout(20_000),
      );

      assert.equal(trouble, null);
      assert.equal((await sound.heard(1)).length, 1);
    },
  );

  for (const program of ['espeak-ng', 'spd-say'] as const) {
    test(
      `${program}: one sentence is audible, once, and of its length; hostile texts are words`,
      { skip: needs(...soundPrograms, program, 'espeak-ng') },
      async () => {
        await using sound = await startSoundServer();
        await using programs = await createRecorder();
        await programs.lend(program, `/usr/bin/${program}`);
        const env = { ...sound.env, PATH: programs.directory };
        const channel = await speech.create({ when_locked: false }, channelDependencies({ env }));
        const before = await readdir(sound.directory);

        assert.equal((await send({ channel }, permission)).type, 'delivered');
        const alone = await sound.heard(1);
        const hostile = [`-w ${sound.directory}/x.wav`, '!-!QUIT', '<audio src="/x"/>'];
        for (const [index, title] of hostile.entries()) {
          const outcome = await send({ channel }, sampleNotification({ title }));
          assert.equal(outcome.type, 'delivered', title);
          // Silence lies between this one and the next.
          assert.equal((await sound.heard(index + 2)).length, index + 2, title);
        }

        const [{ loud } = { loud: 0 }, ...others] = alone;
        assert.deepEqual(others, []);
        assert.ok(loud > 1.6 && loud < 4, `${loud} s`);
        assert.deepEqual(newIn(await readdir(sound.directory), before), []);
      },
    );
  }

  test(
    'without a sound server, espeak-ng reports an error although it exits with 0',
    { skip: needs('espeak-ng') },
    async () => {
      await using place = await temporaryDirectory();
      await using programs = await createRecorder();
      await programs.lend('espeak-ng', '/usr/bin/espeak-ng');
      const env = { PATH: programs.directory, HOME: place.path, XDG_RUNTIME_DIR: place.path };
      const channel = await speech.create({ when_locked: false }, channelDependencies({ env }));

      const outcome = await send({ channel }, permission);

      const reason = 'Cannot speak: "espeak-ng" reports an error';
      assert.deepEqual(outcome, { type: 'retry', reason });
    },
  );
});

/** Without what the sound server and the dispatcher make there. */
function newIn(after: readonly string[], before: readonly string[]): readonly string[] {
  return after.filter((name) => !before.includes(name) && !/^(?:\.|speech-dispatcher$)/.test(name));
}
