import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createServerClock } from '../../../src/store/postgres/server-watch.ts';

function clockAt() {
  const time = { ms: 0 };
  const clock = createServerClock(() => time.ms);
  /** The server had this time at some moment of the last `tookMs`. */
  function answer(at: number, tookMs: number): void {
    time.ms += tookMs;
    clock.set(at, tookMs);
  }
  return { time, clock, answer };
}

test('the clock of a server is in the middle of the first answer, and goes on by itself', () => {
  const { time, clock, answer } = clockAt();

  answer(1_000_000, 10);

  assert.equal(clock.now(), 1_000_005);
  time.ms += 700;
  assert.equal(clock.now(), 1_000_705);
});

test('a slow answer does not move it by what it does not prove, a quicker one does', () => {
  const { clock, answer } = clockAt();
  answer(1_000_000, 2);
  assert.equal(clock.now(), 1_000_001);

  // It may have had this time 4 s ago, or now.
  answer(1_000_003, 4_000);
  assert.equal(clock.now(), 1_004_001);

  // 9 ms later than it was thought to be.
  answer(1_004_011, 2);
  assert.equal(clock.now(), 1_004_012);
});

test('it steps back when the clock of the server is set back, and stays for less than 2 s', () => {
  const { clock, answer } = clockAt();
  answer(1_000_000, 2);
  assert.equal(clock.now(), 1_000_001);

  answer(999_000, 2);
  assert.equal(clock.now(), 1_000_001);

  answer(400_000, 2);
  assert.equal(clock.now(), 400_001);
});
