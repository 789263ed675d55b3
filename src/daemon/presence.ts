import { childEnvironment } from '../channels/support/child-environment.ts';
import { findProgram } from '../channels/support/find-program.ts';
import type { Clock } from '../core/clock.ts';
import type { Policy } from '../core/policy.ts';
import { idleTime } from '../presence/idle-time.ts';
import type { PresenceWatch } from '../presence/presence.ts';
import { createPresence } from '../presence/presence.ts';
import { screenLock } from '../presence/screen-lock.ts';
import type { Ask } from '../presence/source.ts';
import { tmuxFocus } from '../presence/tmux-focus.ts';
import type { GonePanes } from '../presence/tmux-pane-life.ts';
import { tmuxPaneLife } from '../presence/tmux-pane-life.ts';
import { x11Focus } from '../presence/x11-focus.ts';
import type { Environment } from './surroundings.ts';

/** A desktop that takes longer to answer is not waited for, ms. */
const PATIENCE_MS = 300;

export interface PresenceOptions {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly now: Clock;
  readonly patienceMs?: number;
}

/** Looks at this machine for the person, with programs that are there already. */
export function presenceHere(options: PresenceOptions): PresenceWatch {
  const { platform, now } = options;
  const ask = askHere(options);
  return createPresence({
    machine: [screenLock(ask, platform), idleTime(ask, platform)],
    terminals: [tmuxFocus(ask, now), x11Focus(ask)],
  });
}

/** Looks at this machine for the panes of sessions. */
export function gonePanesHere(options: PresenceOptions): GonePanes {
  return tmuxPaneLife(askHere(options), options.now);
}

function askHere({ env, platform, patienceMs = PATIENCE_MS }: PresenceOptions): Ask {
  return async (name, arguments_) => {
    const program = await findProgram(name, env['PATH']);
    if (program === null) return null;
    // Most policies never ask, and execa takes a while to load.
    const { runProgram } = await import('../channels/support/run-program.ts');
    const { ok, stdout } = await runProgram({
      program,
      arguments: arguments_,
      env: childEnvironment(platform, env),
      timeoutMs: patienceMs,
    });
    return ok ? stdout : null;
  };
}

/** Whether anything depends on the person's being here: looking for nothing would be prying. */
export function dependsOnPresence({ whenWatching, plans }: Policy): boolean {
  const steps = Object.values(plans).flatMap((plan) => plan.steps);
  return (
    whenWatching !== 'ring' || steps.some(({ condition }) => condition?.presence !== undefined)
  );
}
