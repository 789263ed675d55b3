import assert from 'node:assert/strict';
import { test } from 'node:test';

import { addDays } from '../../../src/vendor/client/index.ts';
import { TokenRow } from '../../../src/vendor/client/analytics/rows.ts';
import { peopleWithCredits, personalDigest } from '../../../src/vendor/reports/digest-people.ts';

/** Fifteen days up to the 15th; Ann used ten times the number of the day, Bob nothing on the last. */
const rows = Array.from({ length: 15 }, (_, index) =>
  TokenRow.parse({
    date: addDays('2026-04-01', index),
    billable_tokens: 1_000,
    by_user: [
      { user_email: 'Ann@example.com', user_id: 'u1', billable_tokens: 10 * (index + 1) },
      { user_email: null, user_id: 'u2', billable_tokens: index === 14 ? 0 : 5 },
    ],
  }),
);

test('peopleWithCredits() names who used some in the days of the digest', () => {
  assert.deepEqual(peopleWithCredits(rows, '2026-04-15', 'day'), ['ann@example.com']);
  assert.deepEqual(peopleWithCredits(rows, '2026-04-15', 'week'), ['ann@example.com', 'u2']);
});

test('peopleWithCredits() finds people in a week of which most days are missing', () => {
  assert.deepEqual(peopleWithCredits(rows, '2026-04-21', 'week'), ['ann@example.com']);
});

test('personalDigest() says what one person used, against the week before and of the whole', () => {
  const { title, sections } = personalDigest(rows, '2026-04-15', {
    person: 'ann@example.com',
    every: 'day',
    rate: null,
  });

  assert.equal(title, 'Your agents on 2026-04-15 (UTC): 150 standard credits');
  const [figures, course] = sections[0]?.blocks ?? [];
  assert.deepEqual(figures, {
    type: 'figures',
    figures: [
      { label: 'standard credits', value: '150', change: '+88 %' },
      { label: 'of organization usage', value: '15 %', change: null },
    ],
  });
  assert.equal(course?.type === 'course' && course.points.at(-1)?.amount, 150);
});
