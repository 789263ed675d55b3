import type { Focus } from './step.ts';

/** The pane and its tab: https://wezterm.org/cli/cli/activate-pane.html. The window manager handles the window. */
export const wezterm: Focus = ({ facts }) => {
  const pane = /^\d{1,9}$/.exec(facts.wezterm_pane ?? '')?.[0];
  if (pane === undefined || facts.term_program !== 'WezTerm') return [];
  const socket = /^\/[\w./@+-]+$/.exec(facts.wezterm_unix_socket ?? '')?.[0];
  return [
    {
      program: 'wezterm',
      // A wezterm that does not run must not be started.
      arguments: ['cli', '--no-auto-start', 'activate-pane', '--pane-id', pane],
      ...(socket !== undefined && { env: { WEZTERM_UNIX_SOCKET: socket } }),
    },
  ];
};
