import type { Owner, HubPerson } from '../core/hub/directory.ts';
import type { People, Wishes } from '../core/hub/people.ts';
import { quietHoursOf, readSettings } from '../core/hub/person-settings.ts';
import type { Policy, QuietHours } from '../core/policy.ts';
import type { HubDirectory } from './directory.ts';

/** The people of a hub for its decisions, and whose machine is whose. */
export interface HubPeople extends People {
  /** Null: a machine that is not known any more. */
  ownerOf(machine: string): Owner | null;
}

export function createHubPeople({
  directory,
  policy,
}: {
  readonly directory: Pick<HubDirectory, 'person' | 'personOf' | 'group'>;
  readonly policy: () => Pick<Policy, 'quietHours'>;
}): HubPeople {
  // Asked with every delivery, and the same until the directory or the configuration is read again.
  let known = new WeakMap<HubPerson, Wishes>();
  let windows: readonly QuietHours[] = [];

  return {
    wishesOf(email) {
      const person = directory.person(email);
      if (person === null) return null;
      const { quietHours: ofHub } = policy();
      if (ofHub !== windows) known = new WeakMap();
      windows = ofHub;
      const existing = known.get(person);
      if (existing !== undefined) return existing;
      const settings = readSettings(person.settings);
      const wishes = { quietHours: quietHoursOf(settings, ofHub), channels: settings.channels };
      known.set(person, wishes);
      return wishes;
    },
    group: (name) => directory.group(name)?.map(({ email }) => email) ?? null,
    ownerOf(machine) {
      const person = directory.personOf(machine);
      return person === null ? null : { person: person.email, team: person.team };
    },
  };
}
