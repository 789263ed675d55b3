import type { Log } from '../../src/platform/log.ts';
import { createRenderer } from '../../src/delivery/render.ts';
import type { ConfiguredChannel, Worker, WorkerOptions } from '../../src/delivery/worker.ts';
import { createWorker } from '../../src/delivery/worker.ts';
import type { FakeChannel } from './fake-channel.ts';
import { fakeChannel } from './fake-channel.ts';
import type { ManualClock } from './manual-clock.ts';
import { manualClock } from './manual-clock.ts';
import { type DeliveryStore, deliveryStore } from './delivery-store.ts';

export interface DeliveryBench {
  readonly clock: ManualClock;
  readonly store: DeliveryStore;
  readonly channel: (fields?: Omit<Parameters<typeof fakeChannel>[0], 'now'>) => FakeChannel;
  /** A worker on the store and the clock, started. */
  readonly start: (
    channels: Readonly<Record<string, ConfiguredChannel>>,
    options?: Partial<WorkerOptions>,
  ) => Worker;
  /** Everything that was logged, as JSON. */
  readonly logged: readonly string[];
}

/** A store, a clock and workers for a test of the delivery; chance always says "half". */
export function deliveryBench(): DeliveryBench {
  const clock = manualClock();
  const store = deliveryStore(clock);
  const logged: string[] = [];
  const write = (fields: object, sentence: string): void => {
    logged.push(JSON.stringify({ ...fields, sentence }));
  };
  const log: Log = { debug: write, info: write, warn: write, error: write };
  return {
    clock,
    store,
    logged,
    channel: (fields = {}) => fakeChannel({ now: clock.now, ...fields }),
    start(channels, options = {}) {
      const worker = createWorker({
        outbox: store,
        channels: new Map(Object.entries(channels)),
        render: createRenderer().notification,
        now: clock.now,
        monotonic: clock.monotonic,
        random: () => 0.5,
        startTimer: clock.startTimer,
        log,
        ...options,
      });
      worker.start();
      return worker;
    },
  };
}
