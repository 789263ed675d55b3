import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { HookbellHome } from '../test/support/hookbell-home.ts';
import { hookbellHome } from '../test/support/hookbell-home.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { memoryMb } from './support/process-figures.ts';
import { percentile } from './support/statistics.ts';

const PER_SECOND = 10_000;
const SECONDS = 10;
const PATIENCE_MS = 120_000;

const flood = fileURLToPath(new URL('./support/flood.js', import.meta.url));

/** Far more events than any agent makes, for ten seconds: none is lost, and the daemon stays small and answers. */
export const storm: Benchmark = {
  name: 'storm',
  async run() {
    await using place = await hookbellHome();
    await place.writeConfig('channels: {}\nhistory: { keep: 3650d, max_size: 100GB }\n');
    const daemon = await place.start();
    const ended = once(daemon, 'exit');
    const answers = askAllTheTime(place);

    const startedAt = performance.now();
    await handIn(place);
    const handedInMs = performance.now() - startedAt;
    const answerMs = await answers.stop();
    await untilTakenIn(place);
    const takenInMs = performance.now() - startedAt - handedInMs;
    const peakMb = memoryMb(daemon.pid ?? 0, 'VmHWM');
    await place.ask('POST /v1/stop');
    await ended;

    const slowness = slownessOf(Array.from({ length: 20 }, () => nodeStartMs()));
    return [
      {
        name: 'storm, events handed in',
        value: (PER_SECOND * SECONDS) / (handedInMs / 1_000),
        unit: '/s',
        bound: 9_500,
        better: 'higher',
        slowness,
        note: `for ${(handedInMs / 1_000).toFixed(1)} s; all ${PER_SECOND * SECONDS} are in the history`,
      },
      {
        name: 'storm, taken in after its end',
        value: takenInMs / 1_000,
        unit: 's',
        bound: 30,
        better: 'lower',
        slowness,
        note: `${((PER_SECOND * SECONDS) / ((handedInMs + takenInMs) / 1_000)).toFixed(0)}/s in all`,
      },
      {
        name: 'storm, "status" meanwhile, 95 of 100',
        value: percentile(answerMs, 95),
        unit: 'ms',
        bound: 500,
        better: 'lower',
        slowness,
        note: `of ${answerMs.length}; median ${percentile(answerMs, 50).toFixed(0)} ms`,
      },
      {
        name: 'storm, memory at its peak',
        value: peakMb,
        unit: 'MB',
        bound: 150,
        better: 'lower',
        note: 'resident',
      },
    ];
  },
};

async function handIn({ paths }: HookbellHome): Promise<void> {
  const words = [flood, paths.spool, String(PER_SECOND * SECONDS), String(PER_SECOND)];
  const [code] = await once(spawn(process.execPath, words, { stdio: 'ignore' }), 'exit');
  if (code !== 0) throw new Error(`The flood ended with ${String(code)}`);
}

/** An answer that does not come in time counts with the time it was waited for. */
function askAllTheTime(place: HookbellHome): { stop(): Promise<readonly number[]> } {
  const over = new AbortController();
  const times: number[] = [];
  async function run(): Promise<readonly number[]> {
    while (!over.signal.aborted) {
      const startedAt = performance.now();
      await place.ask('GET /v1/status', { timeoutMs: 30_000 }).catch(() => null);
      times.push(performance.now() - startedAt);
      await delay(50);
    }
    return times;
  }
  const running = run();
  return {
    stop() {
      over.abort();
      return running;
    },
  };
}

async function untilTakenIn(place: HookbellHome): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const status = await place.ask('GET /v1/status', { timeoutMs: 30_000 }).catch(() => null);
    if (status?.events === PER_SECOND * SECONDS) return;
    if (performance.now() > giveUpAt) {
      throw new Error(`Only ${status?.events ?? 'unknown'} events were taken in`);
    }
    await delay(50);
  }
}
