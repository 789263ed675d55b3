import type { HookFacts } from '../../core/facts.ts';
import { editors } from './editors.ts';
import { activateWindow, displayOf, type Focus, openStep, windowNumber } from './step.ts';

/** swaymsg(1), and sway(5) on criteria. It fails if no window has that process. */
const sway: Focus = ({ facts, processes }) => {
  const socket = /^\/[\w./@+-]+$/.exec(facts.swaysock ?? '')?.[0];
  if (socket === undefined) return [];
  return processes.map((pid) => ({
    program: 'swaymsg',
    arguments: ['--socket', socket, '--', `[pid=${pid}] focus`],
  }));
};

/**
 * The window of the terminal's process: https://wiki.hypr.land/Configuring/Dispatchers. All processes go into one call,
 * because a missing window is reported by text and not by the status; the nearest comes last and wins.
 */
const hyprland: Focus = ({ facts, processes }) => {
  const instance = /^[\dA-Za-z.]+(?:_\d+){1,2}$/.exec(facts.hyprland_instance_signature ?? '')?.[0];
  if (instance === undefined || processes.length === 0) return [];
  const dispatches = processes
    .toReversed()
    .map((pid) => `dispatch focuswindow pid:${pid}`)
    .join(' ; ');
  return [{ program: 'hyprctl', arguments: ['--instance', instance, '--batch', dispatches] }];
};

/** On Plasma with Wayland: https://github.com/jinliu/kdotool, which reports no missing window: the nearest process comes last. */
const kde: Focus = ({ facts, processes }) => {
  const isWayland = /^(?:\/[\w./-]*\/)?wayland-\d{1,5}$/.test(facts.wayland_display ?? '');
  const isOther = facts.swaysock !== undefined || facts.hyprland_instance_signature !== undefined;
  if (!isWayland || isOther) return [];
  return processes.toReversed().map((pid) => ({
    program: 'kdotool',
    arguments: ['search', '--all', '--class', '--pid', String(pid), '.*', 'windowactivate'],
    blind: true,
  }));
};

/** Another terminal started from Alacritty inherits the variable, but not the value that Alacritty sets again. */
function isAlacritty({ alacritty_window_id, windowid, term, term_program }: HookFacts): boolean {
  // Alacritty sets no TERM_PROGRAM; a terminal that does is another one.
  if (alacritty_window_id === undefined || term_program !== undefined) return false;
  return alacritty_window_id === windowid || term === 'alacritty';
}

/**
 * On X11 the window that Alacritty named, whatever it inherited in WINDOWID. Its socket has no suitable message
 * (https://alacritty.org/cmd-alacritty-msg.html), and on Wayland it names no window that a program could find: there
 * the process counts.
 */
const alacritty: Focus = ({ facts }) => {
  const env = displayOf(facts);
  const window = windowNumber(facts.alacritty_window_id);
  return env !== null && window !== null && isAlacritty(facts) ? activateWindow(window, env) : [];
};

/**
 * The window that the terminal named in WINDOWID, else those of the terminal's process, from the lowest to the highest,
 * so that the last used one ends on top. Windows on other desktops are found as well, and some that are never shown,
 * which the window manager ignores. xdotool takes the first word after its options for a pattern, even if it is not
 * asked to search by one.
 */
const x11: Focus = ({ facts, processes }) => {
  const env = displayOf(facts);
  if (env === null) return [];
  const window = windowNumber(facts.windowid);
  // An editor started from a terminal inherits the variable, and so may Alacritty, which has a better one.
  const isOther = facts.term_program === 'vscode' || isAlacritty(facts);
  const named = window === null || isOther ? [] : activateWindow(window, env);
  const owned = processes.map((pid) => ({
    program: 'xdotool',
    arguments: ['search', '--all', '--class', '--pid', String(pid), '.+', 'windowactivate', '%@'],
    env,
  }));
  return [...named, ...owned];
};

/** Terminals, and editors with one; nothing else is opened, whatever the environment names. */
const applications: ReadonlySet<string> = new Set([
  'com.apple.Terminal',
  'com.github.wez.wezterm',
  'com.googlecode.iterm2',
  'com.mitchellh.ghostty',
  'dev.warp.Warp-Stable',
  'dev.zed.Zed',
  'net.kovidgoyal.kitty',
  'org.alacritty',
  ...editors.map(({ bundle }) => bundle),
]);

/** The whole macOS application, with its last used window. */
const macApplication: Focus = ({ facts }) => {
  const application = facts.cf_bundle_identifier ?? '';
  return applications.has(application) ? [openStep(application)] : [];
};

export const windows: readonly Focus[] = [sway, hyprland, kde, alacritty, x11, macApplication];
