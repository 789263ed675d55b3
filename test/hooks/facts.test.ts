import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { describe, test } from 'node:test';

import { stateDirectory } from '../../hooks/state-directory.ts';
import { factKeys } from '../../src/core/facts.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { onlyFile } from './read-spool.ts';
import { hookVariants, runHook } from './run-hook.ts';

/** A value for each variable that a hook repeats, by the key it repeats it under. */
const surroundings = {
  tmux: '/tmp/tmux-1000/default,42,0',
  tmux_pane: '%3',
  term: 'xterm-256color',
  term_program: 'iTerm.app',
  lc_terminal: 'iTerm2',
  display: ':0',
  wayland_display: 'wayland-1',
  windowid: '77',
  swaysock: '/run/user/1000/sway-ipc.1000.9.sock',
  hyprland_instance_signature: 'v0.50_1700000000_1',
  kitty_window_id: '5',
  kitty_pid: '4343',
  kitty_listen_on: 'unix:@kitty-4343',
  wezterm_pane: '6',
  wezterm_unix_socket: '/run/user/1000/wezterm/gui-sock-9',
  iterm_session_id: 'w0t1p0:0000',
  gnome_terminal_screen: '/org/gnome/Terminal/screen/a_b_c',
  konsole_dbus_service: ':1.42',
  konsole_dbus_session: '/Sessions/2',
  konsole_dbus_window: '/Windows/1',
  alacritty_window_id: '77',
  ghostty_surface_id: '0x00000000000000ff',
  vscode_git_askpass_node: '/usr/share/code/code',
  cf_bundle_identifier: 'com.googlecode.iterm2',
  droid_project_dir: '/home/dev/a shop',
  factory_project_dir: '/home/dev/shöp',
  qwen_project_dir: '/home/dev/"q"',
  gemini_project_dir: "/home/dev/'g'",
  claude_project_dir: '/home/dev/$(id)`id`',
  claudecode: '1',
  ai_agent: 'claude-code/2.1.329',
  claude_code_entrypoint: 'cli',
  claude_code_session_attended: '1',
  claude_code_session_id: '0190-a',
  claude_pid: '4242',
  grok_hook_event: 'stop',
  grok_session_id: '0190-b',
  augment_conversation_id: '5d0c-b',
};
const environment = Object.fromEntries(
  Object.entries(surroundings).map(([key, value]) => [
    key === 'cf_bundle_identifier' ? '__CFBundleIdentifier' : key.toUpperCase(),
    value,
  ]),
);

for (const variant of hookVariants) {
  describe(`facts by ${variant.name}`, { skip: variant.skip, timeout: 20_000 }, () => {
    test('are all that core knows, and nothing else of the environment (T12)', async () => {
      await using state = await temporaryDirectory();

      await runHook(variant, '{}', {
        args: ['--agent', 'claude', '--event', 'Stop'],
        env: {
          ...environment,
          HOOKBELL_STATE_DIR: state.path,
          SSH_TTY: '/dev/pts/7',
          SSH_CONNECTION: '192.0.2.1 5 192.0.2.2 22',
          VSCODE_PID: '4444',
          ANTHROPIC_API_KEY: 'seeded-secret',
          CLAUDE_CODE_MESSAGING_TOKEN: 'seeded-secret',
        },
      });

      const { facts, text } = onlyFile(state.path);
      const { pid, ppid, ...others } = facts;
      assert.deepEqual(others, {
        ...surroundings,
        agent: 'claude',
        event: 'Stop',
        tty: '/dev/pts/7',
        ssh: '1',
        vscode: '1',
      });
      assert.match(pid ?? '', /^\d+$/);
      assert.equal(ppid, String(process.pid));
      // Only hookbell-ask passes the other one.
      const known = factKeys.filter((key) => key !== 'ask');
      assert.deepEqual(Object.keys(facts).toSorted(), known.toSorted());
      assert.doesNotMatch(text, /seeded-secret|192\.0\.2/);
    });

    test('are left out when empty, over 1 KB, or able to forge a line (T16, fault 53)', async () => {
      await using state = await temporaryDirectory();

      await runHook(variant, '{}', {
        args: ['--agent', 'droid\nevent=Stop', '--event', '\u007f'],
        env: {
          HOOKBELL_STATE_DIR: state.path,
          TMUX: 'a\nclaudecode=1',
          TMUX_PANE: '\n\n{"forged":true}\nhookbell-end x\n',
          TERM_PROGRAM: '\u001b]0;x\u0007',
          CLAUDE_PROJECT_DIR: 'a\rb',
          GEMINI_PROJECT_DIR: '\tb',
          AI_AGENT: 'x'.repeat(1025),
          DROID_PROJECT_DIR: 'x'.repeat(1024),
          CLAUDECODE: '',
          // Without one bash makes one up.
          TERM: '',
        },
      });

      const { facts, payload, isWhole } = onlyFile(state.path);
      const { pid: _pid, ppid: _ppid, ...others } = facts;
      assert.deepEqual(others, { droid_project_dir: 'x'.repeat(1024) });
      assert.equal(payload.toString(), '{}');
      assert.equal(isWhole, true);
    });

    test('survive arguments that make no sense (acceptance 020)', async () => {
      for (const args of [
        ['--agent'],
        ['--event'],
        ['--help'],
        ['-t', '', '--'],
        ['{', '--agent'],
      ]) {
        await using state = await temporaryDirectory();

        const run = await runHook(variant, '{"a":1}', {
          args,
          env: { HOOKBELL_STATE_DIR: state.path },
        });

        assert.equal(run.code, 0);
        assert.equal(onlyFile(state.path).payload.toString(), '{"a":1}');
      }
    });

    const places: Readonly<Record<string, (home: string) => Record<string, string>>> = {
      HOOKBELL_STATE_DIR: (home) => ({ HOOKBELL_STATE_DIR: `${home}/own`, XDG_STATE_HOME: home }),
      XDG_STATE_HOME: (home) => ({ HOOKBELL_STATE_DIR: '', XDG_STATE_HOME: `${home}/xdg` }),
      'relative paths': () => ({ HOOKBELL_STATE_DIR: 'own', XDG_STATE_HOME: './xdg' }),
      'HOME alone': () => ({}),
      'a HOME with blanks': (home) => ({ HOME: `${home}/a  b*` }),
    };
    for (const [name, environmentIn] of Object.entries(places)) {
      test(`go where resolvePaths() says: ${name}`, async () => {
        await using directory = await temporaryDirectory();
        const env = { HOME: directory.path, ...environmentIn(directory.path) };

        mkdirSync(env.HOME, { recursive: true });

        await runHook(variant, '{}', { env });

        const { state } = resolvePaths(env, process.platform, env.HOME);
        assert.equal(onlyFile(state).isWhole, true);
      });
    }
  });
}

test('stateDirectory() says the same as resolvePaths() on Windows', () => {
  const home = String.raw`C:\Users\dev`;
  for (const env of [
    {},
    { LOCALAPPDATA: String.raw`D:\local` },
    { LOCALAPPDATA: 'local', XDG_STATE_HOME: 'D:/xdg' },
    { LOCALAPPDATA: String.raw`D:\local`, HOOKBELL_STATE_DIR: String.raw`E:\own` },
  ]) {
    assert.equal(
      stateDirectory('', env, 'win32', home).path,
      resolvePaths(env, 'win32', home).state,
    );
  }
});
