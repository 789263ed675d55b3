import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MeView } from '../../../src/core/hub/machine-requests.ts';
import {
  PersonSettings,
  quietHoursOf,
  readSettings,
} from '../../../src/core/hub/person-settings.ts';
import { localTimezone } from '../../../src/platform/time.ts';

const window = {
  from: 1_320,
  to: 420,
  days: null,
  letThrough: ['needs.permission'],
  meanwhile: 'hold',
} as const;
const stored = { timezone: 'Asia/Tokyo', quiet: [window], channels: ['mail'] };

test('readSettings() keeps what it knows beside what a newer hookbell has written', () => {
  const newer = {
    ...stored,
    quiet: [{ ...window, letThrough: ['needs.permission', 'new.kind'], label: 'night' }],
    pager: { number: 1 },
  };

  assert.deepEqual(readSettings(JSON.stringify(newer)), stored);
});

for (const [field, value] of [
  ['timezone', 'Mars/Base'],
  ['quiet', 'always'],
  ['quiet', [{ from: 'dusk' }]],
  ['channels', 7],
] as const) {
  test(`readSettings() leaves out "${field}" alone when it is ${JSON.stringify(value)}`, () => {
    const read = readSettings(JSON.stringify({ ...stored, [field]: value }));

    assert.deepEqual(read, { ...stored, [field]: null });
  });
}

test('readSettings() leaves out a window of quiet hours that it does not understand, and keeps the others', () => {
  const read = readSettings(JSON.stringify({ ...stored, quiet: [{ from: 'dusk' }, window] }));

  assert.deepEqual(read.quiet, [window]);
});

test('readSettings() treats anything but a JSON object as unset', () => {
  for (const text of ['', 'null', '[]', '{']) {
    assert.deepEqual(readSettings(text), { timezone: null, quiet: null, channels: null });
  }
});

test('a machine understands the settings that a newer hub returns', () => {
  const view = { person: 'ada@example.com', team: null, mutes: [], channels: [] };

  const read = MeView.parse({ ...view, settings: { ...stored, pager: {} } });

  assert.deepEqual(read.settings, stored);
});

test('readSettings() leaves out quiet hours that would never end', () => {
  const whole = { ...window, from: 420, to: 420, days: [0, 1, 2, 3, 4, 5, 6] };
  const sixDays = { ...whole, days: [0, 1, 2, 3, 4, 5] };

  const read = readSettings(JSON.stringify({ quiet: [whole, { ...whole, days: null }, sixDays] }));

  assert.deepEqual(read.quiet, [sixDays]);
});

const takes = (fields: object): boolean => PersonSettings.safeParse(fields).success;

const many = (count: number, value: unknown) => Array.from({ length: count }, () => value);

test('PersonSettings has bounds', () => {
  const takesWindow = (fields: object): boolean => takes({ quiet: [{ ...window, ...fields }] });

  assert.ok(takes({}) && takesWindow({ from: 0, to: 1_439, days: [0, 6] }));
  assert.ok(takesWindow({ days: [0, 1, 2, 3, 4, 5, 6] }) && takesWindow({ days: [3] }));
  for (const fields of [{ from: -1 }, { to: 1_440 }, { days: [] }, { days: [7] }, { days: [-1] }])
    assert.ok(!takesWindow(fields), JSON.stringify(fields));
  assert.ok(!takesWindow({ days: many(8, 1) }));
  assert.ok(takes({ quiet: many(20, window) }) && !takes({ quiet: many(21, window) }));
  assert.ok(takes({ channels: ['x'] }) && takes({ channels: many(50, 'x'.repeat(64)) }));
  for (const channels of [many(51, 'x'), [''], ['x'.repeat(65)]]) assert.ok(!takes({ channels }));
});

test('quietHoursOf() takes the hours of the person, or those of the hub in their time zone', () => {
  const ofHub = [{ ...window, timezone: 'Europe/Berlin', meanwhile: { type: 'hold' } }] as const;
  const { meanwhile: _, ...hours } = window;
  const own = (timezone: string) => [{ ...hours, timezone, meanwhile: { type: 'hold' } }];

  assert.equal(quietHoursOf({ timezone: null, quiet: null }, ofHub), null);
  const moved = quietHoursOf({ timezone: 'Asia/Tokyo', quiet: null }, ofHub);
  assert.deepEqual(moved, [{ ...ofHub[0], timezone: 'Asia/Tokyo' }]);
  const settings = readSettings(JSON.stringify(stored));
  assert.deepEqual(quietHoursOf(settings, ofHub), own('Asia/Tokyo'));
  assert.deepEqual(quietHoursOf({ ...settings, timezone: null }, ofHub), own(localTimezone()));
  assert.deepEqual(quietHoursOf({ ...settings, quiet: [] }, ofHub), []);
});
