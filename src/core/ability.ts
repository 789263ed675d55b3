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

/** The meaning of each, for docs/channels/README.md. */
export const abilityMeanings: Readonly<Record<Ability, string>> = {
  replace: 'a newer notification of a session replaces the older one',
  update: 'a notification is changed where it was shown',
  withdraw: 'a notification disappears, or is marked as over, when its alert is answered elsewhere',
  'mark-acknowledged':
    'an alert acknowledged elsewhere is shown as acknowledged, and withdrawn when it is answered',
  acknowledge: 'a click or a button acknowledges the alert',
  snooze: 'a button silences the alert for a time',
  decide: "buttons decide an agent's request",
  reply: 'the agent can be answered with text, in the notification or on the page it opens',
  thread: 'notifications of a session form a thread',
  images: 'a notification shows pictures',
};

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

/**
 * Describes declared abilities for people, such as `replace, withdraw; acknowledge, snooze (needs "answer_topic")`.
 *
 * @returns an empty text for none
 */
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
