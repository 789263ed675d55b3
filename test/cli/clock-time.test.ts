import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nextClockTime, readTime } from '../../src/cli/time-text.ts';

test('nextClockTime() is later today, or tomorrow when that time is over or now', () => {
  const now = new Date(2026, 0, 31, 12, 0).getTime();

  assert.equal(nextClockTime('18:00', now), new Date(2026, 0, 31, 18, 0).getTime());
  assert.equal(nextClockTime('9:30', now), new Date(2026, 1, 1, 9, 30).getTime());
  assert.equal(nextClockTime('12:00', now), new Date(2026, 1, 1, 12, 0).getTime());
});

for (const text of ['24:00', '18:60', '18', 'noon', '']) {
  test(`nextClockTime() refuses "${text}"`, () => {
    assert.throws(() => nextClockTime(text, 0), { name: 'UsageError' });
  });
}

test('readTime() takes a time of today and a whole one', () => {
  const now = new Date(2026, 0, 31, 12, 0).getTime();

  assert.equal(readTime('9:30', now), new Date(2026, 0, 31, 9, 30).getTime());
  assert.equal(readTime('2026-01-05T22:30', now), new Date(2026, 0, 5, 22, 30).getTime());
  assert.equal(readTime('2026-01-05T22:30Z', now), Date.UTC(2026, 0, 5, 22, 30));
});

for (const text of ['25:00', '22:60', '22', 'May 5', '2026-13-05T22:30', '']) {
  test(`readTime() refuses "${text}"`, () => {
    assert.throws(() => readTime(text, 0), { name: 'UsageError' });
  });
}
