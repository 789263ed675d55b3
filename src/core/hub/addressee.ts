/** The person a machine belongs to. */
export interface Owner {
  /** In lower case. */
  readonly person: string;
  /** Null: in no team. */
  readonly team: string | null;
}

/**
 * Whom a step of a plan is for, on channels that write to one person. The members of a group are notified in their
 * order, each `eachMs` after the one before.
 */
export type Addressee =
  | { readonly type: 'owner' }
  | { readonly type: 'person'; readonly email: string }
  | { readonly type: 'group'; readonly name: string; readonly eachMs: number };
