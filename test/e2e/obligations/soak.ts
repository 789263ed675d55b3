/**
 * Plays the acts for a given time, beside a daemon that only works: `npm run soak -- --minutes 60`. Prints what
 * that one took over time, and what was not as it is owed; status 1 where something was not.
 */
import { readdirSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { memoryMb } from '../../../bench/support/process-figures.ts';
import { median } from '../../../bench/support/statistics.ts';
import { chooseSeed, seededRandom } from '../../support/seeded-random.ts';
import { allActs } from './acts/all.ts';
import { play } from './play.ts';
import { createOracle } from './settle.ts';
import type { Site } from './site.ts';
import { openSite } from './site.ts';

const ENVELOPES = 10_000;
const PATIENCE_MS = 180_000;
/** Between two looks at the working daemon. */
const LOOK_MS = 15_000;
const PAUSE_MS = 250;
const ROWS = 20;

interface Sample {
  readonly minute: number;
  readonly residentMb: number;
  readonly descriptors: number;
  readonly databaseMb: number;
  readonly events: number;
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const minutes = Number(values.minutes);
const seed = chooseSeed();
const startedAt = performance.now();
const isOver = (): boolean => performance.now() - startedAt > minutes * 60_000;
say(`${minutes} minutes, HOOKBELL_SEED=${seed}`);

const [chaotic, working] = await Promise.all([beInTrouble(), work()]);
say(tableOf(working.samples));
say(trend('resident memory', working.samples, ({ residentMb }) => residentMb, ' MB'));
say(trend('file descriptors', working.samples, ({ descriptors }) => descriptors, ''));
const faults = [...chaotic, ...working.faults];
for (const fault of faults) say(`NOT WELL: ${fault}`);
if (faults.length === 0) say('All that was sent is accounted for');
process.exitCode = faults.length === 0 ? 0 : 1;

/** Returns what was wrong. */
async function beInTrouble(): Promise<readonly string[]> {
  await using site = await openSite({ random: seededRandom(seed), patienceMs: PATIENCE_MS });
  const found: string[] = [];
  const whole = await play(site, {
    acts: allActs({ envelopes: ENVELOPES }),
    goesOn: () => !isOver(),
    async stage(act, playIt) {
      const obstacle = act.impossible?.(site) ?? false;
      if (obstacle !== false) return say(`skipped: ${act.name}: ${obstacle}`);
      const before = performance.now();
      const wrong = await playIt();
      const seconds = ((performance.now() - before) / 1_000).toFixed(1);
      say(`${seconds.padStart(6)} s  ${act.name}${wrong.length === 0 ? '' : '  NOT WELL'}`);
      found.push(...wrong.map((fault) => `after "${act.name}": ${fault}`));
    },
  });
  const { entries, slowestMs } = site.ledger;
  say(`${entries.size} events in trouble, the slowest hook took ${slowestMs().toFixed(0)} ms`);
  return [...found, ...whole.map((fault) => `in the end: ${fault}`)];
}

/** One daemon from the beginning to the end, with some ten events a second. */
async function work(): Promise<{
  readonly samples: readonly Sample[];
  readonly faults: readonly string[];
}> {
  await using site = await openSite({ random: seededRandom(seed), patienceMs: PATIENCE_MS });
  const oracle = createOracle(site);
  const samples: Sample[] = [];
  const found: string[] = [];
  const pid = await site.start();
  while (!isOver()) {
    for (const until = performance.now() + LOOK_MS; performance.now() < until;) {
      await site.handIn(3);
      await delay(PAUSE_MS);
    }
    found.push(...(await oracle.settle()));
    samples.push(await sampleOf(site, pid));
  }
  found.push(...(await oracle.conclude()));
  return { samples, faults: found.map((fault) => `without any trouble: ${fault}`) };
}

async function sampleOf({ place }: Site, pid: number): Promise<Sample> {
  return {
    minute: (performance.now() - startedAt) / 60_000,
    residentMb: memoryMb(pid, 'VmRSS'),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    databaseMb: statSync(place.paths.database).size / 1024 / 1024,
    events: (await place.ask('GET /v1/status')).events,
  };
}

function tableOf(samples: readonly Sample[]): string {
  const every = Math.max(1, Math.ceil(samples.length / ROWS));
  const rows = samples
    .filter((_, index) => index % every === 0)
    .map(({ minute, residentMb, descriptors, databaseMb, events }) => [
      minute.toFixed(1),
      residentMb.toFixed(1),
      String(descriptors),
      databaseMb.toFixed(1),
      String(events),
    ]);
  return [['minute', 'resident MB', 'descriptors', 'database MB', 'events'], ...rows]
    .map((cells) => cells.map((cell) => cell.padStart(12)).join(''))
    .join('\n');
}

/** The first quarter is left out: caches fill. */
function trend(
  name: string,
  samples: readonly Sample[],
  value: (sample: Sample) => number,
  unit: string,
): string {
  const settled = samples.slice(Math.floor(samples.length / 4)).map(value);
  const half = Math.ceil(settled.length / 2);
  const early = median(settled.slice(0, half)).toFixed(1);
  const late = median(settled.slice(-half)).toFixed(1);
  return `${name}: first ${early}${unit}, later ${late}${unit}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
