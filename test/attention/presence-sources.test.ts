import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import type { PresenceOptions } from '../../src/attention/presence-sources.ts';
import { dependsOnPresence, presenceHere } from '../../src/attention/presence-sources.ts';
import type { PresenceWatch } from '../../src/attention/presence.ts';
import { startBusService } from '../support/bus-service.ts';
import { startSessionBus } from '../support/session-bus.ts';
import { needs } from '../support/system-part.ts';
import { samplePolicy } from '../support/decisions.ts';
import type { Recorder } from '../support/recorder.ts';
import { createRecorder } from '../support/recorder.ts';
import { sampleSession } from '../support/store.ts';

const skip = needs('dbus-daemon');

/** On a machine without the user's own buses. */
function linux(
  { directory }: Recorder,
  { env, ...options }: Partial<PresenceOptions> = {},
): PresenceWatch {
  const none = join(directory, 'none');
  return presenceHere({
    env: { PATH: directory, XDG_RUNTIME_DIR: none, SECRET: 'hunter2', ...env },
    systemSocket: none,
    platform: 'linux',
    now: Date.now,
    patienceMs: 5_000,
    ...options,
  });
}

test('presenceHere() believes the services of the desktop', { skip }, async () => {
  await using programs = await createRecorder();
  await using bus = await startSessionBus();
  const monitor = 'org.gnome.Mutter.IdleMonitor';
  let idleMs = 4_000n;
  await using _desktop = await startBusService(join(bus.directory, 'bus'), [monitor], () => ({
    signature: 't',
    body: [idleMs],
  }));
  const presence = linux(programs, { env: { DBUS_SESSION_BUS_ADDRESS: bus.address } });
  const look = async () => (await presence.look([sampleSession()]))('claude:s1');
  assert.deepEqual(await look(), { isPresent: true, watching: null });

  idleMs = 200_000n;

  assert.deepEqual(await look(), { isPresent: false, watching: null });
});

test('presenceHere() believes the programs of the machine, and gives them no secrets', async () => {
  await using programs = await createRecorder();
  await programs.add('xprintidle', { script: 'echo 4000' });

  const presenceOf = await linux(programs).look([sampleSession()]);

  assert.deepEqual(presenceOf('claude:s1'), { isPresent: true, watching: null });
  const runs = programs.runs('xprintidle');
  assert.equal(runs.length, 1);
  assert.ok(runs.every(({ env }) => !env.join().includes('hunter2')));
});

test('presenceHere() knows nothing where the programs are missing or do not answer in time', async () => {
  await using programs = await createRecorder();
  const unknown = { isPresent: null, watching: null };
  const sessions = [sampleSession({ key: 'a' })];
  assert.deepEqual((await linux(programs).look(sessions))('a'), unknown);

  await programs.add('xprintidle', { script: 'echo 4000; exec /bin/sleep 600' });

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
