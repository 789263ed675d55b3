import assert from 'node:assert/strict';
import { test } from 'node:test';

import { idleTime } from '../../src/attention/desktop-idle.ts';
import { answering } from '../support/answering.ts';

const cases: readonly [string, NodeJS.Platform, Record<string, string>, boolean | null | 'off'][] =
  [
    ['a person who typed just now is here', 'linux', { GetIdletime: 't 59999\n' }, true],
    ['a minute says nothing yet', 'linux', { GetIdletime: 't 60000\n' }, null],
    ['nor do three', 'linux', { GetIdletime: 't 180000\n' }, null],
    ['more than three: away', 'linux', { GetIdletime: 't 180001\n' }, false],
    ['a desktop that does not tell', 'linux', {}, 'off'],
    ['an X11 desktop with xprintidle', 'linux', { xprintidle: '59999\n' }, true],
    ['words of xprintidle', 'linux', { xprintidle: 'no display 7\n' }, 'off'],
    ['an answer of another shape', 'linux', { GetIdletime: 'u 3\n' }, 'off'],
    ['a Mac counts in ns', 'darwin', { '-d 1': '    "HIDIdleTime" = 240000000000\n' }, false],
    ['a Mac in use', 'darwin', { '-d 1': '    "HIDIdleTime" = 41000000\n' }, true],
    ['Windows', 'win32', { GetIdletime: 't 1\n' }, 'off'],
  ];

for (const [name, platform, answers, expected] of cases) {
  test(`idleTime(): ${name}`, async () => {
    const sign = await idleTime(answering(answers).ask, platform).look();

    assert.equal(sign === null ? 'off' : sign.isPresent, expected);
  });
}

test('idleTime() asks what the desktop itself offers', async () => {
  const linux = answering({});
  const mac = answering({});

  await idleTime(linux.ask, 'linux').look();
  await idleTime(mac.ask, 'darwin').look();

  assert.deepEqual(
    [...linux.asked, ...mac.asked],
    [
      'busctl --user --auto-start=no call org.gnome.Mutter.IdleMonitor /org/gnome/Mutter/IdleMonitor/Core org.gnome.Mutter.IdleMonitor GetIdletime',
      'xprintidle',
      'ioreg -r -c IOHIDSystem -d 1',
    ],
  );
});
