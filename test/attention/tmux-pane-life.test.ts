import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import type { Session } from '../../src/core/session.ts';
import type { Ask } from '../../src/attention/presence.ts';
import { tmuxPaneLife } from '../../src/attention/tmux-panes.ts';
import { answering } from '../support/answering.ts';
import { NOW, sampleSession } from '../support/store.ts';
import { needs } from '../support/system-part.ts';
import { openTmux, type Tmux } from '../support/tmux.ts';

const skip = needs('tmux', 'script');

const really: Ask = (program, arguments_) =>
  new Promise((resolve) => {
    execFile(program, arguments_, (error, stdout) => resolve(error === null ? stdout : null));
  });

/** Opens a pane that runs its own program; returns the facts of a hook in it. */
async function paneWith(tmux: Tmux, ...words: readonly string[]): Promise<Session['facts']> {
  const format = '#{socket_path},#{pid},0 #{pane_id}';
  const shown = await tmux.run('split-window', '-P', '-F', format, ...words, 'sleep 600');
  const [variable = '', pane = ''] = shown.trim().split(' ');
  return { tmux: variable, tmux_pane: pane, term_program: 'tmux' };
}

function sessionWith(facts: Session['facts'], lastEventAt = NOW - 1): Session {
  return sampleSession({ key: 'a', facts, lastEventAt });
}

/** Whether the only session is gone. */
async function isGone(life: ReturnType<typeof tmuxPaneLife>, session: Session): Promise<boolean> {
  return (await life([session])).has('a');
}

test('tmuxPaneLife() sees a pane close', { skip }, async () => {
  await using tmux = await openTmux();
  const facts = await paneWith(tmux);
  const life = tmuxPaneLife(really, () => NOW);

  assert.equal(await isGone(life, sessionWith(facts)), false);
  await tmux.run('kill-pane', '-t', facts.tmux_pane ?? '');
  assert.equal(await isGone(life, sessionWith(facts)), true);
});

test('tmuxPaneLife() sees that the program of a pane that stays has ended', { skip }, async () => {
  await using tmux = await openTmux();
  await tmux.run('set', '-g', 'remain-on-exit', 'on');
  const facts = await paneWith(tmux);
  const life = tmuxPaneLife(really, () => NOW);
  const program = await tmux.run('display', '-p', '-t', facts.tmux_pane ?? '', '#{pane_pid}');
  assert.equal(await isGone(life, sessionWith(facts)), false);

  process.kill(Number(program));
  // The hook "pane-died" of tmux 3.3 sometimes does not run: the pane itself says it.
  const isDead = ['display', '-p', '-t', facts.tmux_pane ?? '', '#{pane_dead}'];
  while ((await tmux.run(...isDead)).trim() !== '1') await setImmediate();

  assert.equal(await isGone(life, sessionWith(facts)), true);
});

test(
  'tmuxPaneLife() sees another program in the pane, unless the session spoke since',
  { skip },
  async () => {
    await using tmux = await openTmux();
    const facts = await paneWith(tmux);
    const life = tmuxPaneLife(really, () => NOW);
    assert.equal(await isGone(life, sessionWith(facts)), false);

    await tmux.run('respawn-pane', '-k', '-t', facts.tmux_pane ?? '', 'sleep 500');

    assert.equal(await isGone(life, sessionWith(facts)), true);
    assert.equal(await isGone(life, sessionWith(facts, NOW + 1)), false, 'it was resumed there');
  },
);

test(
  'tmuxPaneLife() knows that a new server at the same socket has other panes',
  { skip },
  async () => {
    await using tmux = await openTmux();
    const facts = await paneWith(tmux);
    const earlier = { ...facts, tmux: `${tmux.socket},1,0` };

    assert.equal(
      await isGone(
        tmuxPaneLife(really, () => NOW),
        sessionWith(earlier),
      ),
      true,
    );
  },
);

test('tmuxPaneLife() reports nothing for a server that does not answer', { skip }, async () => {
  const facts = { tmux: '/nonexistent/tmux,1,0', tmux_pane: '%0' };

  assert.equal(
    await isGone(
      tmuxPaneLife(really, () => NOW),
      sessionWith(facts),
    ),
    false,
  );
});

for (const [name, facts, answer] of [
  ['a list that is cut off', {}, '7 %1 $1 0 70 1 /dev/pts/9 off\n7 %2'],
  ['an empty answer', {}, ''],
  [
    'an editor that was started in a pane',
    { term_program: 'vscode' },
    '7 %1 $1 0 70 1 /dev/pts/9 off\n',
  ],
  ['a session outside of tmux', { tmux: 'none' }, '7 %1 $1 0 70 1 /dev/pts/9 off\n'],
] as const) {
  test(`tmuxPaneLife() reports nothing for ${name}`, async () => {
    const { ask } = answering({ '': answer });
    const session = sessionWith({ tmux: '/tmp/a,b,7,0', tmux_pane: '%9', ...facts });

    assert.equal(
      await isGone(
        tmuxPaneLife(ask, () => NOW),
        session,
      ),
      false,
    );
  });
}

test('tmuxPaneLife() asks each server once', async () => {
  const { ask, asked } = answering({ '': '7 %1 $1 0 70 1 /dev/pts/9 off\n' });
  const facts = { tmux: '/tmp/a,b,7,0', term_program: 'tmux' };

  const gone = await tmuxPaneLife(
    ask,
    () => NOW,
  )([
    sampleSession({ key: 'stays', facts: { ...facts, tmux_pane: '%1' } }),
    sampleSession({ key: 'gone', facts: { ...facts, tmux_pane: '%9' } }),
  ]);

  assert.deepEqual([...gone], ['gone']);
  assert.equal(asked.length, 1);
  assert.match(asked[0] ?? '', /^tmux -S \/tmp\/a,b list-panes -a -F /);
});
