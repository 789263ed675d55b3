import type { Owner, HubPerson } from '../core/hub/directory.ts';
import type { People, Wishes } from '../core/hub/people.ts';
import { quietHoursOf, readSettings } from '../core/hub/person-settings.ts';
import type { Policy, QuietHours } from '../core/policy.ts';
import type { HubDirectory } from './directory.ts';

/** People and owners of machines, for the decisions of a hub. */
export interface HubPeople extends People {
  /** Null: the machine is no longer known. */
  ownerOf(machine: string): Owner | null;
}

export function createHubPeople({
  directory,
  policy,
}: {
  readonly directory: Pick<HubDirectory, 'person' | 'personOf' | 'group'>;
  readonly policy: () => Pick<Policy, 'quietHours'>;
}): HubPeople {
  // Read for every delivery; it changes only when the directory or the configuration is reread.
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
