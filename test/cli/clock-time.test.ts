import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nextClockTime } from '../../src/cli/clock-time.ts';

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
