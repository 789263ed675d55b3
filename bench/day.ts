import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { openWitness } from '../test/e2e/obligations/witness.ts';
import { copyCheckout } from '../test/support/checkout.ts';
import { hookbellHome } from '../test/support/hookbell-home.ts';
import { nextProgram, setVersion } from '../test/support/next-release.ts';
import { needsMount } from '../test/support/small-file-system.ts';
import { type Sample, tableOf } from './day/books.ts';
import { DAY_MS, openScene } from './day/scene.ts';
import type { Benchmark } from './support/benchmark.ts';
import { median } from './support/statistics.ts';

const HOUR = 3_600_000;
/** Of the disk that the home is on. */
const MEGABYTES = 96;

/**
 * Eight hours of ten agents through real hooks, in sixteen minutes: only the daemon's clock is faster. Meanwhile the
 * daemon is killed, the network goes away, the machine sleeps, the next release takes over, and the disk fills.
 */
export const day: Benchmark = {
  name: 'day',
  async run() {
    const skipped = needsMount();
    if (skipped !== false) throw new Error(`A day needs a disk that can be filled: ${skipped}`);
    await using old = await copyCheckout();
    await using next = await copyCheckout();
    await setVersion(next.path, '9.9.9');
    const program = join(next.path, 'dist/program');
    await rm(program, { recursive: true });
    await cp(await nextProgram(), program, { recursive: true });
    await using place = await hookbellHome({ megabytes: MEGABYTES });
    await using first = await openWitness();
    await using later = await openWitness();
    const scene = await openScene({ place, witnesses: { first, later }, old, next });
    const lived = await scene.live();
    console.error(tableOf(lived.samples));
    for (const fault of lived.faults.slice(0, 20)) console.error(`NOT WELL: ${fault}`);
    const { samples, figures } = lived;
    const hours = `${(DAY_MS / HOUR).toFixed(1)} hours, ${figures.events} events, ${figures.claims} claims`;
    const quarter = (one: number): readonly Sample[] =>
      samples.slice(
        Math.floor((samples.length * (one - 1)) / 4),
        Math.floor((samples.length * one) / 4),
      );
    const growth = (value: (sample: Sample) => number): number =>
      median(quarter(4).map(value)) / median(quarter(3).map(value));
    const none = { unit: '', bound: 0, better: 'lower' } as const;
    return [
      { name: 'a day, lost events', value: figures.lost, ...none, note: hours },
      {
        name: 'a day, wrong notifications',
        value: figures.wrong,
        ...none,
        note: `HOOKBELL_SEED=${scene.seed}`,
      },
      { name: 'a day, missing notifications', value: figures.silent, ...none, note: figures.told },
      {
        name: 'a day, hooks that said something or failed',
        value: figures.offences,
        ...none,
        note: figures.hooks,
      },
      {
        name: 'a day, share of a core on average',
        value: figures.share,
        unit: '%',
        bound: 0.1,
        better: 'lower',
        note: `${(figures.cpu / 1_000).toFixed(1)} s in all, and ${figures.wakes} wake-ups`,
      },
      {
        name: 'a day, resident memory after it',
        value: figures.memory,
        unit: 'MB',
        bound: 90,
        better: 'lower',
        note: `${median(quarter(4).map(({ residentMb }) => residentMb)).toFixed(0)} MB in the last quarter`,
      },
      {
        name: 'a day, growth of memory from the third quarter to the last',
        value: growth(({ residentMb }) => residentMb),
        unit: '×',
        bound: 1.1,
        better: 'lower',
        note: `file descriptors ${growth(({ descriptors }) => descriptors).toFixed(2)} ×, database ${growth(({ databaseMb }) => databaseMb).toFixed(2)} ×`,
      },
    ];
  },
};
