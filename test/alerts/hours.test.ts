import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { rangeEnd, isWithin, rangeText } from '../../src/alerts/quiet.ts';
import { localTime } from '../../src/platform/time.ts';
import type { HourRange } from '../../src/core/policy.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The instants at which the clocks of the zones below are set in 2026. */
const changes = [
  Date.UTC(2026, 2, 29, 1), // Berlin, forward
  Date.UTC(2026, 9, 25, 1), // Berlin, back
  Date.UTC(2026, 2, 8, 7), // New York, forward
  Date.UTC(2026, 10, 1, 6), // New York, back
  Date.UTC(2026, 3, 4, 15), // Lord Howe, half an hour back
  Date.UTC(2026, 9, 3, 15, 30), // Lord Howe, half an hour forward
];

const timezone = fc.constantFrom(
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'UTC',
  'Pacific/Apia',
);
const minuteOfDay = fc.integer({ min: 0, max: 1_439 });
const range: fc.Arbitrary<HourRange> = fc.record({ from: minuteOfDay, to: minuteOfDay, timezone });
const instant = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) }),
  fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -26 * HOUR, max: 26 * HOUR }))
    .map(([change, distance]) => change + distance),
);

/** The clock on the wall, read from the text a person would see. */
function wallClock(at: number, zone: string): number {
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, timeStyle: 'short' }).format(at);
  const [hours = '', minutes = ''] = text.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** Walks from the beginning of the range, minute by minute, until it meets the time or the end. */
function isWithinByWalking({ from, to }: HourRange, minutes: number): boolean {
  let minute = from;
  do {
    if (minute === minutes) return true;
    minute = (minute + 1) % 1_440;
  } while (minute !== to);
  return false;
}

test('isWithin() agrees with the clock on the wall in any zone, also when clocks are set', () => {
  fc.assert(
    fc.property(range, instant, (hours, at) => {
      const expected = isWithinByWalking(hours, wallClock(at, hours.timezone));

      assert.equal(isWithin(hours, at), expected);
    }),
    { numRuns: 300 },
  );
});

test('endOf() is the first minute outside, within 26 hours, also when clocks are set', () => {
  fc.assert(
    fc.property(range, instant, (hours, at) => {
      fc.pre(hours.from !== hours.to && isWithin(hours, at));

      const end = rangeEnd(hours, at);

      assert.ok(end > at && end <= at + 26 * HOUR, `${end - at} ms later`);
      assert.ok(!isWithin(hours, end));
      // Every fifth minute and the very last one: a walk over all of them takes seconds.
      for (let before = end - MINUTE; before > at; before -= 5 * MINUTE) {
        assert.ok(isWithin(hours, before), `${(end - before) / MINUTE} min before the end`);
      }
    }),
    { numRuns: 60 },
  );
});

test('endOf() sees that a clock set back ends a range before its time', () => {
  const hours = { from: 2 * 60 + 30, to: 10 * 60, timezone: 'Europe/Berlin' };
  const secondTwo = Date.UTC(2026, 9, 25, 1);

  // 02:45 for the first time; a quarter of an hour later it is 02:00 again.
  assert.equal(rangeEnd(hours, secondTwo - 15 * MINUTE), secondTwo);
});

test('endOf() of an end that the day leaves out is the minute after the gap', () => {
  const hours = { from: 22 * 60, to: 2 * 60 + 30, timezone: 'Europe/Berlin' };
  const change = Date.UTC(2026, 2, 29, 1);

  assert.equal(rangeEnd(hours, change - HOUR), change);
});

test('isWithin() of equal ends is the whole day, over when it would begin anew', () => {
  fc.assert(
    fc.property(minuteOfDay, instant, (from, at) => {
      const hours = { from, to: from, timezone: 'Asia/Kathmandu' };

      const end = rangeEnd(hours, at);

      assert.ok(isWithin(hours, at));
      assert.ok(end > at && end <= at + 24 * HOUR);
      assert.equal(localTime(end, hours.timezone).minutes, from);
    }),
    { numRuns: 100 },
  );
});

test('endOf() of a whole day is right on days on which the clock is set', () => {
  const sunday = { from: 0, to: 0, timezone: 'Europe/Berlin' };

  assert.equal(rangeEnd(sunday, Date.UTC(2026, 2, 28, 23, 30)), Date.UTC(2026, 2, 29, 22));
  assert.equal(rangeEnd(sunday, Date.UTC(2026, 9, 24, 22, 30)), Date.UTC(2026, 9, 25, 23));
});

test('rangeText() writes a range as people do', () => {
  const night = { from: 22 * 60, to: 7 * 60 + 5, timezone: 'Europe/Berlin' };

  assert.equal(rangeText(night), '22:00-07:05 Europe/Berlin');
});
