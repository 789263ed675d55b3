import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { withQuietHours } from '../../src/config/edit-quiet-hours.ts';

const night = { from: '22:00', to: '07:30' };
const written = '{ from: "22:00", to: "07:30" }';

describe('withQuietHours()', () => {
  const rows: readonly (readonly [
    name: string,
    before: string,
    set: string,
    removed: string | null,
  ])[] = [
    ['an empty file', '', `quiet_hours: ${written}\n`, null],
    [
      'a file without a line end',
      '# Mine\nchannels: {}',
      `# Mine\nchannels: {}\nquiet_hours: ${written}\n`,
      null,
    ],
    ['a file in braces', '{ channels: {} }\n', `{ channels: {}, quiet_hours: ${written} }\n`, null],
    [
      'a window with days and comments',
      'quiet_hours: # at night\n  from: "23:00" # late\n  to: "06:00"\n  days: [mon]\n# Mine\nchannels: {}\n',
      'quiet_hours: # at night\n  from: "22:00" # late\n  to: "07:30"\n  days: [mon]\n# Mine\nchannels: {}\n',
      '# Mine\nchannels: {}\n',
    ],
    [
      'a list of one window',
      'quiet_hours:\n  - { from: "23:00", to: "06:00" }\nchannels: {}\n',
      'quiet_hours:\n  - { from: "22:00", to: "07:30" }\nchannels: {}\n',
      'channels: {}\n',
    ],
    [
      'nothing else',
      'quiet_hours: { from: "23:00", to: "06:00" }',
      `quiet_hours: ${written}\n`,
      '{}\n',
    ],
  ];
  for (const [name, before, set, removed] of rows) {
    test(`changes only the window: ${name}`, () => {
      assert.equal(withQuietHours(before, night), set);
      assert.equal(withQuietHours(before, null), removed ?? before);
    });
  }

  test('refuses several windows, and to remove one from a file in braces', () => {
    const window = '{ from: "23:00", to: "06:00" }';

    assert.throws(
      () => withQuietHours(`quiet_hours: [${window}, ${window}]\n`, night),
      /there are several windows/,
    );
    assert.throws(() => withQuietHours(`{ quiet_hours: ${window} }\n`, null), /in braces/);
  });
});
