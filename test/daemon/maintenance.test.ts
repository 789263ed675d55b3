import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { silentLog } from '../../src/platform/log.ts';
import type { Maintenance } from '../../src/daemon/maintenance.ts';
import { createMaintenance } from '../../src/daemon/maintenance.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Scene extends AsyncDisposable {
  readonly maintenance: Maintenance;
  readonly quarantine: string;
  /** Its state directory. */
  readonly state: string;
  now: number;
}

/** A daemon's maintenance that keeps everything for a day. */
async function scene(): Promise<Scene> {
  const directory = await temporaryDirectory();
  const quarantine = join(directory.path, 'quarantine');
  await mkdir(quarantine);
  const state = {
    quarantine,
    state: directory.path,
    now: Date.now(),
  };
  const maintenance = createMaintenance({
    upkeep: { prune: async () => 0, countElapsedTime: async () => 0 },
    history: () => ({ keepMs: DAY_MS, maxBytes: 1 }),
    quarantine,
    database: join(directory.path, 'hookbell.db'),
    sessionReaper: { run: async () => {} },
    log: { ...silentLog, rotateIfLarge: () => {} },
    now: () => state.now,
    isOwner: () => true,
  });
  return Object.assign(state, {
    maintenance,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  });
}

describe('createMaintenance() and the quarantine', () => {
  test('keeps what was set aside as long as the history, whatever it is, and however old it was then', async () => {
    await using place = await scene();
    const at = (name: string): string => join(place.quarantine, name);
    await writeFile(at('old'), '{');
    await mkdir(join(at('old-folder'), 'inner'), { recursive: true });
    await writeFile(at('new'), '{');
    await utimes(at('new'), 0, 0);
    for (const [id, hours] of [
      ['old', 25],
      ['old-folder', 25],
      ['new', 23],
    ] as const) {
      await writeFile(at(`${id}.reason`), 'invalid-json: It is no JSON\n');
      const setAside = (place.now - hours * HOUR_MS) / 1_000;
      await utimes(at(`${id}.reason`), setAside, setAside);
    }

    await place.maintenance.run();

    assert.deepEqual((await readdir(place.quarantine)).toSorted(), ['new', 'new.reason']);
  });

  test('forgets a file without a note a day after it came there, and a note without a file', async () => {
    await using place = await scene();
    await writeFile(join(place.quarantine, 'file'), '{');
    await writeFile(join(place.quarantine, 'note.reason'), 'x');

    await place.maintenance.run();
    assert.equal((await readdir(place.quarantine)).length, 2);
    place.now += DAY_MS + HOUR_MS;
    await place.maintenance.run();

    assert.deepEqual(await readdir(place.quarantine), []);
  });
});

test('createMaintenance() removes the copy of the database two weeks after its migration, and nothing beside it', async () => {
  await using place = await scene();
  for (const name of ['hookbell.db', 'hookbell.db.schema-17', 'hookbell.db.schema-17.mine']) {
    await writeFile(join(place.state, name), '');
  }

  const copy = join(place.state, 'hookbell.db.schema-17');
  const ageBy = (days: number): Promise<void> => {
    const at = (place.now - days * DAY_MS) / 1_000;
    return utimes(copy, at, at);
  };

  await ageBy(13);
  await place.maintenance.run();
  assert.equal((await readdir(place.state)).length, 4);
  place.now += 3_600_000;
  await ageBy(15);
  await place.maintenance.run();

  assert.deepEqual((await readdir(place.state)).toSorted(), [
    'hookbell.db',
    'hookbell.db.schema-17.mine',
    'quarantine',
  ]);
});

test('after a jump of the clock nothing is removed by age for an hour, then as before (A5)', async () => {
  const limits: (number | null)[] = [];
  let now = Date.UTC(2026, 0, 1);
  const maintenance = createMaintenance({
    upkeep: {
      countElapsedTime: async () => 0,
      prune: async ({ before }) => {
        limits.push(before);
        return 0;
      },
    },
    history: () => ({ keepMs: DAY_MS, maxBytes: 1 }),
    quarantine: '/nonexistent',
    database: '/nonexistent/hookbell.db',
    sessionReaper: { run: async () => {} },
    log: { ...silentLog, rotateIfLarge: () => {} },
    now: () => now,
    isOwner: () => true,
  });
  const minutes = async (count: number): Promise<void> => {
    for (let minute = 0; minute < count; minute += 1) {
      await maintenance.run();
      now += 60_000;
    }
  };

  await minutes(1);
  now += 12 * 365 * DAY_MS;
  await minutes(2);
  now -= 12 * 365 * DAY_MS;
  await minutes(60);
  assert.deepEqual(new Set(limits.slice(1)), new Set([null]));
  await minutes(1);

  assert.equal(limits.at(-1), now - 60_000 - DAY_MS);
});

test('a process that is not the owner ends no session and removes no event, until it is', async () => {
  const done: string[] = [];
  let isOwner = false;
  const maintenance = createMaintenance({
    upkeep: {
      countElapsedTime: async () => 0,
      prune: async () => done.push('prune'),
    },
    history: () => ({ keepMs: DAY_MS, maxBytes: 1 }),
    quarantine: '/nonexistent',
    database: '/nonexistent/hookbell.db',
    sessionReaper: { run: async () => void done.push('sessions') },
    log: { ...silentLog, rotateIfLarge: () => {} },
    now: () => Date.UTC(2026, 0, 1),
    isOwner: () => isOwner,
  });

  await maintenance.run();
  const asOther = [...done];
  isOwner = true;
  await maintenance.run();

  assert.deepEqual(asOther, []);
  assert.deepEqual(done, ['sessions', 'prune']);
});
