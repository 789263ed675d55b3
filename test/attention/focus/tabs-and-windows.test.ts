import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { factKeys, type HookFacts } from '../../../src/core/facts.ts';
import { type FocusStep, osascriptStep, type Place } from '../../../src/attention/focus/step.ts';
import { tabs } from '../../../src/attention/focus/tabs.ts';
import { windows } from '../../../src/attention/focus/windows.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';

function placeOf(facts: HookFacts, fields: Partial<Place> = {}): Place {
  return { facts, processes: [], device: null, directory: null, editorFolder: null, ...fields };
}

function line({ program, arguments: words, env = {}, after }: FocusStep): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const before = after === undefined ? [] : [line(after), '&&'];
  return [...before, ...variables, program, ...words].join(' ');
}

/** All steps, as one would type them. */
function typed(place: Place): readonly string[] {
  return [...tabs, ...windows].flatMap((focus) => focus(place).map(line));
}

/** Asked before an application is opened, which would start it. */
const runs = (bundle: string): string =>
  `osascript -e on run argv -e if application id (item 1 of argv) is not running then error "it does not run" -e end run -- ${bundle}`;

const SCREEN = '/org/gnome/Terminal/screen/0a1b2c3d_0000_4000_8000_0a1b2c3d4e5f';
const UUID = '0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f';
const SEARCH =
  'org.gnome.Terminal /org/gnome/Terminal/SearchProvider org.gnome.Shell.SearchProvider2';

const rows: readonly (readonly [name: string, place: Place, steps: readonly string[]])[] = [
  [
    'kitty that listens, and its window on X11',
    placeOf(
      {
        term: 'xterm-kitty',
        kitty_window_id: '3',
        kitty_pid: '40',
        kitty_listen_on: 'unix:@kitty-40',
        display: ':0',
        windowid: '77',
      },
      { processes: [42, 40] },
    ),
    [
      'kitten @ --to unix:@kitty-40 focus-window --match id:3',
      'kitty @ --to unix:@kitty-40 focus-window --match id:3',
      'DISPLAY=:0 xdotool windowactivate 77',
      'DISPLAY=:0 wmctrl -i -a 0x4d',
      'DISPLAY=:0 xdotool search --all --class --pid 42 .+ windowactivate %@',
      'DISPLAY=:0 xdotool search --all --class --pid 40 .+ windowactivate %@',
    ],
  ],
  [
    'a terminal that was started from kitty: not the tab of kitty',
    placeOf(
      { kitty_window_id: '3', kitty_pid: '40', kitty_listen_on: 'unix:/tmp/kitty' },
      { processes: [42, 41] },
    ),
    [],
  ],
  [
    'WezTerm on Sway',
    placeOf(
      {
        term_program: 'WezTerm',
        wezterm_pane: '6',
        wezterm_unix_socket: '/run/user/1000/wezterm/gui-sock-9',
        swaysock: '/run/user/1000/sway-ipc.1000.9.sock',
        wayland_display: 'wayland-1',
      },
      { processes: [42, 9] },
    ),
    [
      'WEZTERM_UNIX_SOCKET=/run/user/1000/wezterm/gui-sock-9 wezterm cli --no-auto-start activate-pane --pane-id 6',
      'swaymsg --socket /run/user/1000/sway-ipc.1000.9.sock -- [pid=42] focus',
      'swaymsg --socket /run/user/1000/sway-ipc.1000.9.sock -- [pid=9] focus',
    ],
  ],
  [
    'Ghostty or Alacritty on Hyprland',
    placeOf(
      {
        term_program: 'ghostty',
        hyprland_instance_signature: 'v0.50_1700000000_1',
        wayland_display: 'wayland-1',
      },
      { processes: [42, 9] },
    ),
    [
      'hyprctl --instance v0.50_1700000000_1 --batch dispatch focuswindow pid:9 ; dispatch focuswindow pid:42',
    ],
  ],
  [
    'Alacritty on X11',
    placeOf({ term: 'alacritty', display: ':1.0', windowid: '4194310' }),
    ['DISPLAY=:1.0 xdotool windowactivate 4194310', 'DISPLAY=:1.0 wmctrl -i -a 0x400006'],
  ],
  [
    'Alacritty on X11 that names its window itself',
    placeOf({ term: 'alacritty', display: ':0', windowid: '77', alacritty_window_id: '77' }),
    ['DISPLAY=:0 xdotool windowactivate 77', 'DISPLAY=:0 wmctrl -i -a 0x4d'],
  ],
  [
    'Alacritty on Wayland: its process, not the window of the terminal it was started from',
    placeOf(
      {
        term: 'alacritty',
        swaysock: '/run/sway.sock',
        display: ':0',
        windowid: '77',
        alacritty_window_id: '94893229663536',
      },
      { processes: [42] },
    ),
    [
      'swaymsg --socket /run/sway.sock -- [pid=42] focus',
      'DISPLAY=:0 xdotool search --all --class --pid 42 .+ windowactivate %@',
    ],
  ],
  [
    'a terminal that was started from Alacritty: its own window',
    placeOf({ term: 'xterm', display: ':0', windowid: '77', alacritty_window_id: '66' }),
    ['DISPLAY=:0 xdotool windowactivate 77', 'DISPLAY=:0 wmctrl -i -a 0x4d'],
  ],
  [
    'Ghostty on Linux, newer than 1.3.1',
    placeOf({ term_program: 'ghostty', ghostty_surface_id: '0xfedcba9876543210' }),
    [
      'busctl --user --auto-start=no -- call com.mitchellh.ghostty /com/mitchellh/ghostty org.gtk.Actions ' +
        'Activate sava{sv} present-surface 1 t 18364758544493064720 0',
      'gdbus call --session --dest com.mitchellh.ghostty --object-path /com/mitchellh/ghostty ' +
        "--method org.gtk.Actions.Activate -- 'present-surface' [<uint64 18364758544493064720>] {}",
    ],
  ],
  [
    'VS Code that was started from Ghostty: not the tab of Ghostty',
    placeOf({ term_program: 'vscode', ghostty_surface_id: '0x00000000000000ff' }),
    [],
  ],
  [
    'GNOME Terminal',
    placeOf({ term: 'xterm-256color', gnome_terminal_screen: SCREEN }),
    [
      `busctl --user --auto-start=no -- call ${SEARCH} ActivateResult sasu ${UUID} 0 0`,
      'gdbus call --session --dest org.gnome.Terminal --object-path /org/gnome/Terminal/SearchProvider ' +
        `--method org.gnome.Shell.SearchProvider2.ActivateResult -- '${UUID}' @as [] uint32 0`,
    ],
  ],
  [
    'another terminal that was started from GNOME Terminal',
    placeOf({ term_program: 'ghostty', gnome_terminal_screen: SCREEN }),
    [],
  ],
  [
    'Konsole on Plasma with Wayland',
    placeOf(
      {
        konsole_dbus_service: ':1.42',
        konsole_dbus_session: '/Sessions/2',
        konsole_dbus_window: '/Windows/1',
        wayland_display: 'wayland-0',
      },
      { processes: [42, 9] },
    ),
    [
      'busctl --user --auto-start=no -- call :1.42 /Windows/1 org.kde.konsole.Window setCurrentSession i 2',
      'gdbus call --session --dest :1.42 --object-path /Windows/1 ' +
        '--method org.kde.konsole.Window.setCurrentSession -- 2',
      'kdotool search --all --class --pid 9 .* windowactivate',
      'kdotool search --all --class --pid 42 .* windowactivate',
    ],
  ],
  [
    'VS Code on X11: its processes, not the window it was started from',
    placeOf({ term_program: 'vscode', display: ':0', windowid: '77' }, { processes: [42] }),
    ['DISPLAY=:0 xdotool search --all --class --pid 42 .+ windowactivate %@'],
  ],
  [
    'VS Code on macOS',
    placeOf({ term_program: 'vscode', cf_bundle_identifier: 'com.microsoft.VSCode' }),
    [`${runs('com.microsoft.VSCode')} && open -b com.microsoft.VSCode`],
  ],
  [
    'one of several windows of VS Code',
    placeOf(
      { term_program: 'vscode', vscode_git_askpass_node: '/snap/code/157/usr/share/code/code' },
      { processes: [42], editorFolder: '/home/dev/a shop' },
    ),
    ['code /home/dev/a shop'],
  ],
  [
    'one of several windows of an editor whose agent is gone',
    placeOf(
      { term_program: 'vscode', vscode_git_askpass_node: '/usr/share/code/code' },
      { editorFolder: '/home/dev/shop' },
    ),
    [],
  ],
  [
    'one of several windows of Cursor on macOS',
    placeOf(
      { term_program: 'vscode', cf_bundle_identifier: 'com.todesktop.230313mzl4w4u92' },
      { editorFolder: '/Users/dev/shop' },
    ),
    [
      `${runs('com.todesktop.230313mzl4w4u92')} && open -b com.todesktop.230313mzl4w4u92 /Users/dev/shop`,
      `${runs('com.todesktop.230313mzl4w4u92')} && open -b com.todesktop.230313mzl4w4u92`,
    ],
  ],
  [
    'Ghostty on macOS',
    placeOf({ term_program: 'ghostty', cf_bundle_identifier: 'com.mitchellh.ghostty' }),
    [`${runs('com.mitchellh.ghostty')} && open -b com.mitchellh.ghostty`],
  ],
  ['an unknown application', placeOf({ cf_bundle_identifier: 'com.example.Miner' }), []],
];

describe('tabs and windows', () => {
  for (const [name, place, steps] of rows) {
    test(`the steps to ${name}`, () => {
      assert.deepEqual(typed(place), steps);
    });
  }

  test('iTerm2 and Terminal.app get what they look for as an argument, and a script that is always the same', () => {
    const iterm = typed(
      placeOf({ term_program: 'iTerm.app', iterm_session_id: `w0t1p0:${UUID.toUpperCase()}` }),
    );
    const apple = typed(placeOf({ term_program: 'Apple_Terminal' }, { device: '/dev/ttys003' }));
    const [other] = typed(placeOf({ term_program: 'Apple_Terminal' }, { device: '/dev/ttys004' }));

    assert.equal(iterm.length, 1);
    assert.match(iterm[0] ?? '', new RegExp(` -e end run -- ${UUID.toUpperCase()}$`));
    assert.equal(apple.length, 1);
    assert.match(apple[0] ?? '', / -e end run -- \/dev\/ttys003$/);
    assert.equal(other, apple[0]?.replace('ttys003', 'ttys004'));
  });

  test('Ghostty on macOS is asked for the device, then for the folder, which reach it as arguments', () => {
    const steps = typed(
      placeOf(
        { cf_bundle_identifier: 'com.mitchellh.ghostty' },
        { device: '/dev/ttys003', directory: '/Users/dev/"a" shop' },
      ),
    );

    assert.equal(steps.length, 3);
    assert.match(steps[0] ?? '', /^osascript .* if tty of .* -e end run -- \/dev\/ttys003$/);
    assert.match(steps[1] ?? '', / if working directory of .* -- \/Users\/dev\/"a" shop$/);
    assert.match(steps[2] ?? '', / && open -b com\.mitchellh\.ghostty$/);
  });

  test('Terminal.app around tmux is known by its application', () => {
    const steps = typed(
      placeOf({ cf_bundle_identifier: 'com.apple.Terminal' }, { device: '/dev/ttys003' }),
    );

    assert.match(steps[0] ?? '', /^osascript .* -- \/dev\/ttys003$/);
    assert.match(steps[1] ?? '', / && open -b com\.apple\.Terminal$/);
  });

  test('no hostile value gets into a step (T4, T5, fault 53)', () => {
    for (const text of hostileTexts) {
      for (const begin of ['', '0', ':0', '/run/x ', 'unix:@k ', 'w0t0p0:', 'wayland-1']) {
        const facts = Object.fromEntries(factKeys.map((key) => [key, begin + text]));

        const steps = typed(placeOf(facts, { processes: [7], device: begin + text }));

        assert.deepEqual(steps, [], JSON.stringify(begin + text));
      }
    }
  });

  test('whatever the surroundings say, a word of a step is of harmless letters, or constant', () => {
    const pieces = fc.constantFrom(
      '3',
      ':0',
      '/a',
      '0xff',
      'ghostty',
      'vscode',
      '/usr/share/code/code',
      'unix:@k',
      ';',
      ' ',
      '"',
      "'",
      '`',
      '$(id)',
      '--help',
      '\n',
      '&',
      '|',
      ']',
    );
    const value = fc.array(pieces, { maxLength: 4 }).map((all) => all.join(''));
    const facts = fc.dictionary(fc.constantFrom(...factKeys), value);

    fc.assert(
      fc.property(facts, value, (given, device) => {
        for (const focus of [...tabs, ...windows]) {
          const place = placeOf(given, { processes: [7], device, editorFolder: '/home/dev' });
          for (const step of focus(place)) {
            const values = [...step.arguments, ...Object.values(step.env ?? {})];
            for (const word of values) assert.match(word, /^[\w@.:/=*+%<>{}' ;[\]-]*$/);
            assert.equal(
              values.some((word) => word.startsWith('--help')),
              false,
              values.join(' '),
            );
          }
        }
      }),
      { numRuns: Number(process.env['HOOKBELL_FUZZ_RUNS'] ?? 1_000) },
    );
  });

  test('osascriptStep() keeps the value apart from the script, and asks first whether the application runs', () => {
    const value = '" & do shell script "id"';
    const step = osascriptStep('application "X"', 'activate', value);

    const check = 'if application "X" is not running then error "it does not run"';
    const lines = ['on run argv', check, 'tell application "X"', 'activate', 'end tell', 'end run'];
    const words = lines.flatMap((each) => ['-e', each]);
    assert.deepEqual(step, { program: 'osascript', arguments: [...words, '--', value] });
  });
});
