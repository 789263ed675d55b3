import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { nextCron } from '../../src/platform/next-cron.ts';
import { inZone } from '../support/in-zone.ts';

const MINUTE_MS = 60_000;

function local(text: string): number {
  return new Date(text).getTime();
}

function shown(at: number | null): string {
  return at === null ? 'none' : new Date(at).toString().slice(0, 33);
}

describe('nextCron()', () => {
  // It has a gap (29 March 2026, 02:00) and a repeated hour (25 October 2026, 03:00).
  inZone('Europe/Berlin');

  test('finds the next time of the schedules that agents write', () => {
    const after = local('2026-03-02T14:20:30');
    const expected = {
      '*/15 * * * *': '2026-03-02T14:30:00',
      '30 14 * * *': '2026-03-02T14:30:00',
      '20 14 * * *': '2026-03-03T14:20:00',
      '0 9 * * 1-5': '2026-03-03T09:00:00',
      '0 9 * * 0': '2026-03-08T09:00:00',
      '0 9 * * 7': '2026-03-08T09:00:00',
      '5,35 14-16/2 * * *': '2026-03-02T14:35:00',
      '0 12 13 * 5': '2026-03-06T12:00:00',
      '30 14 28 2 *': '2027-02-28T14:30:00',
    };
    for (const [cron, time] of Object.entries(expected))
      assert.equal(shown(nextCron(cron, after)), shown(local(time)), cron);
  });

  test('is unknown for what cannot be read for certain', () => {
    const unclear =
      '|* * * *|* * * * * *|60 * * * *|* 24 * * *|* * 0 * *|* * * 13 *|* * * * 8|5/15 * * * *|*/0 * * * *|9-5 * * * *|@daily|0 9 * * MON|-1 * * * *|1.5 * * * *|L * * * *|0 0 31 2 *|NaN|30 14 29 2 *';
    for (const cron of unclear.split('|'))
      assert.equal(nextCron(cron, local('2026-03-02T14:20:00')), null, cron);
  });

  test('skips a time that the clocks skip, and finds the second of a repeated hour', () => {
    assert.equal(
      shown(nextCron('30 2 * * *', local('2026-03-28T12:00:00'))),
      shown(local('2026-03-30T02:30:00')),
    );
    const firstPass = Date.UTC(2026, 9, 25, 0, 40);
    assert.equal(
      shown(nextCron('*/30 * * * *', firstPass + 30 * MINUTE_MS)),
      shown(Date.UTC(2026, 9, 25, 1, 30)),
    );
  });

  test('agrees with walking through every minute', () => {
    const cron = fc
      .tuple(field(0, 59), field(0, 23), field(1, 31), fc.constant('*'), field(0, 6))
      .map((fields) => fields.join(' '));
    const days = [
      local('2026-03-28T20:07:11'),
      local('2026-10-24T22:59:59'),
      local('2026-12-31T23:00:00'),
    ];
    fc.assert(
      fc.property(cron, fc.constantFrom(...days), (expression, after) => {
        const found = nextCron(expression, after);
        const walked = byWalking(expression, after, 2 * 24 * 60);
        if (walked !== null) assert.equal(shown(found), shown(walked));
        else assert.ok(found === null || found > after + 2 * 24 * 60 * MINUTE_MS);
      }),
      { numRuns: 60 },
    );
  });
});

function field(low: number, high: number): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constant('*'),
    fc.integer({ min: 2, max: high }).map((step) => `*/${step}`),
    fc
      .uniqueArray(fc.integer({ min: low, max: high }), { minLength: 1, maxLength: 3 })
      .map((list) => list.join(',')),
  );
}

function fits(word: string, value: number, low: number): boolean {
  return (
    word === '*' ||
    (word.startsWith('*/')
      ? (value - low) % Number(word.slice(2)) === 0
      : word.split(',').map(Number).includes(value))
  );
}

function all(word: string, low: number, count: number): boolean {
  return Array.from({ length: count }, (_, index) => index + low).every((value) =>
    fits(word, value, low),
  );
}

function byWalking(expression: string, after: number, minutes: number): number | null {
  const [minute = '', hour = '', day = '', , weekday = ''] = expression.split(' ');
  const first = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  for (let count = 0; count < minutes; count += 1) {
    const at = first + count * MINUTE_MS;
    const date = new Date(at);
    const inMonth = fits(day, date.getDate(), 1);
    const inWeek = fits(weekday, date.getDay(), 0);
    const isAny = all(day, 1, 31) || all(weekday, 0, 7);
    const isDay = isAny ? inMonth && inWeek : inMonth || inWeek;
    if (isDay && fits(minute, date.getMinutes(), 0) && fits(hour, date.getHours(), 0)) return at;
  }
  return null;
}
