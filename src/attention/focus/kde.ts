import type { Focus } from './step.ts';

/**
 * The window of the terminal's process on Plasma with Wayland: https://github.com/jinliu/kdotool, which also requires a
 * pattern. It does not report a missing window, so the nearest process comes last and wins.
 */
export const kde: Focus = ({ facts, processes }) => {
  const isWayland = /^(?:\/[\w./-]*\/)?wayland-\d{1,5}$/.test(facts.wayland_display ?? '');
  const isOther = facts.swaysock !== undefined || facts.hyprland_instance_signature !== undefined;
  if (!isWayland || isOther) return [];
  return processes.toReversed().map((pid) => ({
    program: 'kdotool',
    arguments: ['search', '--all', '--class', '--pid', String(pid), '.*', 'windowactivate'],
    blind: true,
  }));
};
