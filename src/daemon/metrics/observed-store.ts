import { seenIn } from '../../core/agent/witness.ts';
import { isWaiting } from '../../core/hook-event.ts';
import type { MetricFamily } from '../../core/metrics.ts';
import type { ClaimedDelivery } from '../../core/outbox.ts';
import type { Store } from '../../core/store.ts';
import { createCounter, createHistogram } from './counters.ts';

/** From a pop-up's milliseconds to an outage's minutes. */
const BOUNDS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** A store that counts its operations. */
export interface ObservedStore {
  readonly store: Store;
  /** Counts since the start. */
  readonly families: () => readonly MetricFamily[];
}

/**
 * Counts at the one place everything passes. Labels are hookbell's own words and channel names, so their number is
 * bounded, and they hold no agent text.
 */
export function observeStore(store: Store): ObservedStore {
  const events = createCounter(
    'hookbell_events_total',
    'Events committed since the daemon started, by agent and kind',
  );
  const waits = createCounter(
    'hookbell_waits_total',
    "Events of waits since the daemon started, by agent and by what showed them: a hook, or the agent's own record",
  );
  const seconds = createHistogram(
    'hookbell_wait_notice_seconds',
    'Time between a wait, as its hook or the record dates it, and when hookbell knew of it',
    BOUNDS_SECONDS,
  );
  const attempts = createCounter(
    'hookbell_delivery_attempts_total',
    'Completed delivery attempts since the daemon started, by channel and outcome',
  );
  const durations = createHistogram(
    'hookbell_delivery_attempt_duration_seconds',
    'Duration of a delivery attempt',
    BOUNDS_SECONDS,
  );
  const latencies = createHistogram(
    'hookbell_delivery_latency_seconds',
    'Time between the due time of a delivery and its acceptance by the channel',
    BOUNDS_SECONDS,
  );
  /** Attempts in progress, by delivery id. */
  const claims = new Map<string, Pick<ClaimedDelivery, 'delivery' | 'fence'>>();

  return {
    store: {
      ...store,
      events: {
        ...store.events,
        async accept(records, decide) {
          const verdicts = await store.events.accept(records, decide);
          for (const [index, { event }] of records.entries()) {
            if (verdicts[index] !== 'committed') continue;
            const { agent, kind, receivedAt } = event;
            events.add({ agent, kind });
            if (!isWaiting(kind)) continue;
            const said = seenIn(event.facts);
            const seen = said === null ? 'hook' : 'record';
            waits.add({ agent, seen });
            seconds.observe({ agent, seen }, Math.max(0, receivedAt - (said?.since ?? event.at)));
          }
          return verdicts;
        },
      },
      outbox: {
        ...store.outbox,
        async claim(query) {
          const claimed = await store.outbox.claim(query);
          for (const { delivery, fence } of claimed) claims.set(delivery.id, { delivery, fence });
          return claimed;
        },
        async recordAttempt(ended) {
          const isTaken = await store.outbox.recordAttempt(ended);
          const claim = claims.get(ended.deliveryId);
          if (claim?.fence !== ended.fence) return isTaken;
          claims.delete(ended.deliveryId);
          if (!isTaken) return isTaken;
          const { channel, dueAt } = claim.delivery;
          const { outcome, startedAt, durationMs } = ended.attempt;
          attempts.add({ channel, outcome });
          durations.observe({ channel }, durationMs);
          const latencyMs = Math.max(0, startedAt + durationMs - dueAt);
          if (outcome === 'delivered') latencies.observe({ channel }, latencyMs);
          return isTaken;
        },
        async release(deliveryId, fence) {
          await store.outbox.release(deliveryId, fence);
          if (claims.get(deliveryId)?.fence === fence) claims.delete(deliveryId);
        },
      },
    },
    families: () =>
      [events, waits, seconds, attempts, durations, latencies].map((one) => one.family()),
  };
}
