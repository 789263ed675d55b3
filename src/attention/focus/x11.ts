import { isAlacritty } from './alacritty.ts';
import { activateWindow, displayOf, type Focus, windowNumber } from './step.ts';

/**
 * The window that the terminal named in WINDOWID, else those of the terminal's process, from the lowest to the highest,
 * so that the last used one ends on top. Windows on other desktops are found as well, and some that are never shown,
 * which the window manager ignores. xdotool takes the first word after its options for a pattern, even if it is not
 * asked to search by one.
 */
export const x11: Focus = ({ facts, processes }) => {
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
