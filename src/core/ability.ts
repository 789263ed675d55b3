/** What a channel can do with a notification besides sending it. */
export const abilities = [
  'replace',
  'update',
  'withdraw',
  'mark-acknowledged',
  'acknowledge',
  'snooze',
  'decide',
  'reply',
  'thread',
  'images',
] as const;
export type Ability = (typeof abilities)[number];

/** The abilities of a type of channel: `true`, or what it needs for it, such as "needs `answer_topic`". */
export type DeclaredAbilities = Readonly<Partial<Record<Ability, true | `needs ${string}`>>>;

/** An ability with what it needs; null: nothing. */
interface DeclaredAbility {
  readonly ability: Ability;
  readonly needs: string | null;
}

/** Returns the declared abilities in the order of `abilities`. */
export function declaredAbilities(can: DeclaredAbilities): readonly DeclaredAbility[] {
  return abilities.flatMap((ability) => {
    const value = can[ability];
    return value === undefined ? [] : [{ ability, needs: value === true ? null : value }];
  });
}

/** For people, such as `replace; snooze (needs "answer_topic")`; empty for none. */
export function abilityText(declared: readonly DeclaredAbility[]): string {
  const groups = new Map<string | null, Ability[]>();
  for (const { ability, needs } of declared) {
    groups.set(needs, [...(groups.get(needs) ?? []), ability]);
  }
  const always = groups.get(null)?.join(', ');
  groups.delete(null);
  return [
    ...(always === undefined ? [] : [always]),
    ...Array.from(groups, ([needs, names]) => `${names.join(', ')} (${needs})`),
  ]
    .join('; ')
    .replaceAll('`', '"');
}
