import assert from 'node:assert/strict';
import { test } from 'node:test';

import { localTimeText, readSince, withLocalTimes } from '../../src/cli/time-text.ts';
import { ageText } from '../../src/text/duration.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

for (const [ms, text] of [
  [-5, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [4 * 60_000 + 59_000, '4 min'],
  [HOUR, '1 h'],
  [47 * HOUR, '47 h'],
  [48 * HOUR, '2 d'],
] as const) {
  test(`ageText() says "${text}" for ${ms} ms`, () => {
    assert.equal(ageText(ms), text);
  });
}

test('readSince() reads "today" and "yesterday" as the midnights of the calendar', () => {
  const today = new Date();
  today.setHours(0, 0, 0, 0);
  const yesterday = new Date(today);
  yesterday.setDate(yesterday.getDate() - 1);

  assert.deepEqual(
    ['today', 'Yesterday'].map((text) => readSince(text)),
    [today.getTime(), yesterday.getTime()],
  );
});

test('localTime() names the day unless it is today', () => {
  const at = new Date(2026, 2, 1, 9, 5, 7);
  const sameDay = new Date(2026, 2, 1, 23, 59).getTime();
  const nextDay = new Date(2026, 2, 2, 0, 0).getTime();

  assert.equal(localTimeText(at.toISOString(), sameDay), '09:05:07');
  assert.equal(localTimeText(at.toISOString(), nextDay), '2026-03-01 09:05:07');
});

test('withLocalTimes() turns each UTC time of a reason into a local one, and leaves all other text', () => {
  const at = new Date(2026, 2, 1, 9, 5, 7);
  const now = new Date(2026, 2, 1, 12, 0).getTime();
  const reason = `Quiet hours until ${at.toISOString()}: "2026-13-40T99:00:00Z" is held`;

  assert.equal(
    withLocalTimes(reason, now),
    'Quiet hours until 09:05:07: "2026-13-40T99:00:00Z" is held',
  );
});
