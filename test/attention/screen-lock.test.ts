import assert from 'node:assert/strict';
import { test } from 'node:test';

import { screenLock } from '../../src/attention/desktop-idle.ts';
import { answering } from '../support/answering.ts';

const cases: readonly [string, NodeJS.Platform, Record<string, string>, boolean | null | 'off'][] =
  [
    ['a desktop that answers to nothing', 'linux', {}, 'off'],
    ['a lock the log-in manager knows of', 'linux', { LockedHint: 'b true\n' }, false],
    [
      'a lock only the screen saver of GNOME knows of',
      'linux',
      { LockedHint: 'b false\n', 'org.gnome.ScreenSaver GetActive': 'b true\n' },
      false,
    ],
    ['an unlocked screen, which may be unattended', 'linux', { GetActive: 'b false\n' }, null],
    ['an answer of another shape', 'linux', { GetActive: 's "true"\n' }, 'off'],
    [
      'a locked Mac',
      'darwin',
      {
        '-d 1': '"IOConsoleUsers" = ({"CGSSessionScreenIsLocked"=Yes,"kCGSSessionUserIDKey"=501})',
      },
      false,
    ],
    [
      'an unlocked Mac',
      'darwin',
      { '-d 1': '"IOConsoleUsers" = ({"kCGSSessionUserIDKey"=501})' },
      null,
    ],
    ['a Mac that says something else', 'darwin', { '-d 1': '' }, 'off'],
    ['Windows', 'win32', { GetActive: 'b true\n' }, 'off'],
  ];

for (const [name, platform, answers, expected] of cases) {
  test(`screenLock(): ${name}`, async () => {
    const sign = await screenLock(answering(answers).ask, platform).look();

    assert.equal(sign === null ? 'off' : sign.isPresent, expected);
  });
}

test('screenLock() asks by busctl and starts nothing that does not run', async () => {
  const { ask, asked } = answering({});

  await screenLock(ask, 'linux').look();

  assert.deepEqual(asked, [
    'busctl --system --auto-start=no get-property org.freedesktop.login1 /org/freedesktop/login1/session/auto org.freedesktop.login1.Session LockedHint',
    'busctl --user --auto-start=no call org.freedesktop.ScreenSaver /org/freedesktop/ScreenSaver org.freedesktop.ScreenSaver GetActive',
    'busctl --user --auto-start=no call org.gnome.ScreenSaver /org/gnome/ScreenSaver org.gnome.ScreenSaver GetActive',
  ]);
});
