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
  /** The key as the database has it: sealed if the hub has a secret. */
  readonly stored: string;
}

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

/** An email address as a hub stores it, in lower case; null if it is not one. */
export function emailAddress(text: string): string | null {
  const address = text.trim().toLowerCase();
  const isOne =
    address.length <= 254 &&
    /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/.test(
      address,
    );
  return isOne ? address : null;
}
