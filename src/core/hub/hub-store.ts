import type { AuditParty } from './audit.ts';
import type { HubMachine, HubPerson } from './directory.ts';
import type {
  AuditCheck,
  AuditRecord,
  Forgotten,
  ToForget,
  HubState,
  Imported,
  MissingPeople,
  Pruned,
  MachineRecord,
  PersonRecord,
} from './hub-records.ts';
import type { MachinePolicy, PolicyInForce } from './machine-policy.ts';
import type { MachineQuestions } from './machine-questions.ts';

/** A request that a machine has signed with a key that the hub knows. */
export interface HubClaim {
  readonly machine: string;
  /** The key it was signed with, as the database has it. */
  readonly key: string;
  /** When it was signed, by the machine's clock, Unix ms. */
  readonly time: number;
  readonly nonce: string;
}

export type HubVerdict =
  | { readonly type: 'admitted'; readonly person: string }
  /** The machine is revoked, has another key by now, or its person was removed. */
  | { readonly type: 'unknown' }
  /** @param now the clock of the database, Unix ms */
  | { readonly type: 'clock'; readonly now: number }
  /** The nonce was used before, at whichever process. */
  | { readonly type: 'replay' };

/** What seals the keys of machines in the database. */
export type SealState =
  /** Nothing: the hub has no secret. */
  | { readonly type: 'plain' }
  /** The secret of this process. */
  | { readonly type: 'sealed' }
  /** Its previous secret, or nothing: processes on these hosts do not have the new one. */
  | { readonly type: 'waiting'; readonly hosts: readonly string[] }
  /** A secret that this process does not have. */
  | { readonly type: 'foreign' };

export type SealReset =
  /** @param machines how many could send until then */
  | { readonly type: 'reset'; readonly machines: number }
  | { readonly type: 'running'; readonly hosts: readonly string[] };

/** An invitation of a person to enrol one machine. */
export interface Invitation {
  readonly email: string;
  /** Null: unchanged if the person is known. */
  readonly name: string | null;
  readonly team: string | null;
  readonly codeHash: string;
  readonly expireAfterMs: number;
  readonly actor: AuditParty;
}

export interface EnrolRequest {
  readonly codeHash: string;
  readonly machine: string;
  readonly key: string;
}

export type Enrolled =
  | { readonly type: 'enrolled'; readonly person: string }
  /** The invitation does not exist, was used, or has expired. */
  | { readonly type: 'refused' }
  /** Another person's machine has this name; the invitation is still valid. */
  | { readonly type: 'taken' };

export interface SettingsChange {
  readonly email: string;
  readonly settings: string;
  readonly actor: AuditParty;
}

/** Null: unchanged if the person is known. */
export interface PersonImport {
  readonly email: string;
  readonly name: string | null;
  readonly team: string | null;
}

export interface PeopleImport {
  readonly people: readonly PersonImport[];
  readonly source: string;
  readonly actor: AuditParty;
}

export interface PruneRequest {
  readonly emails: readonly string[];
  readonly source: string;
  /** The people who were shown to the administrator as missing. If someone else would be removed, no one is. */
  readonly shown: readonly string[];
  readonly actor: AuditParty;
}

export interface ProcessConfig {
  readonly host: string;
  readonly program: string;
  readonly hashes: string;
}

export interface PolicySetting {
  readonly policy: MachinePolicy;
  readonly actor: AuditParty;
}

export interface PersonRemoval {
  readonly email: string;
  readonly actor: AuditParty;
}

/** The machines that can no longer send events. */
export interface Revoked {
  readonly machines: readonly string[];
}

/** The people and machines of a hub, without removed and revoked ones, and the policy for its machines. */
export interface HubRoll {
  /** Grows with every change. */
  readonly version: number;
  readonly people: readonly HubPerson[];
  readonly machines: readonly HubMachine[];
  readonly policy: PolicyInForce | null;
}

/**
 * What a hub stores besides the events: its people and machines. All processes of a hub share it. Methods reject with
 * StoreError if the database cannot be used.
 */
export interface HubStore {
  /** Decides on a request, and records its nonce, in one statement. */
  admit(claim: HubClaim): Promise<HubVerdict>;
  /** Writes to the database. Rejects if it cannot, also for a while after its disk was too full for something else. */
  ping(): Promise<void>;
  /** Removes nonces that are too old to be used again. Returns how many. */
  forgetNonces(): Promise<number>;
  /** Everyone and every machine; null if the version `known` is still the current one. */
  roll(known: number | null): Promise<HubRoll | null>;
  /** Adds the person if new, and an invitation. Returns when it expires, Unix ms. */
  invite(invitation: Invitation): Promise<number>;
  /** Redeems an invitation, once. The machine may have been enrolled by the same person before: it gets the new key. */
  enrol(request: EnrolRequest): Promise<Enrolled>;
  /** Null: unknown, or removed. */
  person(email: string): Promise<HubPerson | null>;
  /** Changes some settings of a person and keeps the others. Returns false if the person does not exist. */
  changeSettings(change: SettingsChange): Promise<boolean>;
  /** Counts an attempt to enrol from this address. Returns how long to wait first, ms. */
  mayEnrol(address: string): Promise<number>;
  /** Seals the keys of machines with the secret of this process, once all processes have it. */
  sealKeys(): Promise<SealState>;
  /** Revokes all machines, whose seal cannot be opened; not while a process of the hub runs. */
  resetSeal(request: { readonly actor: AuditParty }): Promise<SealReset>;
  /** Removes expired invitations, and counts of attempts. */
  forgetEnrolments(): Promise<void>;
  /** Adds people, and changes names and teams of known ones. */
  importPeople(request: PeopleImport): Promise<Imported>;
  missingPeople(request: Pick<PruneRequest, 'emails' | 'source'>): Promise<MissingPeople>;
  /** Removes the people of earlier imports whom the source no longer has, and revokes their machines. */
  prunePeople(request: PruneRequest): Promise<Pruned>;
  /** Returns null if the machine does not exist or is already revoked. */
  revokeMachine(request: {
    readonly name: string;
    readonly actor: AuditParty;
  }): Promise<Revoked | null>;
  /** Removes a person and revokes their machines. Returns null if the person does not exist. */
  removePerson(request: PersonRemoval): Promise<Revoked | null>;
  toForget(email: string): Promise<ToForget | null>;
  /** Erases what is stored about a person; call it again if it fails. Null: unknown. */
  forgetPerson(request: PersonRemoval): Promise<Forgotten | null>;
  /** Puts a policy for machines in the place of the one before. */
  setPolicy(setting: PolicySetting): Promise<PolicyInForce>;
  /** Null: none was ever set. */
  policy(): Promise<PolicyInForce | null>;
  people(): Promise<readonly PersonRecord[]>;
  machines(): Promise<readonly MachineRecord[]>;
  state(): Promise<HubState>;
  /** Stores the configuration of this process. Returns those of the other processes. */
  shareConfig(own: ProcessConfig): Promise<readonly ProcessConfig[]>;
  /** The latest rows, newest first. */
  audit(limit: number): Promise<readonly AuditRecord[]>;
  /** @param expected a hash that was noted earlier, which one of the rows must still have */
  verifyAudit(expected: string | null): Promise<AuditCheck>;
  /** Requests that machines hold, and the answers to them. */
  readonly requests: MachineQuestions;
}
