import { randomFor } from '../random.ts';

export type Role = 'owner' | 'manager' | 'member' | 'guest';

/** How someone works, which decides what telemetry there is. */
export type Habit = 'weekdays' | 'steady' | 'bursty' | 'light' | 'idle';

export interface StoredPerson {
  readonly id: string;
  readonly email: string;
  /** What analytics knows; null for one person. */
  readonly analyticsEmail: string | null;
  readonly firstName: string;
  /** Absent for one person. */
  readonly lastName?: string;
  readonly role: Role;
  readonly habit: Habit;
  readonly createdAt: string;
  readonly lastSignInAt: string;
}

const NAMES: readonly (readonly [string, string, Role, Habit])[] = [
  ['Ada', 'Okafor', 'owner', 'weekdays'],
  ['Bruno', 'Castellan', 'manager', 'weekdays'],
  ['Chiyo', 'Tanabe', 'member', 'weekdays'],
  ['Dario', 'Lindqvist', 'member', 'steady'],
  ['Edda', "O'Hara", 'member', 'bursty'],
  ['Farid', 'Haddad', 'member', 'weekdays'],
  ['Gisèle', 'Müller-Østby', 'member', 'weekdays'],
  ['Hoa', '', 'member', 'weekdays'],
  ['Ines', 'Pereira', 'member', 'light'],
  ['Jonas', 'Weiss', 'member', 'weekdays'],
  ['Kofi', 'Mensah', 'member', 'idle'],
  ['Lena', 'Visitor', 'guest', 'light'],
];

/** The twelve people of the organization, by id; `now` decides only when they last signed in. */
export function createPeople(seed: number, now: number): readonly StoredPerson[] {
  const people = NAMES.map(([firstName, lastName, role, habit], index): StoredPerson => {
    const random = randomFor(seed, 'person', index);
    const email = `${firstName.normalize('NFD').replaceAll(/[^a-z]/gi, '')}@example.com`;
    return {
      id: `user_${random.hex(12)}`,
      email: email.toLowerCase(),
      analyticsEmail: firstName === 'Ines' ? null : email.toLowerCase(),
      firstName,
      ...(lastName === '' ? {} : { lastName }),
      role,
      habit,
      createdAt: new Date(Date.UTC(2025, 9, 1 + index, random.integer(7, 17))).toISOString(),
      lastSignInAt: new Date(now - random.integer(1, 200) * 3_600_000).toISOString(),
    };
  });
  return people.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}
