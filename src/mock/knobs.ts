import type { Role } from './data/users.ts';

export type CursorFault = 'repeated' | 'cyclic' | 'missing' | 'null' | 'empty';
export type PageFault = 'empty' | 'short' | 'overlapping';
export type LimitsFault = 'errors' | 'silence' | 'clamp';

/** What faults change in how a request is understood and answered, before there is an answer to spoil. */
export interface Knobs {
  readonly cursor?: CursorFault;
  readonly page?: PageFault;
  /** Every second entry of a limits update is refused, not answered or lowered to 1,000,000. */
  readonly limits?: LimitsFault;
  /** Yesterday is missing, or there with nothing in it. */
  readonly batch?: 'late' | 'zero';
  /** Longest range analytics takes, in days. */
  readonly maxSpan?: number;
  /** How far the service's clock is ahead, ms. */
  readonly skew?: number;
  readonly role?: Role;
  /** The key of the request is revoked, for good. */
  readonly revokesKey?: true;
  /** Every v0 route answers this. */
  readonly v0Off?: 403 | 404;
  /** Items of the session list carry their status. */
  readonly listsStatus?: true;
}
