import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { shellWord } from '../../src/text/escape.ts';
import {
  heldQuestions as held,
  permissionRequest as request,
  startAsking,
} from '../support/asking-hook.ts';
import { type HookbellHome, hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { needs } from '../support/system-part.ts';
import { openTmux, type Tmux } from '../support/tmux.ts';

const ran = {
  ...request,
  hook_event_name: 'PostToolUse',
  tool_response: { stdout: '' },
  tool_use_id: 'call-1',
};

/** Runs hookbell in a separate window, whose processes are not descendants of this one. */
async function inTerminal(tmux: Tmux, home: HookbellHome, words: readonly string[], before = '') {
  const line = [process.execPath, join(projectRoot, 'dist/program/cli.js'), ...words];
  const command = `HOME=${shellWord(home.home)} ${before} ${line.map(shellWord).join(' ')}; echo "status $?"`;
  await tmux.run('set', '-g', 'remain-on-exit', 'on');
  const pane = (await tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', command)).trim();
  const screen = async (): Promise<string> =>
    (await tmux.run('capture-pane', '-p', '-J', '-S', '-', '-t', pane)).trim();
  return {
    screen,
    type: (text: string) => tmux.run('send-keys', '-t', pane, text, 'Enter'),
    async ended(): Promise<string> {
      await until(async () => /status \d+/.test(await screen()));
      return screen();
    },
  };
}

describe('answers from elsewhere', { skip: needs('tmux', 'script'), timeout: 300_000 }, () => {
  test('a person allows a request on the command line, after seeing all of it', async () => {
    await using home = await hookbellHome();
    await home.start();
    await using tmux = await openTmux();
    using asking = startAsking(home);
    await held(home);

    const terminal = await inTerminal(tmux, home, ['allow']);
    await until(async () => (await terminal.screen()).includes('Allow this?'));
    const shown = await terminal.screen();
    await terminal.type('y');

    assert.match(
      shown,
      /claude in shop \(\/home\/dev\/shop\)\nBash\n +command: touch made\n +description: Make a file/,
    );
    assert.match(await terminal.ended(), /Allowed: the answer was sent to claude\nstatus 0/);
    const { code, printed } = await asking.ended;
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(printed), {
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
    });
    await home.hook(ran);
    await until(() => readdirSync(home.paths.asks).length === 0);
  });

  test('an agent whose payload speaks for two is held for no answer', async () => {
    await using home = await hookbellHome();
    await home.start();
    // Cursor's field, and a transcript of Claude Code.
    using asking = startAsking(home, { ...request, generation_id: 'g' });

    assert.deepEqual(await asking.ended, { code: 0, printed: '' });

    await until(async () => (await home.ask('GET /v1/alerts')).length === 1);
    assert.deepEqual(await home.ask('GET /v1/answers'), []);
  });

  test('a person who does not say yes has allowed nothing, and denies with words', async () => {
    await using home = await hookbellHome();
    await home.start();
    await using tmux = await openTmux();
    using asking = startAsking(home);
    await held(home);

    const unsure = await inTerminal(tmux, home, ['allow']);
    await until(async () => (await unsure.screen()).includes('Allow this?'));
    await unsure.type('');
    assert.match(await unsure.ended(), /Not allowed: the request stays open\nstatus 1/);
    const terminal = await inTerminal(tmux, home, ['deny', 'Use "staging"']);

    assert.match(await terminal.ended(), /Denied: .*\nstatus 0/);
    const { printed } = await asking.ended;
    assert.match(printed, /"behavior":"deny","message":"Use \\"staging\\""/);
  });

  test('of two requests of one session none is chosen by guess', async () => {
    await using home = await hookbellHome();
    await home.start();
    await using tmux = await openTmux();
    using first = startAsking(home);
    await held(home);
    const other = { command: 'touch other', description: 'Make another file' };
    using second = startAsking(home, { ...request, tool_input: other });
    const questions = await held(home, 2);
    const wanted = questions.find(({ text }) => text?.includes('touch other'));
    assert.ok(wanted);

    for (const words of [['allow'], ['deny', 'session-a', 'No']]) {
      const unclear = await inTerminal(tmux, home, words);
      await until(async () => (await unclear.screen()).includes('Which request? [1-2]'));
      await unclear.type('');
      assert.match(await unclear.ended(), /No request was chosen: all stay open\nstatus 1/);
    }
    assert.equal((await held(home, 2)).length, 2);
    const short = wanted.id.slice(0, 8);
    const shown = await inTerminal(tmux, home, ['deny', short, 'Not that']);

    assert.match(await shown.ended(), /command: touch other[^]*Denied[^]*status 0/);
    assert.match((await second.ended).printed, /"message":"Not that"/);
    assert.equal(first.hook.exitCode, null);
    const gone = await inTerminal(tmux, home, ['deny', short]);
    assert.match(await gone.ended(), /No waiting session or request has an id that begins with/);
  });

  test('an agent cannot allow itself', async () => {
    await using home = await hookbellHome();
    await home.start();
    await using tmux = await openTmux();
    using asking = startAsking(home);
    const [question] = await held(home);
    assert.ok(question);
    const programs = join(home.home, 'programs');
    mkdirSync(programs);
    copyFileSync('/bin/sh', join(programs, 'claude'));

    const piped = await home.cli('allow');
    assert.match(piped.stderr, /standard input is not a terminal/);
    const challenge = await home.ask('POST /v1/caller');
    const { id, requestHash } = question;
    const body = { question: id, requestHash, choice: 'allow' };
    for (const pid of [process.pid, 1, asking.agent.pid]) {
      const caller = { challenge: challenge.id, pid };
      await assert.rejects(
        home.ask('POST /v1/answer', { body: { ...body, caller } }),
        /Cannot answer for a person/,
      );
    }
    const marked = await inTerminal(tmux, home, ['deny'], 'env CLAUDECODE=1');
    assert.match(await marked.ended(), /an agent runs it \(CLAUDECODE is set/);
    const below = await inTerminal(
      tmux,
      home,
      ['deny'],
      `${join(programs, 'claude')} -c '"$@"; :' sh`,
    );
    assert.match(await below.ended(), /an agent runs it \(process \d+, "claude"\)/);
    const nohup = await inTerminal(tmux, home, ['deny'], 'setsid --wait');
    assert.match(await nohup.ended(), /Cannot answer for a person: it has no terminal/);

    assert.equal((await held(home))[0]?.state, 'held');
    assert.equal(asking.hook.exitCode, null);
  });

  test('an agent cannot send words to another session, and a script of a person can', async () => {
    await using home = await hookbellHome();
    await home.start();
    const codex = '01a203c8-58ff-7ce2-b299-382b0e64a22b';
    await home.hook({ hook_event_name: 'Stop', session_id: 'session-a' }, ['--agent', 'claude']);
    await home.hook({ hook_event_name: 'Stop', session_id: codex }, ['--agent', 'codex']);
    await until(async () => (await home.ask('GET /v1/sessions')).length === 2);

    for (const session of ['session-a', codex]) {
      home.env['CLAUDECODE'] = '1';
      const byAgent = await home.cli('reply', session, 'Publish it');
      assert.match(byAgent.stderr, /words from an agent are refused: an agent runs it/);
      assert.equal(byAgent.code, 1);
      delete home.env['CLAUDECODE'];
      const byScript = await home.cli('reply', session, 'Publish it');
      assert.match(byScript.stderr, /is not waiting for words|"codex" was not found/);
    }
    const body = { session: 'claude:session-a', text: 'Publish it' };
    const challenge = await home.ask('POST /v1/caller');
    const caller = { challenge: challenge.id, pid: process.pid };
    const unproved = await home.ask('POST /v1/words', { body: { ...body, caller } });
    assert.match(unproved.reason ?? '', /its process cannot be checked/);
  });

  test('the terminal was first: the hook is released and prints nothing', async () => {
    await using home = await hookbellHome();
    await home.start();
    using asking = startAsking(home);
    await held(home);

    await home.hook({ ...ran, tool_input: { command: 'something else that ran beside it' } });
    await until(async () => (await home.ask('GET /v1/history')).length === 2);
    assert.equal((await held(home)).length, 1);
    await home.hook(ran);

    assert.deepEqual(await asking.ended, { code: 0, printed: '' });
    assert.deepEqual(await home.ask('GET /v1/questions'), []);
  });

  test('of two requests of a tool the terminal answers the first: the second stays, and is allowed from elsewhere', async () => {
    await using home = await hookbellHome();
    await home.start();
    await using tmux = await openTmux();
    using first = startAsking(home);
    await held(home);
    const other = { ...request, tool_input: { command: 'touch other' } };
    using second = startAsking(home, other);
    await held(home, 2);

    await home.hook(ran);

    assert.deepEqual(await first.ended, { code: 0, printed: '' });
    const [left] = await held(home);
    assert.match(left?.text ?? '', /command: touch other/);
    const alerts = await home.ask('GET /v1/alerts');
    assert.deepEqual(
      alerts.map(({ state }) => state),
      ['open'],
    );
    const terminal = await inTerminal(tmux, home, ['allow']);
    await until(async () => (await terminal.screen()).includes('Allow this?'));
    await terminal.type('y');
    assert.match(await terminal.ended(), /command: touch other[^]*Allowed/);
    assert.match((await second.ended).printed, /"behavior":"allow"/);
    await home.hook({ ...ran, ...other, hook_event_name: 'PostToolUse', tool_use_id: 'call-2' });
    await until(async () => (await home.ask('GET /v1/alerts')).length === 0);
  });

  test('a denial is not confirmed if the hook was killed before it printed it', async () => {
    await using home = await hookbellHome();
    await home.start();
    await using tmux = await openTmux();
    using asking = startAsking(home);
    await held(home);
    asking.hook.kill('SIGSTOP');
    const terminal = await inTerminal(tmux, home, ['deny', 'Use staging']);
    assert.match(await terminal.ended(), /Denied: .*\nstatus 0/);

    asking.hook.kill('SIGKILL');
    assert.deepEqual(await asking.ended, { code: null, printed: '' });
    await home.hook({ ...request, hook_event_name: 'Stop', stop_hook_active: false });
    await until(async () => (await home.ask('GET /v1/questions')).length === 0);

    const [row] = await home.ask('GET /v1/answers');
    assert.match(
      `${row?.state}: ${row?.outcome}`,
      /^answered: Denied at \d\d:\d\d by .+, not confirmed$/,
    );
  });

  test('a daemon that is killed or stopped lets its hooks go', async () => {
    await using home = await hookbellHome();
    const daemon = await home.start();
    using first = startAsking(home);
    await held(home);

    await home.killDaemon();

    assert.deepEqual(await first.ended, { code: 0, printed: '' });
    assert.notEqual(daemon.pid, undefined);
    const next = await home.start();
    using second = startAsking(home, { ...request, session_id: 'session-b' });
    await held(home);

    next.kill('SIGTERM');

    assert.deepEqual(await second.ended, { code: 0, printed: '' });
  });

  test('both hooks of one request notify once', async () => {
    await using home = await hookbellHome();
    await home.start();
    using asking = startAsking(home);
    await held(home);

    await home.hook(request);
    await until(async () => (await home.ask('GET /v1/history')).length === 2);

    assert.equal((await home.ask('GET /v1/alerts')).length, 1);
    assert.equal(asking.hook.exitCode, null);
  });

  test('a redacted request, and one of 200 KB, leave only Deny', async () => {
    await using home = await hookbellHome();
    await home.writeConfig('redact: { history: on }\n');
    await home.start();
    const key = `AKIA${'IOSFODNN7EXAMPLE'.slice(0, 16)}`;
    using secret = startAsking(home, {
      ...request,
      tool_input: {
        command: `AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY ${key}`,
      },
    });
    await held(home);
    using long = startAsking(home, {
      ...request,
      session_id: 'session-b',
      tool_input: { command: 'x'.repeat(200_000) },
    });

    const questions = await held(home, 2);

    for (const { text, choices } of questions) {
      assert.equal(text, null);
      assert.deepEqual(choices, ['deny']);
    }
    assert.equal(secret.hook.exitCode ?? long.hook.exitCode, null);
  });
});
