import assert from 'node:assert/strict';
import { test } from 'node:test';

import { idleTime } from '../../src/attention/desktop-idle.ts';
import { windowsDesktop } from '../../src/attention/windows-desktop.ts';
import { type DesktopAnswers, desktopAnswering } from '../support/answering.ts';

const cases: readonly [string, NodeJS.Platform, DesktopAnswers, boolean | null | 'off'][] = [
  ['a person who typed just now is here', 'linux', { GetIdletime: 59_999n }, true],
  ['a minute says nothing yet', 'linux', { GetIdletime: 60_000n }, null],
  ['nor do three', 'linux', { GetIdletime: 180_000n }, null],
  ['more than three: away', 'linux', { GetIdletime: 180_001n }, false],
  ['a desktop that does not tell', 'linux', {}, 'off'],
  ['an X11 desktop with xprintidle', 'linux', { xprintidle: '59999\n' }, true],
  ['words of xprintidle', 'linux', { xprintidle: 'no display 7\n' }, 'off'],
  ['an answer of another shape', 'linux', { GetIdletime: 3 }, 'off'],
  ['a Mac counts in ns', 'darwin', { '-d 1': '    "HIDIdleTime" = 240000000000\n' }, false],
  ['a Mac in use', 'darwin', { '-d 1': '    "HIDIdleTime" = 41000000\n' }, true],
  ['a Windows in use', 'win32', { '': 'idle 59999 flags -1\r\n' }, true],
  ['a Windows that is left alone', 'win32', { '': 'idle 180001 flags 1\r\n' }, false],
  ['a Windows that cannot say', 'win32', { '': 'idle -1 flags 1' }, 'off'],
  ['a Windows without PowerShell', 'win32', { GetIdletime: 1n }, 'off'],
];

for (const [name, platform, answers, expected] of cases) {
  test(`idleTime(): ${name}`, async () => {
    const desktop = desktopAnswering(answers);
    const onWindows = windowsDesktop(desktop.ask, {}, () => 0);
    const sign = await idleTime({ platform, onWindows, ...desktop }).look();

    assert.equal(sign === null ? 'off' : sign.isPresent, expected);
  });
}

test('idleTime() asks what the desktop itself offers', async () => {
  const linux = desktopAnswering({});
  const mac = desktopAnswering({});

  await idleTime({ platform: 'linux', ...linux }).look();
  await idleTime({ platform: 'darwin', ...mac }).look();

  assert.deepEqual(
    [...linux.asked, ...mac.asked],
    [
      'session bus: org.gnome.Mutter.IdleMonitor /org/gnome/Mutter/IdleMonitor/Core org.gnome.Mutter.IdleMonitor GetIdletime',
      'xprintidle',
      'ioreg -r -c IOHIDSystem -d 1',
    ],
  );
});
