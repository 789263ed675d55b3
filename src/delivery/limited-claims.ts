import { createTokenBucket } from '../platform/retry.ts';
import type { ChannelLimits } from '../core/channel.ts';
import type { ClaimedDelivery, Outbox } from '../core/outbox.ts';

/** Claims of a channel, within limits that it shares with other processes. */
export interface LimitedClaims {
  /** No more than the channel may send now. */
  claim(
    limits: Pick<ChannelLimits, 'burst' | 'refillMs'>,
    query: Parameters<Outbox['claim']>[0],
  ): Promise<readonly ClaimedDelivery[]>;
  /** The pause after a claim that found nothing, ms: `otherwise`, or less if the channel may send again earlier. */
  pauseMs(otherwise: number): number;
}

export function createLimitedClaims(outbox: Pick<Outbox, 'claim' | 'takeTokens'>): LimitedClaims {
  let waitMs: number | null = null;
  return {
    async claim({ burst, refillMs }, query) {
      const { takeTokens } = outbox;
      if (takeTokens === undefined || query.limit <= 0) return outbox.claim(query);
      const rate = { channel: query.channel, burst, refillMs };
      const taken = await takeTokens({ ...rate, wanted: query.limit });
      waitMs = taken.granted === 0 ? taken.waitMs : null;
      if (taken.granted === 0) return [];
      const claims = await outbox.claim({ ...query, limit: taken.granted });
      const unused = taken.granted - claims.length;
      if (unused > 0 && refillMs > 0) await takeTokens({ ...rate, wanted: -unused });
      return claims;
    },
    pauseMs: (otherwise) => Math.min(otherwise, waitMs ?? otherwise),
  };
}

/** The rate limit of a channel; of one that is missing, any. */
export function bucketOf(
  configured: { readonly limits: ChannelLimits } | null,
): ReturnType<typeof createTokenBucket> {
  return createTokenBucket(configured?.limits ?? { burst: 1, refillMs: 0 });
}
