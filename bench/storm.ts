import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { HookbellHome } from '../test/support/hookbell-home.ts';
import { hookbellHome } from '../test/support/hookbell-home.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { memoryMb } from './support/process-figures.ts';
import { percentile } from './support/statistics.ts';

const PER_SECOND = 10_000;
const SECONDS = 10;
const COUNT = PER_SECOND * SECONDS;
const PATIENCE_MS = 120_000;

/** Linux keeps a file system in memory here; elsewhere both runs are on the disk. */
const IN_MEMORY = '/dev/shm';
const NEEDED_BYTES = 1024 ** 3;

/**
 * Far more events than any agent makes, for ten seconds: none is lost, and the daemon stays small and answers.
 *
 * In memory the figures are ours. On a disk the rate is the file system's: ext4 does not use a deleted file's inode
 * again for seconds, and each new file searches past all of them. So that run stands beside one in which a process
 * without any other work deletes the files.
 */
export const storm: Benchmark = {
  name: 'storm',
  async run() {
    const memory = await flooded(parentInMemory());
    const disk = await flooded(tmpdir());
    const bareMs = await barelyRemoved();
    const slowness = slownessOf(Array.from({ length: 20 }, () => nodeStartMs()));
    return [
      {
        name: 'storm, events sent',
        value: COUNT / (memory.handedInMs / 1_000),
        unit: '/s',
        bound: 9_500,
        better: 'higher',
        slowness,
        note: `for ${seconds(memory.handedInMs)} s; all ${COUNT} are in the history`,
      },
      {
        name: 'storm, taken in after its end',
        value: memory.takenInMs / 1_000,
        unit: 's',
        bound: 30,
        better: 'lower',
        slowness,
        note: `${(COUNT / ((memory.handedInMs + memory.takenInMs) / 1_000)).toFixed(0)}/s in all`,
      },
      {
        name: 'storm, "status" meanwhile, 95 of 100',
        value: percentile(memory.answerMs, 95),
        unit: 'ms',
        bound: 500,
        better: 'lower',
        slowness,
        note: `of ${memory.answerMs.length}; median ${percentile(memory.answerMs, 50).toFixed(0)} ms`,
      },
      {
        name: 'storm, memory at its peak',
        value: Math.max(memory.peakMb, disk.peakMb),
        unit: 'MB',
        bound: 150,
        better: 'lower',
        note: 'resident',
      },
      {
        name: 'storm on a disk, rate beside bare deletion',
        value: bareMs / (disk.handedInMs + disk.takenInMs),
        unit: '×',
        bound: 0.25,
        better: 'higher',
        note: `${seconds(disk.handedInMs + disk.takenInMs)} s until all are in the history; bare: ${seconds(bareMs)} s`,
      },
    ];
  },
};

interface Flooded {
  readonly handedInMs: number;
  /** From the last event sent until all are in the history. */
  readonly takenInMs: number;
  /** How long each answer to `status` took meanwhile. */
  readonly answerMs: readonly number[];
  readonly peakMb: number;
}

/** @throws Error when an event is missing */
async function flooded(parent: string): Promise<Flooded> {
  await using place = await hookbellHome({ parent });
  await place.writeConfig('channels: {}\nhistory: { keep: 3650d, max_size: 100GB }\n');
  const daemon = await place.start();
  const ended = once(daemon, 'exit');
  const answers = askAllTheTime(place);

  const startedAt = performance.now();
  await runScript('flood.js', [place.paths.spool, String(COUNT), String(PER_SECOND)]);
  const handedInMs = performance.now() - startedAt;
  const answerMs = await answers.stop();
  await untilTakenIn(place);
  const takenInMs = performance.now() - startedAt - handedInMs;
  const peakMb = memoryMb(daemon.pid ?? 0, 'VmHWM');
  await place.ask('POST /v1/stop');
  await ended;
  return { handedInMs, takenInMs, answerMs, peakMb };
}

/** How long the same files take to be made, at the same rate, and deleted unread. */
async function barelyRemoved(): Promise<number> {
  await using directory = await temporaryDirectory();
  const spool = `${directory.path}/spool`;
  mkdirSync(spool);
  const startedAt = performance.now();
  await Promise.all([
    runScript('flood.js', [spool, String(COUNT), String(PER_SECOND)]),
    runScript('delete-all.js', [spool, String(COUNT)]),
  ]);
  return performance.now() - startedAt;
}

function parentInMemory(): string {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= NEEDED_BYTES ? IN_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function runScript(name: string, words: readonly string[]): Promise<void> {
  const script = fileURLToPath(new URL(`./support/${name}`, import.meta.url));
  const [code] = await once(
    spawn(process.execPath, [script, ...words], { stdio: 'ignore' }),
    'exit',
  );
  if (code !== 0) throw new Error(`${name} ended with ${String(code)}`);
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
    if (status?.events === COUNT) return;
    if (performance.now() > giveUpAt) {
      throw new Error(`Only ${status?.events ?? 'unknown'} events were taken in`);
    }
    await delay(50);
  }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
