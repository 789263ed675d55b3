import { decide } from '../alerts/decide.ts';
import type { Clock } from '../core/clock.ts';
import type { Decide } from '../core/store.ts';
import type { ConfigHolder } from './config-holder.ts';
import type { Projects } from './projects.ts';

export interface DecideOptions {
  readonly config: Pick<ConfigHolder, 'current'>;
  readonly projects: Pick<Projects, 'of'>;
  readonly now: Clock;
  readonly newId: () => string;
}

/** The decisions about an event that comes in, by the configuration in force. */
export function createDecide({ config, projects, now, newId }: DecideOptions): Decide {
  return (memory, event) =>
    decide(memory, event, {
      policy: config.current().policy,
      now: now(),
      presence: null,
      // The file of a repository counts where the repository lies.
      project: event.machine === null ? projects.of(event.cwd) : null,
      newId,
    });
}
