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

/** Looks at this machine for the person, with programs that are there already. */
export function presenceHere(options: PresenceOptions): PresenceWatch {
  const { platform, now } = options;
  const ask = askProgram(options);
  return createPresence({
    machine: [screenLock(ask, platform), idleTime(ask, platform)],
    terminals: [tmuxFocus(ask, now), x11Focus(ask)],
  });
}

/** Looks at this machine for the panes of sessions. */
export function gonePanesHere(options: PresenceOptions): GonePanes {
  return tmuxPaneLife(askProgram(options), options.now);
}

/** Whether anything depends on the person's being here: looking for nothing would be prying. */
export function dependsOnPresence({ whenWatching, plans }: Policy): boolean {
  const steps = Object.values(plans).flatMap((plan) => plan.steps);
  return (
    whenWatching !== 'ring' || steps.some(({ condition }) => condition?.presence !== undefined)
  );
}
