const purposes = ['trigger', 'install'] as const;

/** The id of a session that no agent runs: hookbell makes its event by hand. `random` is eight hexadecimal digits. */
export function handMadeSessionId(purpose: (typeof purposes)[number], random: string): string {
  return `${purpose}-${random.slice(0, 8)}`;
}

const handMade = new RegExp(`^(?:${purposes.join('|')})-[0-9a-f]{8}$`);

/** Whether it is such an id. */
export function isHandMade(sessionId: string | null): boolean {
  return sessionId !== null && handMade.test(sessionId);
}
