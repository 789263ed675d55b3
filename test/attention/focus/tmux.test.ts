import assert from 'node:assert/strict';
import { test } from 'node:test';

import { terminalFor, tmuxSteps } from '../../../src/attention/session-place.ts';
import { tmuxServer } from '../../../src/platform/tmux.ts';
import { answering } from '../../support/answering.ts';

const pane = { socket: '/tmp/tmux-1000/default', serverPid: '42', pane: '%3' };

function clientsIn(answer: string) {
  return tmuxServer(answering({ '': answer }).ask, pane.socket).clients();
}

function paneIn(answer: string) {
  return tmuxServer(answering({ '': answer }).ask, pane.socket).pane(pane.pane);
}

test('terminalFor() takes the client used last among those that show the session', async () => {
  const clients = await clientsIn(
    '$1 %1 300 11 0 1 attached /dev/pts/1 xterm\n$2 %3 100 12 0 1 attached /dev/pts/2 xterm\n$2 %3 200 13 0 1 attached /dev/pts/3 xterm\n',
  );

  assert.deepEqual(terminalFor('$2', clients), {
    pid: 13,
    device: '/dev/pts/3',
    showsSession: true,
  });
});

test('terminalFor() takes the client used last of all where none shows the session, but no program', async () => {
  const clients = await clientsIn(
    '$1 %1 300 11 0 1 attached /dev/pts/1 xterm\n$1 %1 400 12 1 1 attached /dev/pts/2 \n$1 %1 500 13 0 1 attached  \n$1 %1 600 14 0 1 attached /dev/../x xterm\n',
  );

  assert.deepEqual(terminalFor('$2', clients), {
    pid: 11,
    device: '/dev/pts/1',
    showsSession: false,
  });
});

test('terminalFor() returns null if no client is attached', async () => {
  assert.equal(terminalFor('$2', await clientsIn('')), null);
});

test('tmuxServer().pane() accepts only the pane that was asked for', async () => {
  const found = await paneIn('42 %3 $7 0 70 1 /dev/pts/9 off\n');
  assert.equal(found?.session, '$7');
  assert.equal(found.serverPid, '42');
  for (const answer of ['42 %4 $7 0 70 1 /dev/pts/9 off\n', '', 'no server running']) {
    assert.equal(await paneIn(answer), null);
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
