import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { PresenceOptions } from '../../src/attention/presence-sources.ts';
import { dependsOnPresence, presenceHere } from '../../src/attention/presence-sources.ts';
import type { PresenceWatch } from '../../src/attention/presence.ts';
import { samplePolicy } from '../support/decisions.ts';
import type { Recorder } from '../support/recorder.ts';
import { createRecorder } from '../support/recorder.ts';
import { sampleSession } from '../support/store.ts';

function linux({ directory }: Recorder, options: Partial<PresenceOptions> = {}): PresenceWatch {
  const env = { PATH: directory, SECRET: 'hunter2' };
  return presenceHere({ env, platform: 'linux', now: Date.now, patienceMs: 5_000, ...options });
}

test('presenceHere() believes the programs of the machine, and gives them no secrets', async () => {
  await using programs = await createRecorder();
  await programs.add('busctl', {
    script: 'case "$*" in *GetIdletime) echo "t 4000";; *) exit 1;; esac',
  });

  const presenceOf = await linux(programs).look([sampleSession()]);

  assert.deepEqual(presenceOf('claude:s1'), { isPresent: true, watching: null });
  const runs = programs.runs('busctl');
  assert.equal(runs.length, 4);
  assert.ok(runs.every(({ env }) => !env.join().includes('hunter2')));
});

test('presenceHere() knows nothing where the programs are missing or do not answer in time', async () => {
  await using programs = await createRecorder();
  const unknown = { isPresent: null, watching: null };
  const sessions = [sampleSession({ key: 'a' })];
  assert.deepEqual((await linux(programs).look(sessions))('a'), unknown);

  await programs.add('busctl', { script: 'echo "t 4000"; exec /bin/sleep 600' });

  assert.deepEqual((await linux(programs, { patienceMs: 100 }).look(sessions))('a'), unknown);
  const checks = await linux(programs, { patienceMs: 100 }).check();
  assert.deepEqual(
    checks.map(({ source, works }) => [source, works]),
    [
      ['screen lock', false],
      ['idle time', false],
      ['tmux focus', false],
      ['X11 focus', false],
    ],
  );
});

test('dependsOnPresence() is true only where something is kept back because of it', () => {
  const step = { afterMs: 0, notify: ['team'], repeat: null };
  const policy = { ...samplePolicy, whenWatching: 'ring', plans: {} } as const;
  const away = { name: 'p', steps: [{ ...step, condition: { presence: 'away' } }] } as const;
  const attended = { name: 'p', steps: [{ ...step, condition: { attended: true } }] };

  assert.equal(dependsOnPresence({ ...policy, plans: { p: attended } }), false);
  assert.equal(dependsOnPresence({ ...policy, plans: { p: away } }), true);
  assert.equal(dependsOnPresence({ ...policy, whenWatching: 'soften' }), true);
});
