import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { sessionWindow } from '../../../src/cli/live/watch-with-keys.ts';
import type { SessionView } from '../../../src/control/contract.ts';
import type { SessionState } from '../../../src/core/session.ts';
import { programFile } from '../../../src/platform/program-files.ts';
import { shellWord } from '../../../src/text/escape.ts';
import { commandLine } from '../../support/command-line.ts';
import { until } from '../../support/hookbell-home.ts';
import { sampleSessionView } from '../../support/sample-views.ts';
import { needs } from '../../support/system-part.ts';
import { openTmux } from '../../support/tmux.ts';

function sessionsOf(counts: Partial<Record<SessionState, number>>): readonly SessionView[] {
  return (['waiting', 'working', 'ended'] as const).flatMap((state) =>
    Array.from({ length: counts[state] ?? 0 }, (_, index) =>
      sampleSessionView({
        key: `claude:${state}-${index}`,
        sessionId: `${state}-${index}`,
        state,
        title: `Task ${index}`,
        waitingFor: state === 'waiting' ? `Run: make part-${index}` : null,
      }),
    ),
  );
}

describe('sessionWindow()', () => {
  test('shows at most as many rows as there are, with the selected session and what it leaves out', () => {
    for (const counts of [{}, { waiting: 3 }, { waiting: 40, working: 400, ended: 60 }]) {
      const sessions = sessionsOf(counts);
      for (const rows of [3, 4, 20]) {
        for (const { key, state } of sessions) {
          const { shown, above, below } = sessionWindow(sessions, key, rows);

          const remarks = [above, below].filter((text) => text !== null).length;
          assert.ok(shown.length + remarks <= rows, `${rows} rows, ${key}`);
          assert.equal(
            shown.some((one) => one.key === key),
            state !== 'ended' || sessions.length <= rows,
          );
        }
      }
    }
  });

  test('folds what has ended, unless nothing else is there', () => {
    const few = sessionWindow(sessionsOf({ waiting: 2, ended: 30 }), null, 10);
    const only = sessionWindow(sessionsOf({ ended: 30 }), null, 10);
    const many = sessionWindow(sessionsOf({ waiting: 5, working: 40 }), 'claude:working-30', 10);

    assert.deepEqual([few.shown.length, few.below], [2, '30 ended']);
    assert.deepEqual([only.shown.length, only.below], [8, '↓ 22 more']);
    assert.deepEqual([many.above, many.below], ['↑ 31 more, 5 of them waiting', '↓ 6 more']);
  });
});

test(
  '"hookbell sessions --watch" of fifty sessions in thirty rows keeps those that wait on top, scrolls, and fits another size',
  { skip: needs('script', 'tmux'), timeout: 120_000 },
  async () => {
    await using cli = await commandLine();
    const sessions = sessionsOf({ waiting: 4, working: 34, ended: 12 });
    await cli.serve({ 'GET /v1/sessions': () => Promise.resolve(sessions) });
    await using tmux = await openTmux();
    const words = [process.execPath, programFile('commandLine'), 'sessions', '--watch'];
    const env = `HOME=${shellWord(cli.home)} HOOKBELL_STATE_DIR=${shellWord(cli.paths.state)} NO_COLOR=1`;
    const command = `${env} ${words.map(shellWord).join(' ')}`;
    await tmux.run('new-session', '-d', '-s', 'list', '-x', '100', '-y', '30', command);
    let screen = '';
    const shows = (text: RegExp): Promise<void> =>
      until(async () => {
        screen = await tmux.run('capture-pane', '-p', '-t', 'list');
        return text.test(screen);
      });

    await shows(/q quit/);
    assert.match(screen, /^ +ID +STATE.*\n> +waiting-0 +waiting .* Run: make part-0\n +waiting-1 /);
    assert.match(screen, /^↓ \d+ more · 12 ended$/m);
    assert.doesNotMatch(screen, /ended-0/);

    for (let pressed = 0; pressed < 30; pressed += 1) {
      await tmux.run('send-keys', '-t', 'list', 'Down');
    }
    await shows(/^> +working-26 /m);
    assert.match(screen, /^↑ \d+ more, 4 of them waiting\n +ID /);
    assert.match(screen, /q quit/);

    await tmux.run('resize-window', '-t', 'list', '-x', '60', '-y', '20');
    await shows(/^> +working-26 +working[^]*q quit\n*$/m);
    assert.ok(screen.split('\n').every((line) => line.length <= 60));
    for (let pressed = 0; pressed < 30; pressed += 1) {
      await tmux.run('send-keys', '-t', 'list', 'Up');
    }
    await shows(/^> +waiting-0 +waiting +\S+ d +shop +Run: make part-0$/m);
    assert.match(screen, /^ +ID/);
  },
);
