import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { playSound } from '../../../src/channels/support/play-sound.ts';
import { startNotificationServer } from '../../support/notification-server.ts';
import { createRecorder } from '../../support/recorder.ts';
import { sampleNotification } from '../../support/sample.ts';
import { needs } from '../../support/system-part.ts';
import { send } from '../conformance.ts';
import { busEnvironment, createDesktop } from './bus-stage.ts';

const done = sampleNotification({ kind: 'turn.done', severity: 'info' });
const asks = sampleNotification({ kind: 'needs.permission' });

describe('sounds of the desktop channel', { skip: needs('dbus-daemon') }, () => {
  test('the best player is used, a failing one passed over, and of waiting sounds only the last is played', async () => {
    await using server = await startNotificationServer();
    await using programs = await createRecorder();
    await programs.add('canberra-gtk-play', { script: 'exit 1' });
    await programs.add('paplay', { script: `while [ ! -e "$0.go" ]; do /bin/sleep 0.02; done` });
    const channel = await createDesktop(
      { backend: 'dbus', sounds: { 'turn.done': 'complete', 'needs.permission': '~/-x.wav' } },
      { env: { ...busEnvironment(server), PATH: programs.directory, HOME: '/home/dev' } },
    );

    await send({ channel }, done);
    await programs.reached('paplay', 1);
    for (const next of [done, done, asks]) await send({ channel }, next);
    await writeFile(join(programs.directory, 'paplay.go'), '');
    await programs.reached('paplay', 2);
    await channel.close();

    const played = (name: string) => programs.runs(name).map((run) => run.arguments);
    assert.deepEqual(played('canberra-gtk-play'), [
      ['-i', 'complete'],
      ['-f', '/home/dev/-x.wav'],
    ]);
    assert.deepEqual(played('paplay'), [
      ['/usr/share/sounds/freedesktop/stereo/complete.oga'],
      ['/home/dev/-x.wav'],
    ]);
  });

  for (const [platform, program, words, input] of [
    ['darwin', 'afplay', /^\/System\/Library\/Sounds\/Glass\.aiff$/, /^$/],
    [
      'win32',
      'System32/WindowsPowerShell/v1.0/powershell.exe',
      /Media\.SoundPlayer/,
      /^\{"file":".*Media.*Glass\.wav"\}\n$/,
    ],
  ] as const) {
    test(`on ${platform}, ${program} plays a sound of the system`, async () => {
      await using programs = await createRecorder();
      await mkdir(dirname(join(programs.directory, program)), { recursive: true });
      await programs.add(program, { readsInput: true });

      const trouble = await playSound(
        'Glass',
        {
          platform,
          env: { PATH: programs.directory, SystemRoot: programs.directory },
          baseDir: '/',
        },
        AbortSignal.timeout(20_000),
      );

      assert.equal(trouble, null);
      const [run] = programs.runs(program);
      const last = run?.arguments.at(-1) ?? '';
      const said = platform === 'win32' ? Buffer.from(last, 'base64').toString('utf16le') : last;
      assert.match(said, words);
      assert.match(run?.input ?? '', input);
    });
  }

  test('the check says which sound cannot be played', async () => {
    await using server = await startNotificationServer();
    const channel = await createDesktop(
      { backend: 'dbus', sounds: { 'turn.done': 'none.wav' } },
      { env: busEnvironment(server) },
    );

    const { ok, summary } = await channel.check(AbortSignal.timeout(20_000));

    await channel.close();
    assert.equal(ok, true);
    assert.match(summary, /a sound cannot be played: "\/nonexistent\/config\/none.wav" cannot be/);
  });
});
