import assert from 'node:assert/strict';
import { test } from 'node:test';

import { clientFor, sessionIn, tmuxSteps } from '../../../src/attention/focus/tmux.ts';

const pane = { socket: '/tmp/tmux-1000/default', serverPid: '42', pane: '%3' };

test('clientFor() takes the client used last among those that show the session', () => {
  const clients = '$1 300 11 0 /dev/pts/1\n$2 100 12 0 /dev/pts/2\n$2 200 13 0 /dev/pts/3\n';

  assert.deepEqual(clientFor('$2', clients), { pid: 13, device: '/dev/pts/3', showsSession: true });
});

test('clientFor() takes the client used last of all where none shows the session, but no program', () => {
  const clients = '$1 300 11 0 /dev/pts/1\n$1 400 12 1 /dev/pts/2\n$1 500 13 0 \n';

  assert.deepEqual(clientFor('$2', clients), {
    pid: 11,
    device: '/dev/pts/1',
    showsSession: false,
  });
});

test('clientFor() answers null where nobody looks', () => {
  assert.equal(clientFor('$2', ''), null);
});

test('sessionIn() believes only the server and the pane that were asked for', () => {
  assert.equal(sessionIn('42 %3 $7\n', pane), '$7');
  for (const answer of ['43 %3 $7', '42 %4 $7', '', 'no server running']) {
    assert.equal(sessionIn(answer, pane), null);
  }
});

test('tmuxSteps() switches a client only where it shows another session', () => {
  const here = { pid: 1, device: '/dev/pts/1', showsSession: true };
  const typed = (client: typeof here | null): readonly string[] =>
    tmuxSteps(pane, client).map(({ arguments: words }) => words.join(' '));

  const select = ['select-window', 'select-pane'].map((it) => `-S ${pane.socket} ${it} -t %3`);
  assert.deepEqual(typed(here), select);
  assert.deepEqual(typed(null), select);
  assert.deepEqual(typed({ ...here, showsSession: false }), [
    ...select,
    `-S ${pane.socket} switch-client -c /dev/pts/1 -t %3`,
  ]);
});
