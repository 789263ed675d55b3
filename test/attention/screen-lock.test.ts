import assert from 'node:assert/strict';
import { test } from 'node:test';

import { screenLock } from '../../src/attention/desktop-idle.ts';
import { windowsDesktop } from '../../src/attention/windows-desktop.ts';
import { type DesktopAnswers, desktopAnswering } from '../support/answering.ts';

const locked = (value: boolean) => ({ signature: 'b', value });

const uid = process.getuid?.();

/** As ioreg(8) prints the sessions of a Mac. */
const consoleUsers = (...sessions: readonly string[]) =>
  `    "IOConsoleUsers" = (${sessions.map((session) => `{${session}}`).join(',')})`;

const cases: readonly [string, NodeJS.Platform, DesktopAnswers, boolean | null | 'off'][] = [
  ['a desktop that answers to nothing', 'linux', {}, 'off'],
  ['a lock the log-in manager knows of', 'linux', { LockedHint: locked(true) }, false],
  [
    'a lock only the screen saver of GNOME knows of',
    'linux',
    { LockedHint: locked(false), 'org.gnome.ScreenSaver GetActive': true },
    false,
  ],
  [
    'a locker of sway, which no service knows of',
    'linux',
    { LockedHint: locked(false), xtrlock: '4711' },
    false,
  ],
  ['an unlocked screen, which may be unattended', 'linux', { GetActive: false }, null],
  ['an answer of another shape', 'linux', { GetActive: 'true' }, 'off'],
  [
    'a locked Mac',
    'darwin',
    {
      '-d 1': consoleUsers(
        `"CGSSessionScreenIsLocked"=Yes,"kCGSSessionOnConsoleKey"=Yes,"kCGSSessionUserIDKey"=${uid}`,
      ),
    },
    false,
  ],
  [
    'an unlocked Mac, on which another user has a locked session',
    'darwin',
    {
      '-d 1': consoleUsers(
        `"kCGSSessionOnConsoleKey"=Yes,"kCGSSessionUserIDKey"=${uid},"kCGSSessionUserNameKey"="a"`,
        `"CGSSessionScreenIsLocked"=Yes,"kCGSSessionOnConsoleKey"=No,"kCGSSessionUserIDKey"=${uid}9`,
      ),
    },
    null,
  ],
  [
    'a Mac that another user has switched to',
    'darwin',
    {
      '-d 1': consoleUsers(
        `"kCGSSessionOnConsoleKey"=Yes,"kCGSSessionUserIDKey"=${uid}9`,
        `"kCGSSessionOnConsoleKey"=No,"kCGSSessionUserIDKey"=${uid}`,
      ),
    },
    false,
  ],
  [
    'a Mac that another user has, while ours came by ssh',
    'darwin',
    { '-d 1': consoleUsers(`"kCGSSessionOnConsoleKey"=Yes,"kCGSSessionUserIDKey"=${uid}9`) },
    false,
  ],
  [
    'a Mac that shows the log-in window',
    'darwin',
    { '-d 1': consoleUsers(`"kCGSSessionOnConsoleKey"=No,"kCGSSessionUserIDKey"=${uid}`) },
    false,
  ],
  ['a Mac without a user', 'darwin', { '-d 1': '"IOConsoleUsers" = ()' }, null],
  ['a lock as a bare value, which is no property', 'linux', { LockedHint: true }, 'off'],
  ['a Mac that says something else', 'darwin', { '-d 1': '' }, 'off'],
  ['a locked Windows', 'win32', { '': 'idle 5 flags 0' }, false],
  ['an unlocked Windows', 'win32', { '': 'idle 5 flags 1' }, null],
  ['a Windows that does not know', 'win32', { '': 'idle 5 flags -1' }, 'off'],
  ['a Windows without PowerShell', 'win32', { GetActive: true }, 'off'],
];

for (const [name, platform, answers, expected] of cases) {
  test(`screenLock(): ${name}`, async () => {
    const desktop = desktopAnswering(answers);
    const onWindows = windowsDesktop(desktop.ask, {}, () => 0);
    const sign = await screenLock({ platform, onWindows, ...desktop }).look();

    assert.equal(sign === null ? 'off' : sign.isPresent, expected);
  });
}

test('screenLock() asks the log-in manager and both screen savers', async () => {
  const desktop = desktopAnswering({});

  await screenLock({ platform: 'linux', ...desktop }).look();

  assert.deepEqual(desktop.asked.slice(1), [
    'system bus: org.freedesktop.login1 /org/freedesktop/login1/session/auto org.freedesktop.DBus.Properties Get org.freedesktop.login1.Session LockedHint',
    'session bus: org.freedesktop.ScreenSaver /org/freedesktop/ScreenSaver org.freedesktop.ScreenSaver GetActive',
    'session bus: org.gnome.ScreenSaver /org/gnome/ScreenSaver org.gnome.ScreenSaver GetActive',
  ]);
});
