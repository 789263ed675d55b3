import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

import type { Session } from '../../src/core/session.ts';
import type { Ask } from '../../src/attention/presence.ts';
import { x11Focus } from '../../src/attention/x11-focus.ts';
import { answering } from '../support/answering.ts';
import { startDesktopSession } from '../support/desktop-session.ts';
import { until } from '../support/hookbell-home.ts';
import { sampleSession } from '../support/store.ts';
import { needs } from '../support/system-part.ts';

function sessionIn(windowid: string, facts: Session['facts'] = {}): Session {
  return sampleSession({ key: windowid, facts: { windowid, ...facts } });
}

test(
  'x11Focus() sees the terminal that the window manager has made active, and only that one',
  {
    skip: needs('Xvfb', 'dbus-daemon', 'dunst', 'gdbus', 'xdotool', 'xprop', 'xmessage'),
    timeout: 60_000,
  },
  async () => {
    await using session = await startDesktopSession('dunst');
    const really: Ask = (program, arguments_) =>
      new Promise((resolve) => {
        const { env } = session;
        execFile(program, arguments_, { env }, (error, out) => resolve(error ? null : out));
      });
    const window = spawn('xmessage', ['hello'], { env: session.env, stdio: 'ignore' });
    const ended = once(window, 'exit');
    let id = '';
    await until(async () => {
      id = ((await really('xdotool', ['search', '--class', 'Xmessage'])) ?? '').trim();
      return id !== '';
    });
    const source = x11Focus(really);
    const set = (...words: readonly string[]): Promise<string> => session.run('xprop', ...words);
    const activate = (number: string): Promise<string> =>
      set('-root', '-f', '_NET_ACTIVE_WINDOW', '32x', '-set', '_NET_ACTIVE_WINDOW', number);

    assert.equal(await source.check(), null, 'no window manager');
    assert.deepEqual(await source.watched([sessionIn(id)]), []);
    await activate(id);
    assert.deepEqual(await source.watched([sessionIn(id)]), [], 'no terminal');
    await set('-id', id, '-f', 'WM_CLASS', '8s', '-set', 'WM_CLASS', 'XTerm');
    assert.deepEqual(await source.watched([sessionIn(id), sessionIn('7')]), [id]);
    await activate('0');
    assert.deepEqual(await source.watched([sessionIn(id)]), []);

    window.kill();
    await ended;
  },
);

const terminal = {
  _NET_ACTIVE_WINDOW: '_NET_ACTIVE_WINDOW(WINDOW) = 0x2a\n',
  WM_CLASS: 'WM_CLASS(STRING) = "xterm", "XTerm"\n',
};

for (const [name, answers, session] of [
  [
    'a terminal that may have tabs',
    { ...terminal, WM_CLASS: 'WM_CLASS(STRING) = "a", "konsole"\n' },
    sessionIn('42'),
  ],
  ['a window that is gone', { ...terminal, WM_CLASS: '' }, sessionIn('42')],
  ['a session in tmux', terminal, sessionIn('42', { tmux: '/tmp/t,7,0' })],
  ['a session over ssh', terminal, sessionIn('42', { ssh: '1' })],
  ['a number that is none', terminal, sessionIn('0x2a')],
  [
    'no active window',
    { ...terminal, _NET_ACTIVE_WINDOW: '_NET_ACTIVE_WINDOW(WINDOW) = 0x0\n' },
    sessionIn('0'),
  ],
] as const) {
  test(`x11Focus() reports nothing for ${name}`, async () => {
    assert.deepEqual(await x11Focus(answering(answers).ask).watched([session]), []);
  });
}

test('x11Focus() asks nothing for sessions without a window', async () => {
  const { ask, asked } = answering(terminal);

  assert.deepEqual(await x11Focus(ask).watched([sampleSession()]), []);
  assert.deepEqual(asked, []);
  assert.deepEqual(await x11Focus(ask).watched([sessionIn('42')]), ['42']);
  assert.deepEqual(asked, [
    String.raw`xprop -root 32x  = $0\n _NET_ACTIVE_WINDOW`,
    'xprop -id 42 WM_CLASS',
  ]);
});
