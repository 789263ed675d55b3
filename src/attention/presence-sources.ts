import { askProgram, type AskProgramOptions } from '../platform/ask-program.ts';
import type { Policy } from '../core/policy.ts';
import type { Clock } from '../platform/time.ts';
import { idleTime, screenLock } from './desktop-idle.ts';
import { createPresence, type PresenceWatch } from './presence.ts';
import { tmuxFocus } from './tmux-focus.ts';
import { type GonePanes, tmuxPaneLife } from './tmux-panes.ts';
import { x11Focus } from './x11-focus.ts';

export interface PresenceOptions extends AskProgramOptions {
  readonly now: Clock;
}

/** Detects the person on this machine, with installed programs. */
export function presenceHere(options: PresenceOptions): PresenceWatch {
  const { platform, now } = options;
  const ask = askProgram(options);
  return createPresence({
    machine: [screenLock(ask, platform), idleTime(ask, platform)],
    terminals: [tmuxFocus(ask, now), x11Focus(ask)],
  });
}

/** Detects the panes of sessions on this machine. */
export function gonePanesHere(options: PresenceOptions): GonePanes {
  return tmuxPaneLife(askProgram(options), options.now);
}

/** Whether anything depends on presence: detection without a purpose would be prying. */
export function dependsOnPresence({ whenWatching, plans }: Policy): boolean {
  const steps = Object.values(plans).flatMap((plan) => plan.steps);
  return (
    whenWatching !== 'ring' || steps.some(({ condition }) => condition?.presence !== undefined)
  );
}
