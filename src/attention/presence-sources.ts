import { askProgram, type AskProgramOptions } from '../platform/ask-program.ts';
import { askBus, type AskBusOptions } from '../platform/dbus/ask-bus.ts';
import type { Policy } from '../core/policy.ts';
import type { Clock } from '../platform/time.ts';
import { idleTime, screenLock } from './desktop-idle.ts';
import { createPresence } from './presence.ts';
import { windowsDesktop } from './windows-desktop.ts';
import { type GonePanes, tmuxFocus, tmuxPaneLife } from './tmux-panes.ts';
import { x11Focus } from './x11-focus.ts';

export interface PresenceOptions extends AskProgramOptions {
  readonly now: Clock;
}

/** Detects the person on this machine, with the desktop's services and installed programs. */
export function presenceHere(options: PresenceOptions & AskBusOptions) {
  const { platform, now } = options;
  const ask = askProgram(options);
  const onWindows = windowsDesktop(ask, options.env, now);
  const desktop = { platform, ask, askBus: askBus(options), onWindows };
  const lock = screenLock(desktop);
  const presence = createPresence({
    machine: [lock, idleTime(desktop)],
    terminals: [tmuxFocus(ask, now), x11Focus(ask)],
  });
  return {
    ...presence,
    /** Null: unknown. */
    isScreenLocked: async (): Promise<boolean | null> => {
      const sign = await lock.look();
      return sign === null ? null : sign.isPresent === false;
    },
  };
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
