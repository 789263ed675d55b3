import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { HookRecord } from '../src/core/hook-event.ts';
import { timeOrderedId } from '../src/platform/crypto.ts';
import { silentLog } from '../src/platform/log.ts';
import { createMaintenance } from '../src/daemon/maintenance.ts';
import { openStore } from '../src/store/open-store.ts';
import { decideNothing, sampleRecord } from '../test/support/store.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { percentile } from './support/statistics.ts';

const MB = 1_000_000;
const MAX_BYTES = 100 * MB;
const STORM_MS = 60_000;
/** 5 MB a second, as 20 commits of 10 events each. */
const COMMIT_EVERY_MS = 50;
const EVENTS = 10;
const PAYLOAD = 'x'.repeat(25_000);
/** Enough for the remains of the storm to be removed. */
const AFTERWARDS_MS = 60_000;

/** Whether the size of the history holds in a storm of large events, and whether commits wait for that. */
export const retention: Benchmark = {
  name: 'retention',
  async run() {
    const without = await storm({ stormMs: STORM_MS / 3, maxBytes: 100_000 * MB, afterwardsMs: 0 });
    const held = await storm({
      stormMs: STORM_MS,
      maxBytes: MAX_BYTES,
      afterwardsMs: AFTERWARDS_MS,
    });
    const slowness = slownessOf(Array.from({ length: 20 }, () => nodeStartMs()));
    const percentile95 = percentile(held.commitMs, 95);
    const percentile95Without = percentile(without.commitMs, 95);
    return [
      {
        name: 'history of 100 MB, a minute after a storm of 5 MB/s',
        value: held.size / MAX_BYTES,
        unit: '×',
        bound: 1.1,
        better: 'lower',
        note: `${megabytes(held.bytesIn)} came in; at its largest ${megabytes(held.largest)}`,
      },
      {
        name: 'commits meanwhile, 95 of 100',
        value: percentile95,
        unit: 'ms',
        bound: 25,
        better: 'lower',
        slowness,
        note: `${EVENTS} events of 25 kB each; median ${percentile(held.commitMs, 50).toFixed(1)} ms, of ${held.commitMs.length}`,
      },
      {
        name: 'commits meanwhile, 95 of 100, than without a limit',
        value: percentile95 / percentile95Without,
        unit: '×',
        bound: 3,
        better: 'lower',
        note: `${percentile95.toFixed(1)} and ${percentile95Without.toFixed(1)} ms`,
      },
    ];
  },
};

interface Storm {
  readonly bytesIn: number;
  /** The size of the file when all is over, and at its largest, bytes. */
  readonly size: number;
  readonly largest: number;
  readonly commitMs: readonly number[];
}

async function storm({
  stormMs,
  maxBytes,
  afterwardsMs,
}: {
  readonly stormMs: number;
  readonly maxBytes: number;
  readonly afterwardsMs: number;
}): Promise<Storm> {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  const { store } = await openStore({ path, now: Date.now });
  const maintenance = createMaintenance({
    upkeep: store.upkeep,
    history: () => ({ keepMs: 3_650 * 86_400_000, maxBytes }),
    quarantine: join(directory.path, 'quarantine'),
    database: path,
    sessionReaper: { run: async () => {} },
    log: { ...silentLog, rotateIfLarge: () => {} },
    now: Date.now,
    isOwner: () => true,
  });
  const commitMs: number[] = [];
  let largest = 0;
  const endAt = performance.now() + stormMs;
  for (let due = performance.now(); due < endAt; due += COMMIT_EVERY_MS) {
    await delay(due - performance.now());
    const records = Array.from({ length: EVENTS }, recordOfNow);
    const startedAt = performance.now();
    await store.events.accept(records, decideNothing);
    commitMs.push(performance.now() - startedAt);
    maintenance.grew();
    largest = Math.max(largest, statSync(path).size);
  }
  await delay(afterwardsMs);
  const { size } = statSync(path);
  maintenance.stop();
  await store.close();
  return { bytesIn: commitMs.length * EVENTS * PAYLOAD.length, size, largest, commitMs };
}

function recordOfNow(): HookRecord {
  const receivedAt = Date.now();
  const id = timeOrderedId(receivedAt, crypto.getRandomValues(new Uint8Array(10)));
  return sampleRecord({ id, at: receivedAt, receivedAt }, PAYLOAD);
}

function megabytes(bytes: number): string {
  return `${(bytes / MB).toFixed(0)} MB`;
}
