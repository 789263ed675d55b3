import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MeView } from '../../../src/core/hub/machine-requests.ts';
import { readSettings } from '../../../src/core/hub/person-settings.ts';

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
