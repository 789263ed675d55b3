import { setTimeout as delay } from 'node:timers/promises';

import { hookbellHome, type HookbellHome } from '../test/support/hookbell-home.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { cpuMs, memoryMb, wakeUps } from './support/process-figures.ts';

/** Until what the start has put off is done, and the first minute of quiet is over, ms. */
const SETTLE_MS = 75_000;
/** Ten minutes of `HOOKBELL_BENCH_PART`; two beats at least. */
const WATCHED_MS = Math.max(120_000, 600_000 * Number(process.env['HOOKBELL_BENCH_PART'] ?? 0.2));

/** Wake-ups per five seconds, and the share of a core. */
async function watched(pid: number) {
  const wakesBefore = wakeUps(pid);
  const cpuBefore = cpuMs(pid);
  const startedAt = performance.now();
  await delay(WATCHED_MS);
  const passed = performance.now() - startedAt;
  const spent = cpuMs(pid) - cpuBefore;
  const wakes = wakeUps(pid) - wakesBefore;
  return { wakes, spent, perFive: (wakes / passed) * 5_000, share: (spent / passed) * 100 };
}

async function begin(place: HookbellHome, count: number): Promise<void> {
  for (let one = 0; one < count; one += 1) {
    const session = { session_id: `working-${one}`, cwd: `/home/user/shop-${one}` };
    await place.hook({ ...session, hook_event_name: 'UserPromptSubmit', prompt: 'Build it' });
  }
}

/** What a daemon costs while no session works, one works, or ten do, without an event. */
export const idle: Benchmark = {
  name: 'idle',
  async run() {
    await using place = await hookbellHome();
    const { pid = 0 } = await place.start();
    await delay(SETTLE_MS);
    const none = await watched(pid);
    const memory = memoryMb(pid, 'VmRSS');
    await begin(place, 1);
    const one = await watched(pid);
    await begin(place, 10);
    const ten = await watched(pid);
    const slowness = slownessOf(Array.from({ length: 20 }, () => nodeStartMs()));
    const seconds = WATCHED_MS / 1_000;
    return [
      {
        name: 'idle daemon, wake-ups of all threads in five seconds',
        value: none.perFive,
        unit: '',
        bound: 1,
        better: 'lower',
        note: `${none.wakes} in ${seconds} s`,
      },
      {
        name: 'idle daemon, share of a core',
        value: none.share,
        unit: '%',
        bound: 0.02,
        better: 'lower',
        // Work that others interrupt finds its caches cold.
        slowness,
        note: `${none.spent.toFixed(1)} ms in ${seconds} s`,
      },
      {
        name: 'idle daemon, resident memory',
        value: memory,
        unit: 'MB',
        bound: 60,
        better: 'lower',
        note: `${memoryMb(pid, 'VmHWM').toFixed(0)} MB at most since its start`,
      },
      {
        name: 'the same wake-ups while a session works, and while ten do',
        value: one.perFive,
        unit: '',
        bound: 15,
        better: 'lower',
        note: `${ten.perFive.toFixed(1)} with ten; ${one.share.toFixed(2)} and ${ten.share.toFixed(2)} % of a core`,
      },
    ];
  },
};
