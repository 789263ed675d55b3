import { setTimeout as delay } from 'node:timers/promises';

import { hookbellHome } from '../test/support/hookbell-home.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { cpuMs, memoryMb } from './support/process-figures.ts';

/** Until what the start has put off is done, ms. */
const SETTLE_MS = 10_000;
const WATCHED_MS = 20_000;

/** What a daemon costs that has nothing to do. */
export const idle: Benchmark = {
  name: 'idle',
  async run() {
    await using place = await hookbellHome();
    const { pid = 0 } = await place.start();
    await delay(SETTLE_MS);
    const cpuBefore = cpuMs(pid);
    const startedAt = performance.now();
    await delay(WATCHED_MS);
    const spent = cpuMs(pid) - cpuBefore;
    const passed = performance.now() - startedAt;
    const starts = Array.from({ length: 20 }, () => nodeStartMs());
    return [
      {
        name: 'idle daemon, share of a core',
        value: (spent / passed) * 100,
        unit: '%',
        bound: 0.2,
        better: 'lower',
        // Work that others interrupt finds its caches cold.
        slowness: slownessOf(starts),
        note: `${spent.toFixed(1)} ms in ${WATCHED_MS / 1_000} s`,
      },
      {
        name: 'idle daemon, resident memory',
        value: memoryMb(pid, 'VmRSS'),
        unit: 'MB',
        bound: 80,
        better: 'lower',
        note: `${memoryMb(pid, 'VmHWM').toFixed(0)} MB at most since its start`,
      },
    ];
  },
};
