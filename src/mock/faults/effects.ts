import type { CursorFault, LimitsFault, PageFault } from '../knobs.ts';
import type { Role } from '../data/users.ts';
import type { RetryAfterForm } from './retry-after.ts';

/** Before the service did what was asked, or after it did but before it says so. */
export type When = 'before' | 'after';

/** Something that goes wrong with one request. */
export type Effect = Transport | Instead | Spoiling | Drift | Behaviour;

/** How the answer travels. */
export type Transport =
  | { readonly kind: 'latency'; readonly ms: number }
  /** A few bytes (default 1) at a time, with a pause after each. */
  | { readonly kind: 'drip'; readonly ms: number; readonly bytes?: number }
  /** Half of the promised body, then a reset. */
  | { readonly kind: 'truncate' }
  /** Half of the promised body, then silence. */
  | { readonly kind: 'stall' };

/** What comes in place of the answer; `when` is "before" unless told. */
export type Instead =
  | { readonly kind: 'hang'; readonly when?: When }
  | { readonly kind: 'reset'; readonly when?: When }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly when?: When;
      /** "own" (the default) is the form the service's errors have. */
      readonly body?: 'own' | 'html' | 'nothing';
      readonly retryAfter?: { readonly form: RetryAfterForm; readonly seconds: number };
      /** Names in lower case; they win. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Default status 302. */
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: number };

/** A whole answer whose bytes or labels are wrong. */
export type Spoiling =
  | { readonly kind: 'half-json' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'html' }
  | { readonly kind: 'bom' }
  | { readonly kind: 'bad-gzip' }
  | { readonly kind: 'content-type'; readonly type: string };

/** A successful answer whose JSON is not what the document says. */
export type Drift =
  /** `at`: names joined by dots, `*` for every item; for "extra" the object that gets one, the whole body unless told. */
  | {
      readonly kind: 'field';
      readonly fault: 'extra' | 'null' | 'missing' | 'retyped';
      readonly at?: string;
    }
  /** One item of the list (the first unless told) is no object. */
  | { readonly kind: 'bad-item'; readonly index?: number }
  | { readonly kind: 'shuffle' };

/** The service behaves differently; see `Knobs`. */
export type Behaviour =
  | { readonly kind: 'cursor'; readonly fault: CursorFault }
  | { readonly kind: 'page'; readonly fault: PageFault }
  | { readonly kind: 'limits'; readonly fault: LimitsFault }
  | { readonly kind: 'batch'; readonly fault: 'late' | 'zero' }
  | { readonly kind: 'max-span'; readonly days: number }
  | { readonly kind: 'skew'; readonly ms: number }
  | { readonly kind: 'role'; readonly role: Role }
  | { readonly kind: 'revoke-key' }
  | { readonly kind: 'v0-off'; readonly status?: 403 | 404 }
  | { readonly kind: 'list-status' };
