import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { readQuietHours, windowText } from '../../../src/cli/me/me.ts';
import { UsageError } from '../../../src/platform/errors.ts';

const window: Parameters<typeof windowText>[0] = {
  from: 1_320,
  to: 420,
  days: null,
  letThrough: [],
  meanwhile: 'hold',
};

describe('readQuietHours()', () => {
  for (const { hours, options = {}, read } of [
    { hours: ['hub'], read: null },
    { hours: ['none'], read: [] },
    { hours: ['22:00-07:00'], read: [window] },
    { hours: ['9:05-9:06'], read: [{ ...window, from: 545, to: 546 }] },
    {
      hours: ['22:00-07:00', '12:00-13:00'],
      options: { discard: true },
      read: [
        { ...window, meanwhile: 'discard' },
        { ...window, from: 720, to: 780, meanwhile: 'discard' },
      ],
    },
    {
      hours: ['00:00-00:00'],
      options: { days: 'sat, SUN' },
      read: [{ ...window, from: 0, to: 0, days: [6, 0] }],
    },
    {
      hours: ['22:00-07:00'],
      options: { days: 'fri, fri,FRI' },
      read: [{ ...window, days: [5] }],
    },
  ] satisfies {
    hours: string[];
    options?: { readonly days?: string; readonly discard?: true };
    read: ReturnType<typeof readQuietHours>;
  }[]) {
    test(`reads ${hours.join(' ')} with ${JSON.stringify(options)}`, () => {
      assert.deepEqual(readQuietHours(hours, options), read);
    });
  }

  const everyDay = 'sun,mon,tue,wed,thu,fri,sat';
  for (const { hours, days, message } of [
    {
      hours: ['22-7'],
      message: 'The quiet hours are "22-7", expected a range such as 22:00-07:00',
    },
    {
      hours: ['24:00-07:00'],
      message: 'The quiet hours are "24:00-07:00", expected a range such as 22:00-07:00',
    },
    {
      hours: ['hub', '22:00-07:00'],
      message: 'The quiet hours are "hub", expected a range such as 22:00-07:00',
    },
    {
      hours: ['22:00-07:00'],
      days: 'fri,someday',
      message: 'The day is "someday", expected one of sun, mon, tue, wed, thu, fri, sat',
    },
    { hours: ['08:00-8:00'], message: 'The quiet hours "08:00-8:00" never end' },
    { hours: ['08:00-08:00'], days: everyDay, message: 'The quiet hours "08:00-08:00" never end' },
    {
      hours: ['08:00-08:00'],
      days: `${everyDay}, Sun`,
      message: 'The quiet hours "08:00-08:00" never end',
    },
  ] satisfies { hours: string[]; days?: string; message: string }[]) {
    test(`refuses ${hours.join(' ')}${days === undefined ? '' : ` on ${days}`}`, () => {
      assert.throws(
        () => readQuietHours(hours, days === undefined ? {} : { days }),
        (error) => error instanceof UsageError && error.message === message,
      );
    });
  }
});

test('windowText() gives the hours, the days on which they begin, and that they discard', () => {
  assert.equal(windowText(window), '22:00-07:00');
  assert.equal(
    windowText({ ...window, from: 5, days: [5, 6], meanwhile: 'discard' }),
    '00:05-07:00 on fri, sat, discarding',
  );
});
