const MIN_MS = 1_000;
/** One response silences a channel for at most this long. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * Reads a Retry-After header: seconds or an HTTP date (RFC 9110, section 10.2.3), clamped to 1 s … 1 h.
 *
 * @returns ms to wait, or null when the header is missing or unusable ("abc", "-1")
 */
export function parseRetryAfter(header: string | null | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (text === '') return null;
  if (/^\d+(\.\d+)?$/.test(text)) return clampRetryAfter(Number(text) * 1_000);
  const at = httpDate(text);
  return at === null ? null : clampRetryAfter(at - now);
}

/** Unix ms of an HTTP date in any of its three forms (RFC 9110, section 5.6.7); null for anything else. */
export function httpDate(text: string | null): number | null {
  // Date.parse makes a date of nearly anything ("-1", "abc 1"), but all three forms begin with a day.
  if (text === null || !/^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text)) return null;
  // The form of asctime() names no zone and means UTC; Date.parse would take local time.
  const at = Date.parse(/(?:gmt|utc|[+-]\d{4})$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : at;
}

/** Clamps a requested wait to 1 s … 1 h: a broken one neither makes a tight loop nor silences a channel for days. */
export function clampRetryAfter(ms: number): number {
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(MIN_MS, ms));
}

/** A time too far ahead means that the clock was set back: it counts as passed. */
export function futureTime(at: number, longestMs: number, now: number): number {
  return at - now > longestMs ? now : at;
}

/**
 * Exponential backoff with full jitter: a random wait between 0 and the doubled base, so that many failed
 * deliveries do not come back in step.
 *
 * @param attempt counts from 1 (the attempt that just failed)
 * @param random a number in [0, 1)
 * @returns ms to wait, at least 250 so that a retry is never a tight loop
 */
export function backoffMs(
  attempt: number,
  random: number,
  { baseMs = 1_000, capMs = 300_000 }: { baseMs?: number; capMs?: number } = {},
): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30));
  return Math.max(250, Math.round(random * ceiling));
}

/** How fast something may be sent: `burst` messages immediately, then one every `refillMs`. */
export interface TokenBucket {
  /** Messages that may be sent now; Infinity without a limit. */
  available(now: number): number;
  /** When the next one may be sent, Unix ms. */
  readyAt(now: number): number;
  take(now: number): void;
  /** The remote side requested a pause until `at`: then one message may be sent, and the others at the refill rate. */
  rest(now: number, at: number): void;
}

interface BucketSize {
  readonly burst: number;
  /** 0: unlimited. */
  readonly refillMs: number;
}

/** In memory only: a pause that has to survive a restart is stored by the caller. */
export function createTokenBucket({ burst, refillMs }: BucketSize): TokenBucket {
  if (refillMs === 0) return unlimited;
  // Negative after a requested pause.
  let tokens = burst;
  let since = 0;

  function refill(now: number): void {
    // A clock set back must not remove tokens.
    tokens = Math.min(burst, tokens + Math.max(0, now - since) / refillMs);
    since = now;
  }

  return {
    available(now) {
      refill(now);
      return Math.max(0, Math.floor(tokens));
    },
    readyAt(now) {
      refill(now);
      return tokens >= 1 ? now : now + Math.ceil((1 - tokens) * refillMs);
    },
    take(now) {
      refill(now);
      tokens -= 1;
    },
    rest(now, at) {
      tokens = 1 - (at - now) / refillMs;
      since = now;
    },
  };
}

const unlimited: TokenBucket = {
  available: () => Number.POSITIVE_INFINITY,
  readyAt: (now) => now,
  take() {},
  rest() {},
};
