import type { Focus, Step } from './step.ts';

/**
 * The window that the terminal has named in WINDOWID, else the one of the terminal's process: wmctrl(1), xdotool(1). Both ask the
 * window manager, which may switch to the desktop the window is on.
 */
export const x11: Focus = ({ facts, processes }) => {
  const display = /^(?:[\dA-Za-z][\w.-]*)?:\d{1,5}(?:\.\d{1,3})?$/.exec(facts.display ?? '')?.[0];
  if (display === undefined) return [];
  const env = { DISPLAY: display };
  const window = /^[1-9]\d{0,9}$/.exec(facts.windowid ?? '')?.[0];
  const named: Step[] =
    // An editor that was started from a terminal inherits the variable.
    window === undefined || facts.term_program === 'vscode'
      ? []
      : [
          { program: 'xdotool', arguments: ['windowactivate', window], env },
          { program: 'wmctrl', arguments: ['-i', '-a', `0x${Number(window).toString(16)}`], env },
        ];
  const owned = processes.map((pid) => ({
    program: 'xdotool',
    arguments: ['search', '--onlyvisible', '--pid', String(pid), 'windowactivate'],
    env,
  }));
  return [...named, ...owned];
};
