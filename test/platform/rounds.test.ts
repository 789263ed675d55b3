import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createRounds, keepConnected } from '../../src/platform/rounds.ts';
import type { StartTimer } from '../../src/platform/time.ts';
import { deferred } from '../support/deferred.ts';

/** Sleeps end immediately; their lengths are recorded. */
function recordedSleeps(): { readonly slept: number[]; readonly startTimer: StartTimer } {
  const slept: number[] = [];
  return {
    slept,
    startTimer(ms, callback) {
      slept.push(ms);
      setImmediate(callback);
      return () => undefined;
    },
  };
}

test('createRounds() sleeps as long as a round says, at most the longest time, and longer after each trouble', async () => {
  const { slept, startTimer } = recordedSleeps();
  const results = [5, 70_000, new Error('a'), new Error('b'), 7];
  const troubles: unknown[] = [];
  await new Promise<void>((resolve) => {
    const rounds = createRounds({
      round() {
        const result = results.shift();
        if (result === undefined) {
          void rounds.stop().then(resolve);
          return Promise.resolve(0);
        }
        return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
      },
      onTrouble: (error, count) => troubles.push([String(error), count]),
      longestMs: 60_000,
      random: () => 0.5,
      startTimer,
    });
    rounds.start();
  });

  assert.deepEqual(slept, [5, 60_000, 1_000, 2_000, 7]);
  assert.deepEqual(troubles, [
    ['Error: a', 1],
    ['Error: b', 2],
  ]);
});

test('createRounds() sleeps after a trouble only when that was handled', async () => {
  const { slept, startTimer } = recordedSleeps();
  const handled = deferred();
  const begun = deferred();
  const rounds = createRounds({
    round: () => Promise.reject(new Error('x')),
    onTrouble() {
      begun.resolve();
      return handled.promise;
    },
    random: () => 0.5,
    startTimer,
  });
  rounds.start();
  await begun.promise;
  assert.deepEqual(slept, []);

  const stopped = rounds.stop();
  handled.resolve();
  await stopped;
});

test('keepConnected() waits as asked, otherwise longer after each failure, until its signal', async () => {
  const { slept, startTimer } = recordedSleeps();
  const closing = new AbortController();
  const ends = [
    { wasOpen: false, afterMs: null },
    { wasOpen: false, afterMs: 90_000 },
    { wasOpen: true, afterMs: 100 },
  ];
  let connects = 0;

  await keepConnected(
    () => {
      connects += 1;
      const end = ends.shift();
      if (end === undefined) closing.abort();
      return Promise.resolve(end ?? { wasOpen: true, afterMs: null });
    },
    { longestMs: 15_000, startTimer, signal: closing.signal },
  );

  assert.equal(connects, 4);
  const [first = 0, ...others] = slept;
  assert.ok(first >= 250 && first <= 2_000);
  assert.deepEqual(others, [90_000, 100]);
});
