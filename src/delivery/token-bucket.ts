import type { ChannelLimits } from '../core/channel.ts';

/** How fast a channel may send: `burst` messages at once, then one every `refillMs`. */
export interface TokenBucket {
  /** How many messages may go now; Infinity without a limit. */
  available(now: number): number;
  /** When the next one may go, Unix ms. */
  readyAt(now: number): number;
  take(now: number): void;
  /** The far side wants a pause until `at`: then one message may go, and the others at the pace of the refill. */
  rest(now: number, at: number): void;
}

/** Lives in memory only: the pause a far side asked for outlives a restart as `ChannelState.notBefore`. */
export function createTokenBucket({
  burst,
  refillMs,
}: Pick<ChannelLimits, 'burst' | 'refillMs'>): TokenBucket {
  if (refillMs === 0) return unlimited;
  // Below 0 after a pause was asked for.
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
