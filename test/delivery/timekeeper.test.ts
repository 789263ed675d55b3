import assert from 'node:assert/strict';
import { test } from 'node:test';

import { unknownPresence } from '../../src/core/policy.ts';
import { StoreError } from '../../src/core/store-aging.ts';
import { noTraffic } from '../../src/core/due.ts';
import {
  createTimekeeper,
  type Seen,
  type TimekeeperOptions,
} from '../../src/delivery/timekeeper.ts';
import { manualClock } from '../support/manual-clock.ts';
import { sampleSession } from '../support/store.ts';

/** A timekeeper on a manual clock, and a store in which something is due at the times given. */
function bench(times: number[], options: Partial<TimekeeperOptions> = {}) {
  const clock = manualClock(0);
  const fired: number[] = [];
  const seen: Seen[] = [];
  let released = 0;
  let isBroken = false;
  const timekeeper = createTimekeeper({
    alerts: { expire: async () => 0 },
    held: {
      async nextTimer() {
        if (isBroken) throw new StoreError('full', 'No space left');
        return times.length === 0 ? null : Math.min(...times);
      },
      dueSessions: async () => [sampleSession()],
      async releaseDue(now, decide) {
        fired.push(now);
        decide({ due: [], mutes: [], traffic: () => noTraffic });
        const due = times.filter((at) => at <= now);
        times.splice(0, times.length, ...times.filter((at) => at > now));
        return due.length;
      },
    },
    decideDue: (found) => {
      seen.push(found);
      return () => [];
    },
    programChannels: () => [],
    now: clock.now,
    random: () => 0.5,
    startTimer: clock.startTimer,
    onReleased: () => (released += 1),
    ...options,
  });
  return {
    clock,
    fired,
    seen,
    timekeeper,
    released: () => released,
    breakDown: (broken: boolean) => (isBroken = broken),
  };
}

test('timekeeper fires when something is due, and then says that the outbox has changed', async () => {
  const { clock, fired, timekeeper, released } = bench([5_000, 7_000]);
  timekeeper.start();

  await clock.advance(4_999);
  assert.deepEqual([fired, released()], [[], 0]);
  await clock.advance(10_000);

  assert.deepEqual([fired, released()], [[5_000, 7_000], 2]);
  await timekeeper.stop();
  assert.equal(clock.pending, 0);
});

test('timekeeper learns by wake() of what is due sooner than it knew', async () => {
  const times = [20_000];
  const { clock, fired, timekeeper } = bench(times);
  timekeeper.start();
  await clock.advance(1_000);

  times.push(2_000);
  timekeeper.wake();
  await clock.advance(1_000);

  assert.deepEqual(fired, [2_000]);
  await timekeeper.stop();
});

test('timekeeper notices within half a minute that the clock has jumped ahead (faults 26, 27)', async () => {
  const { clock, fired, timekeeper } = bench([3_600_000]);
  timekeeper.start();
  await clock.advance(1_000);

  clock.jump(3_600_000);
  await clock.advance(30_000);

  assert.equal(fired.length, 1);
  await timekeeper.stop();
});

test('timekeeper goes on, more and more slowly, while the store fails', async () => {
  const { clock, fired, timekeeper, breakDown } = bench([1_000]);
  breakDown(true);
  timekeeper.start();
  await clock.advance(60_000);
  assert.deepEqual(fired, []);

  breakDown(false);
  await clock.advance(30_000);

  assert.equal(fired.length, 1);
  await timekeeper.stop();
});

test('timekeeper asks which sessions run before it decides; without an answer in two seconds, or with trouble, that is unknown', async () => {
  const answered = bench([0], { askRunning: async () => () => 'yes' });
  const hung = bench([0], { askRunning: () => new Promise(() => {}) });
  const failed = bench([0], { askRunning: () => Promise.reject(new Error('No')) });
  for (const { timekeeper, clock } of [answered, hung, failed]) {
    timekeeper.start();
    await clock.advance(2_000);
  }

  const words = [answered, hung, failed].map(({ seen }) => seen[0]?.runningOf('claude:s1'));
  assert.deepEqual(words, ['yes', 'unknown', 'unknown']);
  for (const { timekeeper } of [answered, hung, failed]) await timekeeper.stop();
});

test('timekeeper looks who is here before it decides, and gives up looking after two seconds', async () => {
  const here = { isPresent: true, watching: null };
  const sees = bench([0], { look: async () => () => here });
  const blind = bench([0], { look: () => new Promise(() => {}) });
  sees.timekeeper.start();
  blind.timekeeper.start();
  await sees.clock.advance(0);
  await blind.clock.advance(1_999);
  assert.equal(blind.fired.length, 0);
  await blind.clock.advance(1);

  assert.deepEqual(sees.seen[0]?.presenceOf('claude:s1'), here);
  assert.deepEqual(blind.seen[0]?.presenceOf('claude:s1'), unknownPresence);
  await sees.timekeeper.stop();
  await blind.timekeeper.stop();
});
