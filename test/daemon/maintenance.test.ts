import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { silentLog } from '../../src/core/log.ts';
import type { Notification } from '../../src/core/notification.ts';
import type { AskRoom } from '../../src/daemon/disk-room.ts';
import type { Maintenance } from '../../src/daemon/maintenance.ts';
import { createMaintenance } from '../../src/daemon/maintenance.ts';
import type { Warnings } from '../../src/daemon/warnings.ts';
import { createWarnings } from '../../src/daemon/warnings.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MB = 1024 * 1024;

interface Scene extends AsyncDisposable {
  readonly maintenance: Maintenance;
  readonly quarantine: string;
  readonly warnings: Warnings;
  readonly told: readonly Notification[];
  room: Awaited<ReturnType<AskRoom>>;
  now: number;
}

/** A daemon's maintenance that keeps everything for a day, on a disk that has the room the test says. */
async function scene(): Promise<Scene> {
  const directory = await temporaryDirectory();
  const told: Notification[] = [];
  const warnings = createWarnings({ now: () => 5, newId: () => 'id', log: silentLog });
  warnings.connect((one) => void told.push(one));
  const quarantine = join(directory.path, 'quarantine');
  await mkdir(quarantine);
  const state = {
    quarantine,
    warnings,
    told,
    room: { bavail: 1_000, bsize: MB, ffree: 500, files: 1_000 },
    now: Date.now(),
  };
  const maintenance = createMaintenance({
    store: { prune: async () => 0 },
    history: () => ({ keepMs: DAY_MS, maxBytes: MB }),
    paths: { state: directory.path, quarantine },
    askRoom: async (asked) => {
      assert.equal(asked, directory.path);
      return state.room;
    },
    sessionWatch: { run: async () => {} },
    log: { ...silentLog, rotateIfLarge: () => {} },
    warnings,
    now: () => state.now,
  });
  return Object.assign(state, {
    maintenance,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  });
}

describe('createMaintenance() on a disk that is nearly full (fault 13)', () => {
  test('warns once while less than 64 MB are left, and takes it back when there is room', async () => {
    await using place = await scene();
    await place.maintenance.run();
    assert.deepEqual(place.warnings.list(), []);

    place.room = { ...place.room, bavail: 63 };
    await place.maintenance.run();
    await place.maintenance.run();

    assert.match(place.warnings.list()[0] ?? '', /has room for only 63 MB more: events will be/);
    assert.equal(place.told.length, 1);
    assert.equal(place.told[0]?.severity, 'critical');
    place.room = { ...place.room, bavail: 64 };
    await place.maintenance.run();
    assert.deepEqual(place.warnings.list(), []);
  });

  test('warns while less than one file in a hundred can still be made', async () => {
    await using place = await scene();

    place.room = { ...place.room, ffree: 9 };
    await place.maintenance.run();

    assert.match(place.warnings.list()[0] ?? '', /has room for only 9 files more/);
  });

  test('says nothing of files where a file system does not count them', async () => {
    await using place = await scene();

    place.room = { ...place.room, ffree: 0, files: 0 };
    await place.maintenance.run();

    assert.deepEqual(place.warnings.list(), []);
  });
});

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
