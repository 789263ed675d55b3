import type { Focus } from './step.ts';

/** By remote control, where kitty listens to it (`listen_on`): https://sw.kovidgoyal.net/kitty/remote-control */
export const kitty: Focus = ({ facts, processes }) => {
  const window = /^\d{1,9}$/.exec(facts.kitty_window_id ?? '')?.[0];
  const socket = /^unix:[@/][\w./@+-]*$/.exec(facts.kitty_listen_on ?? '')?.[0];
  // Another terminal started from kitty inherits the variables.
  const isKitty = processes.length === 0 || processes.includes(Number(facts.kitty_pid));
  if (window === undefined || socket === undefined || !isKitty) return [];
  const words = ['@', '--to', socket, 'focus-window', '--match', `id:${window}`];
  return ['kitten', 'kitty'].map((program) => ({ program, arguments: words }));
};
