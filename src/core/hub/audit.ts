import type { JsonObject } from '../../platform/json.ts';

/** Who did something in a hub, or to whom it was done. */
export type AuditParty =
  | { readonly type: 'person'; readonly email: string }
  | { readonly type: 'machine'; readonly name: string }
  /** Someone who may use the hub's control socket. */
  | { readonly type: 'admin'; readonly name: string }
  /** The hub itself. */
  | { readonly type: 'hub' };

export type AuditAction =
  | 'invite'
  | 'enrol'
  | 'refuse'
  | 'revoke'
  | 'remove'
  | 'forget'
  | 'import'
  | 'answer'
  | 'settings'
  | 'policy'
  | 'reset'
  | 'seal';

/** What is added to the audit of a hub, in the transaction that does it. */
export interface AuditEntry {
  readonly actor: AuditParty;
  readonly action: AuditAction;
  readonly target: AuditParty | null;
  /** Without names and addresses of people: the audit outlives them. */
  readonly detail: JsonObject;
}
