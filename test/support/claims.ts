import type { ClaimedDelivery, EndedClaim } from '../../src/core/outbox.ts';
import type { Store } from '../../src/core/store.ts';
import { NOW } from './store.ts';

/** Claims for "desktop" by default. */
export function claim(
  store: Store,
  { channel = 'desktop', now = NOW, leaseMs = 1000, limit = 10, perSession = 1 } = {},
): Promise<readonly ClaimedDelivery[]> {
  return store.outbox.claim({ channel, now, leaseMs, limit, perSession });
}

/** The claimed delivery arrived, after 40 ms; name only what the test is about. */
export function settlement(claimed: ClaimedDelivery, fields: Partial<EndedClaim> = {}): EndedClaim {
  return {
    deliveryId: claimed.delivery.id,
    fence: claimed.fence,
    state: 'sent',
    reason: null,
    attempt: {
      number: claimed.delivery.attempts + 1,
      startedAt: NOW,
      durationMs: 40,
      outcome: 'delivered',
      reason: null,
    },
    ...fields,
  };
}
