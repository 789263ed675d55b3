import { readdirSync, statSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { loadDriver } from '../../src/store/sqlite/driver.ts';
import type { HookbellHome } from '../../test/support/hookbell-home.ts';
import { cpuMs, memoryMb, wakeUps } from '../support/process-figures.ts';
import { alignedRows } from '../support/table.ts';
import type { DayClock } from './clock.ts';

const MINUTE = 60_000;
/** Of the table that is printed. */
const ROWS = 24;

/** A look at the daemon, once a minute of the day. */
export interface Sample {
  readonly minute: number;
  readonly residentMb: number;
  readonly descriptors: number;
  readonly databaseMb: number;
  readonly wakes: number;
  readonly cpu: number;
  readonly events: number;
}

/** Looks once a minute, until `isOver`. */
export async function watchDaemon(
  { place, clock, pid, events, oftenEnough }: WatchOptions,
  isOver: () => boolean,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (let last = { pid: 0, cpu: 0, wakes: 0 }; !isOver();) {
    await clock.pass(MINUTE);
    const current = pid();
    const now = figuresOf(current);
    if (now === null) continue;
    const before = last.pid === current ? last : { cpu: 0, wakes: 0 };
    samples.push({
      ...now,
      minute: (clock.now() - clock.start) / MINUTE,
      cpu: now.cpu - before.cpu,
      wakes: now.wakes - before.wakes,
      databaseMb:
        (sizeOf(place.paths.database) + sizeOf(`${place.paths.database}-wal`)) / 1024 ** 2,
      events: events(),
    });
    last = { pid: current, cpu: now.cpu, wakes: now.wakes };
    if (samples.length % 20 === 0) await oftenEnough();
  }
  return samples;
}

interface WatchOptions {
  readonly place: HookbellHome;
  readonly clock: DayClock;
  readonly pid: () => number;
  /** How many were sent so far. */
  readonly events: () => number;
  /** Called every twenty minutes. */
  readonly oftenEnough: () => Promise<void>;
}

/** Adds the events that a copy of the database has. */
export async function note(
  { paths, home }: HookbellHome,
  stored: Map<string, Set<string>>,
): Promise<void> {
  const copy = join(home, '../copy.db');
  await copyFile(paths.database, copy);
  await copyFile(`${paths.database}-wal`, `${copy}-wal`).catch(() => {});
  const driver = (await loadDriver())(copy);
  try {
    for (const row of driver.prepare('SELECT id, session_id FROM events').all()) {
      const [id, session] = Object.values(Object(row)).map(String);
      if (id === undefined || session === undefined) continue;
      const ids = stored.get(session) ?? new Set();
      stored.set(session, ids.add(id));
    }
  } finally {
    driver.close();
    await rm(copy);
    await rm(`${copy}-wal`, { force: true });
  }
}

/** Null while no daemon runs. */
function figuresOf(pid: number) {
  try {
    const residentMb = memoryMb(pid, 'VmRSS');
    // One that has ended and was not waited for yet has none.
    if (Number.isNaN(residentMb)) return null;
    return {
      residentMb,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      cpu: cpuMs(pid),
      wakes: wakeUps(pid),
    };
  } catch {
    return null;
  }
}

export function tableOf(samples: readonly Sample[]): string {
  const every = Math.max(1, Math.ceil(samples.length / ROWS));
  const rows = samples.filter((_, index) => index % every === 0);
  const head = [
    'minute',
    'resident MB',
    'descriptors',
    'database MB',
    'wake-ups',
    'CPU ms',
    'events',
  ];
  const cells = rows.map(({ minute, residentMb, descriptors, databaseMb, wakes, cpu, events }) => [
    minute.toFixed(0),
    residentMb.toFixed(1),
    String(descriptors),
    databaseMb.toFixed(1),
    String(wakes),
    cpu.toFixed(0),
    String(events),
  ]);
  return alignedRows([head, ...cells]);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
