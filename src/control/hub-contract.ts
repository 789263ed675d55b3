import type { MeView } from '../core/hub/machine-requests.ts';
import type { InIso, PolicyView } from './contract-views.ts';
import type { Revoked } from '../core/hub/hub-store.ts';
import type {
  AuditCheck,
  AuditRecord,
  Forgotten,
  HubState,
  Imported,
  MachineRecord,
  MissingPeople,
  PersonRecord,
  RemovedPerson,
  ToForget,
} from '../core/hub/hub-records.ts';

/** The request of a person at a machine that belongs to a hub. */
export interface MeAnswers {
  /** Body: `MeRequest`. */
  'POST /v1/me': MeView;
}

/** The responses of a hub's daemon on its control socket; those of other daemons refuse. */
export interface HubControlAnswers {
  'GET /v1/hub': HubStatusView;
  /** Null: none was ever set. */
  'GET /v1/hub-policy': PolicyView | null;
  /** Body: a `MachinePolicy`, which takes the place of the one before. */
  'POST /v1/hub-policy': PolicyView;
  'GET /v1/hub-people': readonly HubPersonView[];
  'GET /v1/hub-machines': readonly HubMachineView[];
  /** Body: { email, name?, team? }. Adds the person if new, and makes a code for one machine. */
  'POST /v1/hub-invite': HubInvitationView;
  /** Body: { what: the name of a machine, or the email address of a person }. */
  'POST /v1/hub-revoke': HubRevokedView;
  /** Body: { people: [{ email, name?, team? }], source }. */
  'POST /v1/hub-import': Imported;
  /** Body: { emails, source }. People of earlier imports whom the source no longer has. */
  'POST /v1/hub-missing': MissingPeople;
  /** Body: { emails, source, shown: their addresses }. Removes them; fails if others are missing than were shown. */
  'POST /v1/hub-prune': { readonly removed: readonly RemovedPerson[] };
  /** Query: email. What would be erased. */
  'GET /v1/hub-forget': ToForget;
  /** Body: { email }. Erases what is stored about a person. */
  'POST /v1/hub-forget': Forgotten;
  /** Query: limit. Newest first. */
  'GET /v1/hub-audit': readonly HubAuditView[];
  /** Query: expect, a hash that was noted earlier. Recomputes the hashes of the audit. */
  'GET /v1/hub-verify': AuditCheck;
}

export interface HubStatusView extends InIso<HubState, 'dueSince'> {
  /** The address that machines use. */
  readonly url: string;
  /** Of this process, as sentences. */
  readonly warnings: readonly string[];
}

export type HubPersonView = InIso<PersonRecord, 'addedAt' | 'removedAt'>;
export type HubMachineView = InIso<MachineRecord, 'enrolledAt' | 'heardAt' | 'revokedAt'>;

export interface HubInvitationView {
  readonly email: string;
  /** Shown once: only its hash is stored. */
  readonly code: string;
  readonly url: string;
  readonly expiresAt: string;
}

export interface HubRevokedView extends Revoked {
  readonly type: 'machine' | 'person';
}

export interface HubAuditView extends InIso<Omit<AuditRecord, 'detail'>, 'at'> {
  readonly detail: unknown;
}
