import type { Focus } from './step.ts';

/**
 * The window of the terminal's process: https://wiki.hypr.land/Configuring/Dispatchers. All processes go into one call,
 * because a missing window is reported by text and not by the status; the nearest comes last and wins.
 */
export const hyprland: Focus = ({ facts, processes }) => {
  const instance = /^[\dA-Za-z.]+(?:_\d+){1,2}$/.exec(facts.hyprland_instance_signature ?? '')?.[0];
  if (instance === undefined || processes.length === 0) return [];
  const dispatches = processes
    .toReversed()
    .map((pid) => `dispatch focuswindow pid:${pid}`)
    .join(' ; ');
  return [{ program: 'hyprctl', arguments: ['--instance', instance, '--batch', dispatches] }];
};
