import type { Focus } from './step.ts';

/**
 * The window of the terminal's process: swaymsg(1), and sway(5) on criteria. It fails if no window has that process.
 */
export const sway: Focus = ({ facts, processes }) => {
  const socket = /^\/[\w./@+-]+$/.exec(facts.swaysock ?? '')?.[0];
  if (socket === undefined) return [];
  return processes.map((pid) => ({
    program: 'swaymsg',
    arguments: ['--socket', socket, '--', `[pid=${pid}] focus`],
  }));
};
