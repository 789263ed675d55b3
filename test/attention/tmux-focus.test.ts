import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';

import type { Session } from '../../src/core/session.ts';
import type { Ask } from '../../src/attention/presence.ts';
import { tmuxFocus } from '../../src/attention/tmux-panes.ts';
import { answering } from '../support/answering.ts';
import { sampleSession } from '../support/store.ts';
import { needs } from '../support/system-part.ts';
import { openTmux } from '../support/tmux.ts';

const skip = needs('tmux', 'script');

const really: Ask = (program, arguments_) =>
  new Promise((resolve) => {
    execFile(program, arguments_, (error, stdout) => resolve(error === null ? stdout : null));
  });

function sessionIn(socket: string, pane = '%0'): Session {
  return sampleSession({ key: pane, facts: { tmux: `${socket},7,0`, tmux_pane: pane } });
}

test(
  'tmuxFocus() sees the pane a focused terminal shows, and only that one',
  { skip },
  async () => {
    await using tmux = await openTmux();
    const source = tmuxFocus(really, Date.now);
    const sessions = [sessionIn(tmux.socket), sessionIn(tmux.socket, '%1')];

    assert.deepEqual(await source.watched(sessions), ['%0']);
    await tmux.run('split-window', 'sleep 600');
    assert.deepEqual(await source.watched(sessions), ['%1']);
    await tmux.run('new-window', 'sleep 600');
    assert.deepEqual(await source.watched(sessions), []);
  },
);

test('tmuxFocus() sees the terminal lose and get the focus', { skip }, async () => {
  await using tmux = await openTmux();
  const source = tmuxFocus(really, Date.now);

  tmux.type('\u001B[O');
  await tmux.run('wait-for', 'client-focus-out');
  assert.deepEqual(await source.watched([sessionIn(tmux.socket)]), []);
  tmux.type('\u001B[I');
  await tmux.run('wait-for', 'client-focus-in');
  assert.deepEqual(await source.watched([sessionIn(tmux.socket)]), ['%0']);
});

test('tmuxFocus() does not trust a focus without input for a minute', { skip }, async () => {
  await using tmux = await openTmux();
  const source = tmuxFocus(really, () => Date.now() + 61_000);

  assert.deepEqual(await source.watched([sessionIn(tmux.socket)]), []);
});

test('tmuxFocus() does not believe a focus that is not reported', { skip }, async () => {
  await using tmux = await openTmux();
  await tmux.run('set', '-g', 'focus-events', 'off');

  assert.deepEqual(await tmuxFocus(really, Date.now).watched([sessionIn(tmux.socket)]), []);
});

test('tmuxFocus() asks each server once, and nothing outside of tmux', async () => {
  const { ask, asked } = answering({});
  const sessions = [
    sessionIn('/tmp/a,b', '%1'),
    sessionIn('/tmp/a,b', '%2'),
    sessionIn('relative'),
    sessionIn('/tmp/c', 'x'),
    sampleSession(),
  ];

  assert.deepEqual(await tmuxFocus(ask, Date.now).watched(sessions), []);
  assert.equal(asked.length, 1);
  assert.match(asked[0] ?? '', /^tmux -S \/tmp\/a,b list-clients -F /);
});
