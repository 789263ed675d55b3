import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { shellWord } from '../../src/text/escape.ts';
import { heldQuestions, permissionRequest, startAsking } from '../support/asking-hook.ts';
import { type HookbellHome, hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { needs } from '../support/system-part.ts';
import { openTmux, type Tmux } from '../support/tmux.ts';

/** `hookbell sessions --watch` in a separate terminal. */
async function watchIn(tmux: Tmux, home: HookbellHome, before = '') {
  const line = [process.execPath, join(projectRoot, 'dist/program/cli.js'), 'sessions', '--watch'];
  const command = `HOME=${shellWord(home.home)} ${before} ${line.map(shellWord).join(' ')}; echo "status $?"`;
  await tmux.run('set', '-g', 'remain-on-exit', 'on');
  const pane = (await tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', command)).trim();
  const screen = (): Promise<string> => tmux.run('capture-pane', '-p', '-J', '-t', pane);
  return {
    press: (...keys: readonly string[]) => tmux.run('send-keys', '-t', pane, ...keys),
    async shows(words: RegExp): Promise<string> {
      await until(async () => words.test(await screen()));
      return screen();
    },
  };
}

describe('hookbell sessions --watch', { skip: needs('tmux', 'mkfifo'), timeout: 120_000 }, () => {
  test('selects a session by the arrows, shows its whole request and allows it; q ends it', async () => {
    await using home = await hookbellHome();
    await home.start();
    await using tmux = await openTmux();
    using first = startAsking(home);
    using second = startAsking(home, {
      ...permissionRequest,
      session_id: 'session-b',
      tool_input: { command: 'touch other' },
    });
    await heldQuestions(home, 2);

    const terminal = await watchIn(tmux, home);
    // All of the table: a part of a frame may be on the screen.
    const shown = await terminal.shows(
      /^(?=[^]*^> +session-)(?=[^]*session-a)(?=[^]*session-b)[^]*a allow or answer · d deny · w deny with words/m,
    );
    const wantsSecond = /^> +session-a/m.test(shown);
    await terminal.press('Down');
    await terminal.shows(wantsSecond ? /^> +session-b/m : /^> +session-a/m);
    await terminal.press('a');
    const asked = await terminal.shows(/Allow this\? \[y\/N\]/);
    await terminal.press('y', 'Enter');
    await terminal.shows(/Allowed: the answer was sent to claude/);
    await terminal.press('x');
    await terminal.shows(/q quit/);
    await terminal.press('q');
    await terminal.shows(/status 0/);

    const [allowed, other] = asked.includes('touch other') ? [second, first] : [first, second];
    assert.match((await allowed.ended).printed, /"behavior":"allow"/);
    assert.equal(other.hook.exitCode, null);
  });

  test('denies with words, and not without a yes; snoozes', async () => {
    await using home = await hookbellHome();
    await home.start();
    await using tmux = await openTmux();
    using asking = startAsking(home);
    await heldQuestions(home);

    const terminal = await watchIn(tmux, home);
    await terminal.shows(/q quit/);
    await terminal.press('d');
    await terminal.shows(/touch made[^]*Deny this\? \[y\/N\]/);
    await terminal.press('Enter');
    await terminal.shows(/Not denied: the request stays open/);
    await terminal.press('x');
    await terminal.shows(/q quit/);
    await terminal.press('s');
    await terminal.shows(/is snoozed until/);
    await terminal.press('x');
    await terminal.shows(/q quit/);
    await terminal.press('w');
    await terminal.shows(/What the agent should do instead:/);
    await terminal.press('-l', 'Use staging');
    await terminal.press('Enter');
    await terminal.shows(/Denied: the answer was sent to claude/);
    await terminal.press('x');
    await terminal.shows(/q quit/);
    await terminal.press('C-c');
    await terminal.shows(/status 0/);

    assert.match((await asking.ended).printed, /"deny","message":"Use staging"/);
  });

  test('an agent cannot press its keys', async () => {
    await using home = await hookbellHome();
    await home.start();
    await using tmux = await openTmux();
    using asking = startAsking(home);
    await heldQuestions(home);

    const terminal = await watchIn(tmux, home, 'env CLAUDECODE=1');
    await terminal.shows(/q quit/);
    await terminal.press('a');
    await terminal.shows(/Allow this\?/);
    await terminal.press('y', 'Enter');
    await terminal.shows(/Cannot answer for a person: an agent runs it \(CLAUDECODE is set/);

    assert.equal(asking.hook.exitCode, null);
  });
});
