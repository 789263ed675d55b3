import { traitsOf } from '../../src/agents/registry.ts';
import { decide } from '../../src/alerts/decide.ts';
import { releaseDue } from '../../src/alerts/release-due.ts';
import { measureBy } from '../../src/alerts/measure-wait.ts';
import { waitingReport } from '../../src/alerts/waiting-report.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { type Policy, unknownPresence } from '../../src/core/policy.ts';
import type { Store } from '../../src/core/store.ts';
import type {
  MeasuredWait,
  WaitingDimension,
  WaitingReport,
  WorkingHours,
} from '../../src/core/waiting.ts';
import { openMemoryStore } from '../../src/store/open-store.ts';
import { samplePolicy } from './decisions.ts';
import { sampleEvent } from './sample.ts';

/** All of every day, so that every wait lies within. */
export const ALL_DAY: WorkingHours = { from: 0, to: 0, timezone: 'UTC', days: null };

export interface WaitingRun extends AsyncDisposable {
  readonly store: Store;
  /** Commits an event as the daemon does; `at` is also when it was received. */
  feed(fields: Partial<HookEvent>): Promise<HookEvent>;
  /** Sends what is due on a channel, at this time. */
  send(channel: string, at: number): Promise<void>;
  measure(hours?: WorkingHours): Promise<readonly MeasuredWait[]>;
  report(by?: WaitingDimension): Promise<WaitingReport>;
}

/** Events on the real store in memory, with the real decisions. */
export async function waitingRun(policy: Policy = samplePolicy): Promise<WaitingRun> {
  let now = 0;
  let lastId = 0;
  const store = await openMemoryStore(() => now);
  const newId = (): string => `id-${(lastId += 1)}`;
  const period = { since: 0, until: Number.MAX_SAFE_INTEGER };

  async function measure(hours = ALL_DAY): Promise<readonly MeasuredWait[]> {
    return store.waits.measure({
      measure: measureBy(hours),
      exceptChannels: ['inbox', 'log'],
      limit: 1_000,
    });
  }

  return {
    store,
    measure,
    async feed(fields) {
      const event = sampleEvent({ receivedAt: fields.at ?? now, ...fields });
      now = event.receivedAt;
      await store.events.accept([{ event, payload: new Uint8Array() }], (memory, accepted) =>
        decide(memory, accepted, { agents: traitsOf, policy, now, presence: null, newId }),
      );
      return event;
    },
    async send(channel, at) {
      now = at;
      await store.held.releaseDue(at, (memory) =>
        releaseDue(memory, {
          policy,
          now: at,
          presenceOf: () => unknownPresence,
          runningOf: () => 'unknown',
        }),
      );
      for (const { delivery, fence } of await store.outbox.claim({
        channel,
        now: at,
        leaseMs: 1,
        limit: 100,
      })) {
        await store.outbox.recordAttempt({
          deliveryId: delivery.id,
          fence,
          state: 'sent',
          reason: null,
          attempt: { number: 1, startedAt: at, durationMs: 0, outcome: 'delivered', reason: null },
        });
      }
    },
    async report(by = 'day') {
      await measure();
      return waitingReport(await store.waits.series(period), {
        ...period,
        by,
        gaps: await store.waits.gaps(period),
      });
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}
