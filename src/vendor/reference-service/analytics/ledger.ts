import { addDays, daysBetween, FIRST_DAY } from '../days.ts';
import type { PersonDay } from '../data/telemetry.ts';
import { personDay } from '../data/telemetry.ts';
import type { Person } from '../data/users.ts';

/** What everybody did, day by day. */
export interface Ledger {
  on(day: string): readonly PersonDay[];
}

/** @param spikes days on which one person burns far more than ever */
export function createLedger(
  seed: number,
  people: readonly Person[],
  spikes: ReadonlySet<string>,
): Ledger {
  const known = new Map<string, readonly PersonDay[]>();
  return {
    on(day) {
      if (day < FIRST_DAY) return [];
      const key = `${day} ${spikes.has(day)}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      const made = people
        .map((person) => personDay(seed, person, day, spikes))
        .filter((entry) => entry !== null);
      known.set(key, made);
      return made;
    },
  };
}

/** The same without anything on one day, as a batch leaves it that ran before its data had come. */
export function withoutDay(ledger: Ledger, empty: string): Ledger {
  return { on: (day) => (day === empty ? [] : ledger.on(day)) };
}

/** Ids of those who did anything in the `span` days that end with `day`. */
export function activeWithin(ledger: Ledger, day: string, span: number): ReadonlySet<string> {
  const days = daysBetween(addDays(day, 1 - span), day);
  return new Set(days.flatMap((each) => ledger.on(each).map(({ person }) => person.id)));
}
