import type { Session } from '../core/session.ts';

export type { Ask } from '../core/ask.ts';

/** What a source saw of the machine. */
export interface MachineSign {
  /** Null where it saw nothing that tells. */
  readonly here: boolean | null;
  /** For people. */
  readonly detail: string;
}

/** Sees whether somebody is at the machine. */
export interface MachineSource {
  readonly name: string;
  /** Null where it cannot work. */
  look(): Promise<MachineSign | null>;
}

/** Sees whether somebody looks at the terminal of a session. */
export interface TerminalSource {
  readonly name: string;
  /** True where the focus is all it sees, which stays when the person leaves: it counts only while somebody is seen here. */
  readonly seesFocusAlone: boolean;
  /** The keys of the sessions whose terminal is certainly looked at. */
  watched(sessions: readonly Session[]): Promise<readonly string[]>;
  /** For people: what it works with. Null where it cannot work. */
  check(): Promise<string | null>;
}
