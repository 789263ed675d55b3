import type { HubPerson } from '../core/hub/directory.ts';

/** Rule that lets someone answer other people's requests. */
export interface AnswerRule {
  /** Who may answer: a person, a team or a group. */
  readonly by: Scope;
  /** Whose requests. */
  readonly for: Scope;
}

/** A person, a team or a group: one of the three is set. */
interface Scope {
  readonly person?: string;
  readonly team?: string;
  readonly group?: string;
}

/**
 * Whether a person may answer what the machine of another one asks: its owner only, unless a rule says otherwise.
 *
 * @param membersOf the email addresses of a group; null: there is no such group
 */
export function mayAnswer(
  person: HubPerson,
  owner: HubPerson,
  rules: readonly AnswerRule[],
  membersOf: (group: string) => readonly string[] | null,
): boolean {
  if (person.email === owner.email) return true;
  const isIn = (one: HubPerson, { person: email, team, group }: Scope): boolean => {
    if (email !== undefined) return email === one.email;
    if (team !== undefined) return team === one.team;
    return group !== undefined && membersOf(group)?.includes(one.email) === true;
  };
  return rules.some((rule) => isIn(person, rule.by) && isIn(owner, rule.for));
}
