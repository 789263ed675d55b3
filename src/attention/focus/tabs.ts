import { editorOf } from './editors.ts';
import { busSteps, type Focus, openStep, osascriptStep } from './step.ts';

/** By remote control, where kitty listens to it (`listen_on`): https://sw.kovidgoyal.net/kitty/remote-control */
const kitty: Focus = ({ facts, processes }) => {
  const window = /^\d{1,9}$/.exec(facts.kitty_window_id ?? '')?.[0];
  const socket = /^unix:[@/][\w./@+-]*$/.exec(facts.kitty_listen_on ?? '')?.[0];
  // Another terminal started from kitty inherits the variables.
  const isKitty = processes.length === 0 || processes.includes(Number(facts.kitty_pid));
  if (window === undefined || socket === undefined || !isKitty) return [];
  const words = ['@', '--to', socket, 'focus-window', '--match', `id:${window}`];
  return ['kitten', 'kitty'].map((program) => ({ program, arguments: words }));
};

/** The pane and its tab: https://wezterm.org/cli/cli/activate-pane.html. The window manager handles the window. */
const wezterm: Focus = ({ facts }) => {
  const pane = /^\d{1,9}$/.exec(facts.wezterm_pane ?? '')?.[0];
  if (pane === undefined || facts.term_program !== 'WezTerm') return [];
  const socket = /^\/[\w./@+-]+$/.exec(facts.wezterm_unix_socket ?? '')?.[0];
  const env = socket === undefined ? {} : { env: { WEZTERM_UNIX_SOCKET: socket } };
  // A wezterm that does not run must not be started.
  const words = ['cli', '--no-auto-start', 'activate-pane', '--pane-id', pane];
  return [{ program: 'wezterm', arguments: words, ...env }];
};

/** Searches the windows for the session of that id: https://iterm2.com/documentation-scripting.html */
const ITERM_SCRIPT = `
repeat with aWindow in windows
repeat with aTab in tabs of aWindow
repeat with aSession in sessions of aTab
if unique ID of aSession is item 1 of argv then
select aWindow
select aTab
select aSession
activate
return
end if
end repeat
end repeat
end repeat
error "no such session"`;

/** ITERM_SESSION_ID is such as "w0t1p0:" and the id. */
const iterm2: Focus = ({ facts }) => {
  const id = /^w\d+t\d+p\d+:([\dA-F-]{36})$/i.exec(facts.iterm_session_id ?? '')?.[1];
  if (id === undefined || facts.term_program !== 'iTerm.app') return [];
  return [osascriptStep('application "iTerm2"', ITERM_SCRIPT, id)];
};

const TERMINAL_SCRIPT = `
repeat with aWindow in windows
repeat with aTab in tabs of aWindow
if tty of aTab is item 1 of argv then
set selected of aTab to true
set index of aWindow to 1
activate
return
end if
end repeat
end repeat
error "no such tab"`;

/** Terminal.app of macOS, which identifies its tabs only by their devices. */
const appleTerminal: Focus = ({ facts, device }) => {
  const path = /^\/dev\/ttys\d+$/.exec(device ?? '')?.[0];
  // In tmux only the application identifies it.
  const isIt =
    facts.term_program === 'Apple_Terminal' || facts.cf_bundle_identifier === 'com.apple.Terminal';
  if (path === undefined || !isIt) return [];
  return [osascriptStep('application "Terminal"', TERMINAL_SCRIPT, path)];
};

const activateResult = {
  service: 'org.gnome.Terminal',
  object: '/org/gnome/Terminal/SearchProvider',
  interface: 'org.gnome.Shell.SearchProvider2',
  name: 'ActivateResult',
};

/** As if chosen in the desktop's search: https://developer.gnome.org/documentation/tutorials/search-provider.html */
const gnomeTerminal: Focus = ({ facts }) => {
  const [, screen] =
    /^\/org\/gnome\/Terminal\/screen\/([\da-f]{8}(?:_[\da-f]{4}){3}_[\da-f]{12})$/.exec(
      facts.gnome_terminal_screen ?? '',
    ) ?? [];
  // GNOME Terminal sets no TERM_PROGRAM; a terminal that does is another one, which inherited the variable.
  if (screen === undefined || facts.term_program !== undefined) return [];
  const id = screen.replaceAll('_', '-');
  return busSteps(activateResult, {
    busctl: ['sasu', id, '0', '0'],
    gdbus: [`'${id}'`, '@as []', 'uint32 0'],
  });
};

/** Selects the tab (https://docs.kde.org/stable5/en/konsole/konsole/scripting.html); the window manager handles the window. */
const konsole: Focus = ({ facts }) => {
  const [service] =
    /^(?::\d+\.\d+|org\.kde\.konsole(?:-\d+)?)$/.exec(facts.konsole_dbus_service ?? '') ?? [];
  const [, session] = /^\/Sessions\/(\d{1,9})$/.exec(facts.konsole_dbus_session ?? '') ?? [];
  const [window] = /^\/Windows\/\d{1,9}$/.exec(facts.konsole_dbus_window ?? '') ?? [];
  if (service === undefined || session === undefined || window === undefined) return [];
  // Konsole sets no TERM_PROGRAM; a terminal that does is another one, which inherited the variables.
  if (facts.term_program !== undefined) return [];
  return busSteps(
    { service, object: window, interface: 'org.kde.konsole.Window', name: 'setCurrentSession' },
    { busctl: ['i', session], gdbus: [session] },
  );
};

/** Brings a terminal forward if it is the only one with this value: https://ghostty.org/docs/features/applescript */
function ghosttyBy(property: 'tty' | 'working directory', value: string | null) {
  const script = `
set found to {}
repeat with aTerminal in terminals
if ${property} of aTerminal is item 1 of argv then set end of found to contents of aTerminal
end repeat
if (count of found) is not 1 then error "not one such terminal"
focus item 1 of found
activate`;
  return value === null ? [] : [osascriptStep('application "Ghostty"', script, value)];
}

const activate = {
  service: 'com.mitchellh.ghostty',
  object: '/com/mitchellh/ghostty',
  interface: 'org.gtk.Actions',
  name: 'Activate',
};

/**
 * On macOS by AppleScript, which Ghostty 1.3.0 knows: newer versions report the device of a terminal
 * (https://github.com/ghostty-org/ghostty/pull/11922), all of them its folder, which counts if no other terminal has
 * it. On Linux by the action of its own notifications, with the number reported by versions after 1.3.1
 * (https://github.com/ghostty-org/ghostty/pull/12027).
 */
const ghostty: Focus = ({ facts, device, directory }) => {
  // In tmux only the application identifies it.
  if (facts.cf_bundle_identifier === 'com.mitchellh.ghostty') {
    const path = /^\/dev\/ttys\d+$/.exec(device ?? '')?.[0] ?? null;
    return [...ghosttyBy('tty', path), ...ghosttyBy('working directory', directory)];
  }
  const surface = /^0x[\da-f]{1,16}$/.exec(facts.ghostty_surface_id ?? '')?.[0];
  if (surface === undefined || facts.term_program !== 'ghostty') return [];
  const id = BigInt(surface).toString();
  return busSteps(activate, {
    busctl: ['sava{sv}', 'present-surface', '1', 't', id, '0'],
    gdbus: ["'present-surface'", `[<uint64 ${id}>]`, '{}'],
  });
};

/**
 * Among several windows of VS Code the one that has the session's folder open:
 * https://code.visualstudio.com/docs/configure/command-line. Without --reuse-window, which would close the content of
 * the last used window, with its terminals, if none has that folder.
 */
const vscode: Focus = ({ facts, processes, editorFolder }) => {
  const editor = editorOf(facts);
  if (editor === null || editorFolder === null) return [];
  if (facts.cf_bundle_identifier !== undefined) {
    return [openStep(editor.bundle, editorFolder)];
  }
  // A finished agent does not prove that its editor runs, and an editor that does not run must not be started.
  return processes.length === 0 ? [] : [{ program: editor.command, arguments: [editorFolder] }];
};

/** Bring the tab forward within its window. A new terminal adds its way here. */
export const tabs: readonly Focus[] = [
  kitty,
  wezterm,
  iterm2,
  appleTerminal,
  gnomeTerminal,
  konsole,
  ghostty,
  vscode,
];
