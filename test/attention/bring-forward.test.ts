import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import type { HookFacts } from '../../src/core/facts.ts';
import type { Log } from '../../src/platform/log.ts';
import { silentLog } from '../../src/platform/log.ts';
import { bringForward } from '../../src/attention/bring-forward.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openTmux } from '../support/tmux.ts';
import type { Tmux } from '../support/tmux.ts';

interface Bench extends AsyncDisposable {
  readonly home: string;
  /** Brings it forward with nothing but the given programs, each a shell script. */
  bring(facts: HookFacts, at?: number): Promise<string | null>;
  /** What was run, a line each. */
  ran(): Promise<readonly string[]>;
  readonly log: readonly string[];
}

/** Each program writes down its words, then does what its script says. */
async function benchWith(scripts: Readonly<Record<string, string>>): Promise<Bench> {
  const directory = await temporaryDirectory();
  const record = join(directory.path, 'ran');
  await writeFile(record, '');
  for (const [name, script] of Object.entries(scripts)) {
    const program = join(directory.path, name);
    await writeFile(program, `#!/bin/sh\necho ${name} "$@" >>'${record}'\n${script}\n`);
    await chmod(program, 0o755);
  }
  const lines: string[] = [];
  const say = (fields: object, sentence: string): void => {
    lines.push(`${sentence} ${JSON.stringify(fields)}`);
  };
  const log: Log = { debug: say, info: say, warn: say, error: say };
  return {
    home: directory.path,
    log: lines,
    bring: (facts, at = Date.now()) =>
      bringForward(
        { agent: 'droid', facts, at },
        {
          env: { PATH: directory.path, HOME: directory.path, SECRET: 'a token' },
          platform: 'linux',
          now: Date.now,
          log,
          patienceMs: 400,
        },
      ),
    ran: async () => (await readFile(record, 'utf8')).split('\n').filter(Boolean),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const onX11: HookFacts = { term: 'xterm', display: ':0', windowid: '77' };

describe('bringForward()', { timeout: 30_000 }, () => {
  test('runs the first step that works, with the display of the session, and says so', async () => {
    await using bench = await benchWith({
      xdotool: 'echo "$DISPLAY of $HOME, ${SECRET-no secret}" >>"$0.on"',
      wmctrl: '',
    });

    await bench.bring(onX11);

    assert.deepEqual(await bench.ran(), ['xdotool getwindowpid 77', 'xdotool windowactivate 77']);
    const surroundings = await readFile(join(bench.home, 'xdotool.on'), 'utf8');
    assert.equal(surroundings, `:0 of ${bench.home}, no secret\n`.repeat(2));
    assert.match(bench.log.join('\n'), /Brought the session's terminal forward/);
  });

  test('goes on where a program is missing, fails or hangs, and logs it', async () => {
    await using bench = await benchWith({
      kitten: 'exit 1',
      kitty: 'exec /bin/sleep 60',
      wmctrl: '',
    });

    await bench.bring({ ...onX11, kitty_window_id: '3', kitty_listen_on: 'unix:@kitty' });

    assert.deepEqual(await bench.ran(), [
      'wmctrl -i -a 0x4d',
      'kitten @ --to unix:@kitty focus-window --match id:3',
      'kitty @ --to unix:@kitty focus-window --match id:3',
    ]);
    const log = bench.log.join('\n');
    assert.match(log, /failed \{"program":"kitten","reason":"exited with code 1"\}/);
    assert.match(log, /failed \{"program":"kitty","reason":"did not end within 0.4 s"\}/);
    assert.match(log, /not installed \{"program":"xdotool"\}/);
    assert.match(log, /forward \{"tab":false,"window":true\}/);
  });

  test('opens an application of macOS only if it runs, which a script that starts nothing asks', async () => {
    const facts = { cf_bundle_identifier: 'com.apple.Terminal' };
    for (const [script, isOpened] of [
      ['exit 1', false],
      ['', true],
    ] as const) {
      await using bench = await benchWith({ osascript: script, open: '' });

      assert.equal((await bench.bring(facts)) === null, isOpened);
      const [asked = '', ...opened] = await bench.ran();
      assert.match(asked, /^osascript .* is not running then error .* -- com\.apple\.Terminal$/);
      assert.deepEqual(opened, isOpened ? ['open -b com.apple.Terminal'] : []);
    }
  });

  test('does no harm where nothing works at all', async () => {
    await using bench = await benchWith({ xdotool: 'exit 1' });

    await bench.bring(onX11);
    await bench.bring({});

    assert.match(bench.log.join('\n'), /Cannot bring the session's terminal forward/);
  });

  test('goes on after a step with an inconclusive status, and not to the next method', async () => {
    await using bench = await benchWith({ kdotool: '', xdotool: '' });

    await bench.bring({ ...onX11, wayland_display: 'wayland-0', ppid: String(process.pid) });

    const ran = await bench.ran();
    assert.match(ran.at(-1) ?? '', new RegExp(`^kdotool .* --pid ${process.pid} `));
    assert.ok(ran.length > 1);
    assert.equal(
      ran.some((line) => line.startsWith('xdotool search')),
      false,
    );
  });

  test('leaves a window alone that was opened after the event, under the number of a closed one', async () => {
    await using bench = await benchWith({ xdotool: `echo ${process.pid}` });

    await bench.bring({ ...onX11, alacritty_window_id: '77' }, 0);

    assert.deepEqual(await bench.ran(), ['xdotool getwindowpid 77']);
    assert.match(
      bench.log.join('\n'),
      /Cannot bring .* forward: it is closed, or none of the known methods works/,
    );
  });

  test('believes a window whose process is not visible, as that of a terminal in a sandbox', async () => {
    await using bench = await benchWith({ xdotool: 'echo 999999999' });

    await bench.bring(onX11, 0);

    assert.deepEqual(await bench.ran(), ['xdotool getwindowpid 77', 'xdotool windowactivate 77']);
  });

  test('names the folder to an editor that it has open itself, around the one the agent works in', async () => {
    await using bench = await benchWith({ code: '' });
    const state = join(bench.home, '.config/Code/User/globalStorage');
    await mkdir(state, { recursive: true });
    const openedWindows = ['/', dirname(process.cwd())].map((path) => ({
      folder: String(pathToFileURL(path)),
    }));
    await writeFile(
      join(state, 'storage.json'),
      JSON.stringify({ windowsState: { openedWindows } }),
    );

    await bench.bring({
      ppid: String(process.pid),
      term_program: 'vscode',
      vscode_git_askpass_node: '/usr/share/code/code',
      claude_project_dir: '/srv/somewhere-else',
    });

    assert.deepEqual(await bench.ran(), [`code ${dirname(process.cwd())}`]);
  });

  test('moves no window for a session that came by ssh', async () => {
    await using bench = await benchWith({ xdotool: '', wmctrl: '' });

    await bench.bring({ ...onX11, ssh: '1' });

    assert.deepEqual(await bench.ran(), []);
  });

  test('runs nothing in the surroundings of an event that has none', async () => {
    await using bench = await benchWith({ xdotool: '', tmux: '', swaymsg: '', open: '' });

    await bench.bring({ tmux: 'nonsense', tmux_pane: '%0; kill-server' });

    assert.deepEqual(await bench.ran(), []);
  });
});

async function factsIn(tmux: Tmux, pane: string): Promise<HookFacts> {
  const pid = (await tmux.run('display-message', '-p', '#{pid}')).trim();
  return { tmux: `${tmux.socket},${pid},0`, tmux_pane: pane, term_program: 'tmux' };
}

async function shownPane(tmux: Tmux): Promise<string> {
  return (await tmux.run('list-clients', '-F', '#{session_name} #{pane_id}')).trim();
}

function bringOnThisMachine(facts: HookFacts): Promise<string | null> {
  return bringForward(
    { agent: 'claude', facts, at: Date.now() },
    {
      env: { PATH: process.env['PATH'] },
      platform: process.platform,
      now: Date.now,
      log: silentLog,
    },
  );
}

describe('bringForward() in tmux', { skip: needs('tmux', 'script'), timeout: 30_000 }, () => {
  test('selects the window and the pane the session runs in', async () => {
    await using tmux = await openTmux();
    await tmux.run('split-window', 'sleep 600');
    await tmux.run('new-window', 'sleep 600');
    assert.equal(await shownPane(tmux), '0 %2');

    await bringOnThisMachine(await factsIn(tmux, '%0'));
    assert.equal(await shownPane(tmux), '0 %0');
    await bringOnThisMachine(await factsIn(tmux, '%1'));
    assert.equal(await shownPane(tmux), '0 %1');
  });

  test('switches the client where no client shows that tmux session', async () => {
    await using tmux = await openTmux();
    await tmux.run('new-session', '-d', '-s', 'other', 'sleep 600');

    await bringOnThisMachine(await factsIn(tmux, '%1'));

    assert.equal(await shownPane(tmux), 'other %1');
  });

  test('leaves a server alone that is not the one of the session', async () => {
    await using tmux = await openTmux();
    await tmux.run('new-window', 'sleep 600');
    const facts = await factsIn(tmux, '%0');

    await bringOnThisMachine({ ...facts, tmux: `${tmux.socket},1,0` });

    assert.equal(await shownPane(tmux), '0 %1');
  });
});
