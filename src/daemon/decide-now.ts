import { traitsOf } from '../agents/registry.ts';
import { decide } from '../alerts/decide.ts';
import { releaseDue } from '../alerts/release-due.ts';
import { dependsOnPresence } from '../attention/presence-sources.ts';
import type { PresenceWatch } from '../attention/presence.ts';
import type { Config } from '../config/config.ts';
import type { People } from '../core/hub/people.ts';
import { unknownPresence } from '../core/policy.ts';
import type { Decide } from '../core/store.ts';
import { askRunning } from '../delivery/look-up.ts';
import type { TimekeeperOptions } from '../delivery/timekeeper.ts';
import { type Clock, systemTimer } from '../platform/time.ts';
import type { LookUps } from '../vendor/look-ups.ts';
import type { Projects } from './projects.ts';

interface DecideOptions {
  readonly config: () => Pick<Config, 'policy'>;
  readonly projects: Pick<Projects, 'of'>;
  /** The people of a hub; absent: there is none. */
  readonly people?: People | undefined;
  readonly now: Clock;
  readonly newId: () => string;
}

/** Decides about an incoming event, by the configuration in force. */
export function createDecide({ config, projects, people, now, newId }: DecideOptions): Decide {
  return (memory, event) =>
    decide(memory, event, {
      policy: config().policy,
      agents: traitsOf,
      ...(people !== undefined && { people }),
      now: now(),
      presence: null,
      // A repository's file applies on the machine where the repository is.
      project: event.machine === null ? projects.of(event.cwd) : null,
      newId,
    });
}

/** Decides about held deliveries that are due, by the configuration in force. */
export function createDecideDue({
  config,
  presence,
  lookUps,
  people,
  now,
}: Pick<DecideOptions, 'config' | 'people' | 'now'> & {
  readonly presence: Pick<PresenceWatch, 'look'>;
  readonly lookUps: Pick<LookUps, 'current'>;
}): Pick<TimekeeperOptions, 'decideDue' | 'look' | 'askRunning'> {
  const policy = () => config().policy;
  return {
    decideDue: (seen, at) => (memory) =>
      releaseDue(memory, {
        policy: policy(),
        ...(people !== undefined && { people }),
        ...seen,
        now: at,
      }),
    look: async (sessions) =>
      dependsOnPresence(policy()) || sessions.some(({ agent }) => agent === 'program')
        ? presence.look(sessions)
        : () => unknownPresence,
    askRunning: async (sessions) => {
      const lookUp = lookUps.current();
      if (lookUp === null || policy().holdStop === null) return () => 'unknown';
      return askRunning(sessions, { lookUp, now, startTimer: systemTimer });
    },
  };
}
