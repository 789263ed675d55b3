import type { HookFacts } from '../../core/facts.ts';
import { activateWindow, displayOf, type Focus, windowNumber } from './step.ts';

/** Another terminal started from Alacritty inherits the variable, but not the value that Alacritty sets again. */
export function isAlacritty({
  alacritty_window_id,
  windowid,
  term,
  term_program,
}: HookFacts): boolean {
  // Alacritty sets no TERM_PROGRAM; a terminal that does is another one.
  if (alacritty_window_id === undefined || term_program !== undefined) return false;
  return alacritty_window_id === windowid || term === 'alacritty';
}

/**
 * On X11 the window that Alacritty named, whatever it inherited in WINDOWID. Its socket has no suitable message
 * (https://alacritty.org/cmd-alacritty-msg.html), and on Wayland it names no window that a program could find: there
 * the process counts.
 */
export const alacritty: Focus = ({ facts }) => {
  const env = displayOf(facts);
  const window = windowNumber(facts.alacritty_window_id);
  return env !== null && window !== null && isAlacritty(facts) ? activateWindow(window, env) : [];
};
