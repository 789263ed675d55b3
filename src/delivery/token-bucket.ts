import type { ChannelLimits } from '../core/channel.ts';

/** How fast a channel may send: `burst` messages immediately, then one every `refillMs`. */
export interface TokenBucket {
  /** Messages that may be sent now; Infinity without a limit. */
  available(now: number): number;
  /** When the next one may be sent, Unix ms. */
  readyAt(now: number): number;
  take(now: number): void;
  /** The remote side requested a pause until `at`: then one message may be sent, and the others at the refill rate. */
  rest(now: number, at: number): void;
}

/** In memory only: a requested pause survives a restart as `ChannelState.notBefore`. */
export function createTokenBucket({
  burst,
  refillMs,
}: Pick<ChannelLimits, 'burst' | 'refillMs'>): TokenBucket {
  if (refillMs === 0) return unlimited;
  // Negative after a requested pause.
  let tokens = burst;
  let since = 0;

  function refill(now: number): void {
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
