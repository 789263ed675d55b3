import { askProgram } from '../channels/support/ask-program.ts';
import type { AskProgramOptions } from '../channels/support/ask-program.ts';
import type { Clock } from '../core/clock.ts';
import type { Policy } from '../core/policy.ts';
import { idleTime } from '../presence/idle-time.ts';
import type { PresenceWatch } from '../presence/presence.ts';
import { createPresence } from '../presence/presence.ts';
import { screenLock } from '../presence/screen-lock.ts';
import { tmuxFocus } from '../presence/tmux-focus.ts';
import type { GonePanes } from '../presence/tmux-pane-life.ts';
import { tmuxPaneLife } from '../presence/tmux-pane-life.ts';
import { x11Focus } from '../presence/x11-focus.ts';

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
