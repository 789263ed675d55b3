/** The agent's name for the event of a test: decoding takes it for one only from a session made by hand. */
export const TEST_EVENT = 'HookbellTest';

/** How long the notification of a test or a trial stands, ms: it asks for nothing. */
export const TEST_STANDS_MS = 10_000;

/**
 * `test`: the way from the hook to the desktop. `trial`: an event that shows what the rules say, sent once and followed by
 * nothing. `trigger`: an event that is taken as an agent's, with its session, its alert and its whole plan.
 */
const purposes = ['test', 'trial', 'trigger'] as const;
type Purpose = (typeof purposes)[number];

/** The id of a session that no agent runs: hookbell makes its event by hand. `random` is eight hexadecimal digits. */
export function handMadeSessionId(purpose: Purpose, random: string): string {
  return `${purpose}-${random.slice(0, 8)}`;
}

const handMade = new RegExp(`^(${purposes.join('|')})-[0-9a-f]{8}$`);

/** Whether it is such an id. */
export function isHandMade(sessionId: string | null): boolean {
  return purposeOf(sessionId) !== null;
}

/** Whether the event was made by hand to be looked at: it takes no room from the messages of agents. */
export function isTryout(sessionId: string | null): boolean {
  const purpose = purposeOf(sessionId);
  return purpose === 'test' || purpose === 'trial';
}

/** What the event of a session made by hand is for; null: an agent runs it. */
export function purposeOf(sessionId: string | null): Purpose | null {
  const name = handMade.exec(sessionId ?? '')?.[1];
  return purposes.find((purpose) => purpose === name) ?? null;
}

/**
 * Where a test goes: to the desktop, else to the terminal, else to the inbox alone. Never to another person.
 *
 * @param channels those that are configured
 */
export function testChannelsOf(
  channels: readonly { readonly name: string; readonly type: string }[],
): readonly string[] {
  for (const wanted of ['desktop', 'terminal', 'inbox']) {
    const names = channels.filter(({ type }) => type === wanted).map(({ name }) => name);
    if (names.length > 0) return names;
  }
  return ['inbox'];
}
