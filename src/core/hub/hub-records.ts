/** Rows of a hub as its administrators see them; times are Unix ms. */
export interface PersonRecord {
  readonly email: string;
  readonly name: string | null;
  readonly team: string | null;
  readonly source: string;
  readonly addedAt: number;
  readonly removedAt: number | null;
  readonly machines: readonly string[];
}

export interface MachineRecord {
  readonly name: string;
  readonly person: string;
  readonly enrolledAt: number;
  /** To the minute; null: never. */
  readonly heardAt: number | null;
  readonly revokedAt: number | null;
}

export interface AuditRecord {
  readonly seq: number;
  readonly at: number;
  /** With the addresses of people who are not forgotten. */
  readonly actor: string;
  readonly action: string;
  readonly target: string | null;
  /** JSON. */
  readonly detail: string;
}

/** The result of recomputing the hashes of the audit. */
export interface AuditCheck {
  readonly rows: number;
  /** The first row that does not follow from those before it; null: none. */
  readonly broken: { readonly seq: number; readonly reason: string } | null;
  /** The hash of the last row; an administrator can note it, and find it again later. */
  readonly lastHash: string | null;
  /** The row with the hash that was looked for; null: none, or none was. */
  readonly expectedAt: number | null;
}

export interface HubState {
  readonly people: number;
  readonly machines: number;
  readonly machinesHeard: number;
  readonly invitations: number;
  /** Processes of hookbell that are connected to the database. */
  readonly processes: number;
  /** Since when the oldest message that may be sent waits; null: none does. */
  readonly dueSince: number | null;
}

export interface Imported {
  readonly added: number;
  readonly changed: number;
  /** Addresses of people whom an earlier import removed. Their machines stay revoked. */
  readonly readmitted: readonly string[];
  /** How many were removed by hand, and stay so. */
  readonly stayRemoved: number;
}

/** Someone whom a source no longer has, with the machines that are revoked. */
export interface RemovedPerson {
  readonly email: string;
  readonly machines: readonly string[];
}

export interface MissingPeople {
  /** How many people of the hub an import from this source has added. */
  readonly known: number;
  /** People whom the source no longer has. */
  readonly people: readonly RemovedPerson[];
}

export type Pruned =
  | { readonly type: 'pruned'; readonly removed: readonly RemovedPerson[] }
  /** People are missing who were not shown. */
  | { readonly type: 'others'; readonly count: number };

/** What a person's erasure would remove. */
export interface ToForget {
  readonly machines: number;
  readonly sessions: number;
  readonly events: number;
  /** Messages to the person about sessions of others. */
  readonly deliveries: number;
}

/** What a person's erasure has removed. */
export interface Forgotten extends ToForget {
  /** Rows of others in which the person was named. */
  readonly texts: number;
}
