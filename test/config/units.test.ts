import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { z } from 'zod';

import { findingsOf, parseOptions } from '../../src/config/problem.ts';
import {
  dailyKeys,
  duration,
  hourRange,
  oneOrMore,
  onOrOff,
  orNull,
  refuseReversed,
  size,
  timeOfDay,
  timezone,
} from '../../src/config/units.ts';
import { localTimezone } from '../../src/platform/time.ts';

/** The value that is read, or the findings, each behind its path. */
function read(schema: z.ZodType, value: unknown): unknown {
  const { data, error } = schema.safeParse(value, parseOptions);
  if (error === undefined) return data;
  return findingsOf(error.issues)
    .map(({ path, message }) => [...path, message].join(': '))
    .join('\n');
}

const NO_RANGE = 'is not a range of hours, expected one such as "09:00-18:00"';
const NO_SIZE = 'expected a number with a unit, such as 200kB, 500MB or 2GB';
const here = localTimezone();

describe('the values of keys', () => {
  for (const { name, schema, value, result } of [
    { name: 'a time of day', schema: timeOfDay, value: '7:30', result: 450 },
    { name: 'the last time of day', schema: timeOfDay, value: '23:59', result: 1_439 },
    {
      name: 'a range of hours, in the zone of this machine',
      schema: hourRange,
      value: '22:00 - 6:15',
      result: { from: 1_320, to: 375, timezone: here },
    },
    {
      name: 'a range of hours in another zone',
      schema: hourRange,
      value: { from: '9:00', to: '18:00', timezone: 'UTC' },
      result: { from: 540, to: 1_080, timezone: 'UTC' },
    },
    {
      name: 'a range that begins at no time',
      schema: hourRange,
      value: '25:00-6:00',
      result: NO_RANGE,
    },
    {
      name: 'a range that ends at no time',
      schema: hourRange,
      value: '9:00-late',
      result: NO_RANGE,
    },
    { name: 'the zone of this machine', schema: timezone, value: undefined, result: here },
    { name: 'a size in bytes', schema: size({ min: '1B' }), value: '12B', result: 12 },
    { name: 'a size in kB', schema: size({ min: '1B' }), value: '2kB', result: 2_000 },
    { name: 'a size in KB', schema: size({ min: '1B' }), value: '2KB', result: 2_000 },
    { name: 'a size of the minimum', schema: size({ min: '5MB' }), value: '5MB', result: 5e6 },
    {
      name: 'a size below the minimum, in another unit',
      schema: size({ min: '5MB' }),
      value: '4999kB',
      result: 'is smaller than 5MB',
    },
    {
      name: 'a size without a unit',
      schema: size({ min: '5MB' }),
      value: 500,
      result: `is not a size: 500, ${NO_SIZE}`,
    },
    {
      name: 'a size in an unknown unit',
      schema: size({ min: '5MB' }),
      value: '5MiB',
      result: `is not a size: "5MiB", ${NO_SIZE}`,
    },
    {
      name: 'a size that is a list',
      schema: size({ min: '5MB' }),
      value: [5],
      result: 'is a list, expected text',
    },
    {
      name: 'a duration of the minimum',
      schema: duration({ min: '1m' }),
      value: '60s',
      result: 60_000,
    },
    {
      name: 'a duration below the minimum',
      schema: duration({ min: '1m' }),
      value: '59s',
      result: 'is shorter than 1m',
    },
    {
      name: 'a duration above the maximum',
      schema: duration({ max: '1m' }),
      value: '61s',
      result: 'is longer than 1m',
    },
    {
      name: 'a duration of more than ten years',
      schema: duration(),
      value: '3651d',
      result: 'is longer than 3650d',
    },
    {
      name: 'a duration that is a switch',
      schema: duration(),
      value: true,
      result: 'is true, expected text (put it in quotes)',
    },
    { name: 'a missing key', schema: orNull(z.string()), value: undefined, result: null },
    { name: 'a key that is there', schema: orNull(z.string()), value: 'x', result: 'x' },
    { name: 'a switch that is on', schema: onOrOff, value: 'on', result: true },
    { name: 'a switch that is off', schema: onOrOff, value: 'off', result: false },
    { name: 'one value as a list', schema: oneOrMore(z.string()), value: 'x', result: ['x'] },
    {
      name: 'a list of values',
      schema: oneOrMore(z.string()),
      value: ['x', 'y'],
      result: ['x', 'y'],
    },
    { name: 'an empty list', schema: oneOrMore(z.string()), value: [], result: 'is an empty list' },
  ] satisfies { name: string; schema: z.ZodType; value: unknown; result: unknown }[]) {
    test(name, () => {
      assert.deepEqual(read(schema, value), result);
    });
  }
});

describe('the keys of a daily job', () => {
  const daily = z.strictObject(dailyKeys).superRefine(refuseReversed);

  test('run it in the morning by default, and wait for late data until the afternoon', () => {
    assert.deepEqual(read(daily, { timezone: 'UTC' }), { at: 480, until: 840, timezone: 'UTC' });
  });

  test('must leave it time to wait', () => {
    for (const until of ['9:00', '8:59']) {
      assert.equal(read(daily, { at: '9:00', until }), 'until: is not later than "at"');
    }
    assert.deepEqual(read(daily, { at: '9:00', until: '9:01', timezone: 'UTC' }), {
      at: 540,
      until: 541,
      timezone: 'UTC',
    });
  });
});
