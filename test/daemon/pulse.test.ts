import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ACTIVE_BEAT_MS, createPulse, IDLE_BEAT_MS } from '../../src/daemon/pulse.ts';
import { silentLog } from '../../src/platform/log.ts';

/** A pulse on a timer that the test fires. */
function stage() {
  const planned: number[] = [];
  let fire: (() => void) | null = null;
  let isActive = false;
  const warnings: unknown[] = [];
  const pulse = createPulse({
    isActive: () => Promise.resolve(isActive),
    log: { ...silentLog, warn: (fields) => void warnings.push(fields) },
    startTimer(ms, callback) {
      planned.push(ms);
      fire = callback;
      return () => (fire = null);
    },
  });
  return {
    pulse,
    planned,
    warnings,
    hasTimer: () => fire !== null,
    setActive: (is: boolean) => void (isActive = is),
    async beat() {
      const due = fire ?? assert.fail('no timer runs');
      fire = null;
      due();
      await new Promise(setImmediate);
    },
  };
}

test('createPulse() beats once a minute while no session works or waits, and every five seconds while one does', async () => {
  const on = stage();
  const beats: number[] = [];
  on.pulse.onBeat('check', (plannedMs) => void beats.push(plannedMs));
  on.pulse.start();

  await on.beat();
  await on.beat();
  on.setActive(true);
  await on.beat();
  await on.beat();

  assert.deepEqual(on.planned.slice(1), [
    IDLE_BEAT_MS,
    IDLE_BEAT_MS,
    ACTIVE_BEAT_MS,
    ACTIVE_BEAT_MS,
  ]);
  assert.deepEqual(beats, on.planned.slice(0, 4));
});

test('stir() makes the next beat come soon, also from the middle of a long sleep, and once', async () => {
  const on = stage();
  on.pulse.start();
  await on.beat();
  assert.equal(on.planned.at(-1), IDLE_BEAT_MS);

  on.pulse.stir();
  assert.equal(on.planned.at(-1), ACTIVE_BEAT_MS);
  on.pulse.stir();
  assert.equal(on.planned.length, 3);
  await on.beat();
  await on.beat();

  assert.deepEqual(on.planned.slice(2), [ACTIVE_BEAT_MS, ACTIVE_BEAT_MS, IDLE_BEAT_MS]);
});

test('a check that hangs or fails keeps neither the others nor the next beat, and does not run twice at a time', async () => {
  const on = stage();
  const runs = { hung: 0, failed: 0, other: 0 };
  on.pulse.onBeat('hung', () => {
    runs.hung += 1;
    return new Promise(() => {});
  });
  on.pulse.onBeat('failed', () => {
    runs.failed += 1;
    throw new Error('no');
  });
  on.pulse.onBeat('other', () => (runs.other += 1));
  on.pulse.start();

  await on.beat();
  await on.beat();

  assert.deepEqual(runs, { hung: 1, failed: 2, other: 2 });
  assert.equal(on.warnings.length, 2);
});

test('stop() ends it, also during a beat', async () => {
  const on = stage();
  on.pulse.onBeat('stop', () => on.pulse.stop());
  on.pulse.start();

  await on.beat();

  assert.equal(on.hasTimer(), false);
});
