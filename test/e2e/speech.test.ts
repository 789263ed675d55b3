import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { takeLock } from '../../src/daemon/lock.ts';
import { hookbellHome, type HookbellHome, until } from '../support/hookbell-home.ts';
import { createRecorder, type Recorder } from '../support/recorder.ts';
import { type SoundServer, soundPrograms, startSoundServer } from '../support/sound-server.ts';
import { needs } from '../support/system-part.ts';

/** A daemon that speaks, with espeak-ng. */
async function speakingHome(
  sound: SoundServer,
  programs: Recorder,
  more = '',
): Promise<HookbellHome> {
  const place = await hookbellHome();
  await programs.add('spd-say', { script: 'exit 1' });
  place.env['XDG_RUNTIME_DIR'] = sound.directory;
  place.env['PATH'] = `${programs.directory}:${place.env['PATH']}`;
  await place.writeConfig(`
channels:
  voice: { type: speech }
routes: [{ match: { kind: [waiting, done] }, notify: voice }]
${more}`);
  await place.start();
  return place;
}

function asks(place: HookbellHome, id: string) {
  const command = { command: 'npm publish' };
  const request = { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: command };
  return place.hook({ session_id: id, cwd: `/home/dev/${id}`, ...request });
}

async function stateOf(place: HookbellHome, id: string): Promise<readonly (string | null)[]> {
  const events = await place.ask('GET /v1/history');
  const own = events.filter(({ sessionId }) => sessionId === id);
  const [first] = own.flatMap(({ deliveries }) => deliveries);
  return [first?.state ?? null, first?.reason ?? null];
}

const isIn = (place: HookbellHome, id: string, state: string) => async () =>
  (await stateOf(place, id))[0] === state;

/** The time of the day, some hours from now. */
const clockIn = (hours: number) =>
  new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);

const isHeld = (place: HookbellHome, by: string) => async () => {
  const pending = await place.ask('GET /v1/queue', { query: { state: 'pending' } });
  return pending.some(({ heldFor }) => heldFor === by);
};

describe(
  'speech by the daemon, on a real sound server',
  { skip: needs(...soundPrograms, 'espeak-ng', 'pgrep'), timeout: 240_000 },
  () => {
    test('two daemons speak one after the other, and never at the same time', async () => {
      await using sound = await startSoundServer();
      await using programs = await createRecorder();
      await using one = await speakingHome(sound, programs);
      await using other = await speakingHome(sound, programs);

      await Promise.all([asks(one, 'shop'), asks(other, 'shop')]);
      await until(isIn(one, 'shop', 'sent'));
      await until(isIn(other, 'shop', 'sent'));

      const heard = await sound.heard(1);
      const loud = heard.reduce((sum, next) => sum + next.loud, 0);
      // espeak-ng says it in 2.15 s. At the same time both would be heard for less than twice as long.
      assert.ok(loud > 4 && loud < 6, `${loud} s`);
    });

    test('what is answered before it is spoken, is muted or comes over a locked screen is not heard', async () => {
      await using sound = await startSoundServer();
      await using programs = await createRecorder();
      await using place = await speakingHome(sound, programs);

      const voice = await takeLock(join(sound.directory, 'hookbell-voice'));
      await asks(place, 'answered');
      await until(
        async () => (await stateOf(place, 'answered'))[1] === 'Another message is being spoken',
      );
      await place.hook({
        session_id: 'answered',
        hook_event_name: 'UserPromptSubmit',
        prompt: 'x',
      });
      await until(isIn(place, 'answered', 'cancelled'));
      voice?.release();
      await place.cli('mute', '1h', '--project', 'muted');
      await asks(place, 'muted');
      await until(isHeld(place, 'mute'));
      const locker = join(programs.directory, 'swaylock');
      await copyFile('/bin/sleep', locker);
      const locked = spawn(locker, ['600']);
      await asks(place, 'locked');
      await until(
        async () => (await stateOf(place, 'locked'))[1] === 'Not spoken: the screen is locked',
      );
      await until(isHeld(place, 'hidden'));
      locked.kill();

      // Only this one is left, which was to be heard once the screen is unlocked.
      await until(isIn(place, 'locked', 'sent'));
      assert.equal((await sound.heard(1)).length, 1);
    });

    test('quiet hours hold it', async () => {
      await using sound = await startSoundServer();
      await using programs = await createRecorder();
      const hours = `quiet_hours: { from: "${clockIn(-2)}", to: "${clockIn(2)}", timezone: UTC }`;
      await using place = await speakingHome(sound, programs, hours);

      await asks(place, 'shop');
      await until(isHeld(place, 'quiet'));
      await place.writeConfig('channels: { voice: { type: speech } }\nroutes: [{ notify: voice }]');
      await until(isIn(place, 'shop', 'sent'));

      assert.equal((await sound.heard(1)).length, 1);
    });
  },
);
