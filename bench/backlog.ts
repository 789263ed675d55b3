import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { putEnvelope } from '../test/support/envelopes.ts';
import { hookbellHome, projectRoot, until } from '../test/support/hookbell-home.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { memoryMb } from './support/process-figures.ts';
import { fillSpool } from './support/spool.ts';
import { median } from './support/statistics.ts';

const SMALL = 10_000;
const LARGE = 50_000;
/** Events the daemon commits together: this many are in when the first is gone. */
const GROUP = 256;

/** What hooks left while no daemon ran: how fast it is committed, and with how much memory. */
export const backlog: Benchmark = {
  name: 'backlog',
  async run() {
    const starts: number[] = [];
    const small: Taken[] = [];
    const large: Taken[] = [];
    for (const [size, into] of [
      [SMALL, small],
      [LARGE, large],
      [SMALL, small],
    ] as const) {
      into.push(await takeIn(size));
      starts.push(...Array.from({ length: 10 }, () => nodeStartMs()));
    }
    const peaksMb: number[] = [];
    for (const body of bodies.values()) peaksMb.push(await peakWith(body));
    const rate = median(small.map(({ perSecond }) => perSecond));
    const largeRate = median(large.map(({ perSecond }) => perSecond));
    return [
      {
        name: 'backlog of 10,000 envelopes',
        value: rate,
        unit: '/s',
        bound: 3_000,
        better: 'higher',
        slowness: slownessOf(starts),
        note: `node -e 0 meanwhile: ${median(starts).toFixed(1)} ms`,
      },
      {
        name: 'backlog of 50,000, rate beside 10,000',
        value: largeRate / rate,
        unit: '×',
        bound: 0.8,
        better: 'higher',
        note: `${largeRate.toFixed(0)}/s`,
      },
      {
        name: 'backlog of 50,000, memory at its peak',
        value: Math.max(...large.map(({ peakMb }) => peakMb)),
        unit: 'MB',
        bound: 150,
        better: 'lower',
        note: `of 10,000: ${Math.max(...small.map(({ peakMb }) => peakMb)).toFixed(0)} MB`,
      },
      {
        name: 'ten payloads of 10 to 16 MB, memory at its peak',
        value: Math.max(...peaksMb),
        unit: 'MB',
        bound: 160,
        better: 'lower',
        note: `by what they hold: ${[...bodies].map(([name], index) => `${name} ${peaksMb[index]?.toFixed(0)}`).join(', ')}`,
      },
    ];
  },
};

/** The large part of a payload, of about `bytes`. */
const bodies = new Map<string, (bytes: number) => string>([
  ['ASCII', (bytes) => `"${'line of text \\n'.repeat(bytes / 15)}"`],
  ['text', (bytes) => `"${'line of text ☺\\n'.repeat(bytes / 18)}"`],
  ['values', (bytes) => `[${'{"a":"some text","b":12},'.repeat(bytes / 25)}0]`],
]);

/** The memory of a daemon that finds ten large payloads. */
async function peakWith(body: (bytes: number) => string): Promise<number> {
  await using place = await hookbellHome();
  mkdirSync(place.paths.spool, { recursive: true, mode: 0o700 });
  for (let number = 0; number < 10; number += 1) {
    const bytes = [10, 12, 15, 15.9][number % 4] ?? 0;
    const fields = `"hook_event_name":"PostToolUse","session_id":"s${number}"`;
    await putEnvelope(
      place.paths.spool,
      `{${fields},"tool_input":{"content":${body(bytes * 1024 * 1024)}}}`,
      { facts: { agent: 'claude' } },
    );
  }
  const daemon = await place.start();
  await until(async () => (await place.ask('GET /v1/status')).events === 10);
  return memoryMb(daemon.pid ?? 0, 'VmHWM');
}

interface Taken {
  readonly perSecond: number;
  readonly peakMb: number;
}

async function takeIn(envelopes: number): Promise<Taken> {
  await using place = await hookbellHome();
  const { first, last } = fillSpool(place.paths, envelopes);
  const daemon = spawn(process.execPath, [join(projectRoot, 'dist/program/daemon.js')], {
    env: place.env,
    stdio: 'ignore',
  });
  const ended = once(daemon, 'exit');
  // The oldest are taken first, and an envelope goes when its event is on disk. The start has a separate figure.
  const gone = async (path: string): Promise<number> => {
    while (existsSync(path)) {
      if (daemon.exitCode !== null) throw new Error('The daemon ended before the backlog was in');
      await delay(1);
    }
    return performance.now();
  };
  const begun = await gone(first);
  const seconds = ((await gone(last)) - begun) / 1_000;
  const peakMb = memoryMb(daemon.pid ?? 0, 'VmHWM');
  const { events } = await place.ask('GET /v1/status');
  if (events !== envelopes) throw new Error(`Only ${events} of ${envelopes} were committed`);
  await place.ask('POST /v1/stop');
  await ended;
  return { perSecond: (envelopes - GROUP) / seconds, peakMb };
}
