import assert from 'node:assert/strict';
import { test } from 'node:test';

import { silentLog } from '../../src/platform/log.ts';
import type { Session } from '../../src/core/session.ts';
import type { SessionEnd } from '../../src/core/alert.ts';
import type { SessionReaper } from '../../src/daemon/session-reaper.ts';
import { createSessionReaper } from '../../src/daemon/session-reaper.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { NOW, sampleSession } from '../support/store.ts';

const MINUTE_MS = 60_000;
const AGENT = 4_242;

interface Watched {
  readonly watch: SessionReaper;
  readonly clock: ManualClock;
  readonly ended: SessionEnd[];
  readonly living: Set<number>;
  /** Keys of sessions whose pane is gone. */
  readonly gonePanes: Set<string>;
  now: number;
  session: Session;
}

/** A watch over one session of a droid whose hook was run by process 4242, which lives. */
function watched(fields: Partial<Session> = {}): Watched {
  const living = new Set([AGENT]);
  const ended: SessionEnd[] = [];
  const gonePanes = new Set<string>();
  const clock = manualClock();
  const scene: Omit<Watched, 'watch'> = {
    clock,
    ended,
    living,
    gonePanes,
    now: NOW + MINUTE_MS,
    session: sampleSession({ agent: 'droid', facts: { ppid: String(AGENT) }, ...fields }),
  };
  const watch = createSessionReaper({
    store: {
      sessions: { list: async () => [scene.session] },
      alerts: { endSession: async (end) => ended.push(end) > 0 },
    },
    isAlive: (pid) => living.has(pid),
    gonePanes: async () => gonePanes,
    programChannels: () => ['log'],
    now: () => scene.now,
    log: silentLog,
    onEnded: () => {},
    startTimer: clock.startTimer,
  });
  return Object.assign(scene, { watch });
}

test('createSessionReaper() ends a session whose agent outlived its hook and is gone now', async () => {
  const scene = watched();
  await scene.watch.run();
  assert.deepEqual(scene.ended, []);

  scene.living.clear();
  await scene.watch.run();

  assert.deepEqual(
    scene.ended.map(({ key, state, exceptChannels }) => [key, state, exceptChannels]),
    [['claude:s1', 'ended', ['log']]],
  );
});

test('createSessionReaper() ends a run that dies in its first minute, before the first run of the watch (E22)', async () => {
  const scene = watched();
  scene.now = NOW;
  scene.watch.noteEvents();
  scene.now = NOW + 16_000;
  await scene.clock.advance(16_000);

  scene.living.clear();
  scene.now = NOW + MINUTE_MS;
  await scene.watch.run();

  assert.deepEqual(
    scene.ended.map(({ reason }) => reason),
    ["The agent's process is gone"],
  );
});

test('createSessionReaper() looks again for events that came after the first of a storm, and then rests', async () => {
  const scene = watched();
  scene.watch.noteEvents();
  scene.watch.noteEvents();
  assert.equal(scene.clock.pending, 1);
  await scene.clock.advance(10_000);
  scene.watch.noteEvents();

  await scene.clock.advance(6_000);
  assert.equal(scene.clock.pending, 1);
  await scene.clock.advance(16_000);
  assert.equal(scene.clock.pending, 0);
});

test('createSessionReaper() does not take the shell of a hook for the agent', async () => {
  const scene = watched();
  scene.now = NOW + 1_000;
  await scene.watch.run();

  scene.living.clear();
  scene.now += MINUTE_MS;
  await scene.watch.run();

  assert.deepEqual(scene.ended, []);
});

test('createSessionReaper() does not take the shell of a later hook for the agent either', async () => {
  const scene = watched();
  await scene.watch.run();

  scene.session = { ...scene.session, facts: { ppid: '5151' } };
  await scene.watch.run();

  assert.deepEqual(scene.ended, []);
});

test('createSessionReaper() trusts the process id that Claude Code reports immediately', async () => {
  const scene = watched({ agent: 'claude', facts: { claude_pid: '99', ppid: String(AGENT) } });

  await scene.watch.run();

  assert.equal(scene.ended.length, 1);
});

test('createSessionReaper() knows that other agents only inherit the process id of Claude Code', async () => {
  const scene = watched({ agent: 'droid', facts: { claude_pid: '99', ppid: String(AGENT) } });

  await scene.watch.run();

  assert.deepEqual(scene.ended, []);
});

test('createSessionReaper() ends by the silence what has no process to look at', async () => {
  const scene = watched({ facts: {} });
  scene.now = NOW + 6 * 60 * MINUTE_MS;

  await scene.watch.run();

  assert.equal(scene.ended[0]?.state, 'done');
});

test('createSessionReaper() ends a session whose pane is gone, unless its agent is seen to live', async () => {
  const unseen = watched({ facts: {} });
  const living = watched();

  for (const { watch, gonePanes } of [unseen, living]) {
    gonePanes.add('claude:s1');
    await watch.run();
  }

  assert.deepEqual(
    unseen.ended.map(({ state, reason }) => [state, reason]),
    [['ended', "The agent's tmux pane is gone"]],
  );
  assert.deepEqual(living.ended, []);
});
