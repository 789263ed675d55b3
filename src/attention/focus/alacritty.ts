import type { HookFacts } from '../../core/facts.ts';
import { activateWindow, displayOf, type Focus, windowNumber } from './step.ts';

/** Another terminal that was started from Alacritty inherits the variable, but not what Alacritty says a second time. */
export function isAlacritty({
  alacritty_window_id,
  windowid,
  term,
  term_program,
}: HookFacts): boolean {
  // It names itself nowhere; who does is another terminal.
  if (alacritty_window_id === undefined || term_program !== undefined) return false;
  return alacritty_window_id === windowid || term === 'alacritty';
}

/**
 * On X11 the window that Alacritty has named, whatever it inherited in WINDOWID. Its socket has no message that would do
 * (https://alacritty.org/cmd-alacritty-msg.html), and on Wayland it names none that a program could find: there the process counts.
 */
export const alacritty: Focus = ({ facts }) => {
  const env = displayOf(facts);
  const window = windowNumber(facts.alacritty_window_id);
  return env !== null && window !== null && isAlacritty(facts) ? activateWindow(window, env) : [];
};
