import type { Role } from '../data/users.ts';
import type { CursorFault, LimitsFault, PageFault } from '../keys.ts';

export const RETRY_AFTER_FORMS = [
  'seconds',
  'imf-date',
  'rfc850-date',
  'asctime-date',
  'milliseconds',
  'rate-limit-reset',
] as const;

/** How a service may say when to come back; other values are set through `headers`. */
type RetryAfterForm = (typeof RETRY_AFTER_FORMS)[number];

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/**
 * The header that asks to wait: one of the three dates of RFC 9110, section 5.6.7, delta seconds, or one of two headers
 * in common use beside it.
 *
 * @param now the service's clock, Unix ms
 */
export function retryAfterHeader(
  form: RetryAfterForm,
  seconds: number,
  now: number,
): Readonly<Record<string, string>> {
  const at = new Date(now + seconds * 1_000);
  const date = at.toUTCString();
  const [, day = '', month = '', year = '', time = ''] = date.split(' ');
  switch (form) {
    case 'seconds':
      return { 'retry-after': String(seconds) };
    case 'imf-date':
      return { 'retry-after': date };
    case 'rfc850-date': {
      const weekday = WEEKDAYS[at.getUTCDay()] ?? '';
      return { 'retry-after': `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT` };
    }
    case 'asctime-date': {
      const padded = String(Number(day)).padStart(2, ' ');
      return { 'retry-after': `${date.slice(0, 3)} ${month} ${padded} ${time} ${year}` };
    }
    case 'milliseconds':
      return { 'retry-after-ms': String(seconds * 1_000) };
    case 'rate-limit-reset':
      return { 'ratelimit-reset': String(seconds) };
  }
}

/** Before the service did what was asked, or after it did but before it says so. */
export type When = 'before' | 'after';

/** Something that goes wrong with one request. */
export type Effect = Transport | Instead | Spoiling | DriftEffect | Behaviour;

/** How the answer travels. */
export type Transport =
  | { readonly kind: 'latency'; readonly ms: number }
  /** A few bytes (default 1) at a time, with a pause after each. */
  | { readonly kind: 'drip'; readonly ms: number; readonly bytes?: number }
  /** Half of the promised body, then a reset. */
  | { readonly kind: 'truncate' }
  /** Half of the promised body, then silence. */
  | { readonly kind: 'stall' };

/** Replaces the answer; `when` is "before" by default. */
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
type Spoiling =
  | { readonly kind: 'half-json' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'html' }
  | { readonly kind: 'bom' }
  | { readonly kind: 'bad-gzip' }
  | { readonly kind: 'content-type'; readonly type: string };

/** A successful answer whose JSON is not what the document says. */
export type DriftEffect =
  /** `at`: names joined by dots, `*` for every item; for "extra" the object that gets one, by default the whole body. */
  | {
      readonly kind: 'field';
      readonly fault: 'extra' | 'null' | 'missing' | 'retyped';
      readonly at?: string;
    }
  /** One item of the list, by default the first, is not an object. */
  | { readonly kind: 'bad-item'; readonly index?: number }
  | { readonly kind: 'shuffle' };

/** The service behaves differently; see `Knobs`. */
type Behaviour =
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
