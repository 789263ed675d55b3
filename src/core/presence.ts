/**
 * What is known of the person at this machine. Everything may be unknown (null), and unknown never keeps a
 * notification back.
 */
export interface Presence {
  /** False when the screen is locked or nothing was typed for minutes. */
  readonly here: boolean | null;
  /** True when the person looks at the very terminal of the session in question. */
  readonly watching: boolean | null;
}

/** What is known of the person with regard to the session with this key; null when nobody has looked for it yet. */
export type PresenceOf = (sessionKey: string) => Presence | null;

export const unknownPresence: Presence = { here: null, watching: null };
