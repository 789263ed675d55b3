/** Someone who works with agents, and is notified through the hub. */
export interface HubPerson {
  /** In lower case; it identifies the person. */
  readonly email: string;
  readonly name: string | null;
  readonly team: string | null;
  /** JSON of what the person has set; "{}" at first. */
  readonly settings: string;
}

/** A machine whose daemon relays to the hub. */
export interface HubMachine {
  /** Unique, and never that of another person's machine. */
  readonly name: string;
  /** The email address of the person it belongs to. */
  readonly person: string;
  /** The hash of its token, with which it signs. */
  readonly key: string;
}

/** The people and machines of a hub, without removed and revoked ones. */
export interface HubRoll {
  /** Grows with every change. */
  readonly version: number;
  readonly people: readonly HubPerson[];
  readonly machines: readonly HubMachine[];
}
