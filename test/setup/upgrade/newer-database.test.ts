import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { savedDatabase } from '../../../src/core/store-aging.ts';
import { refuseNewerDatabase, restoreDatabase } from '../../../src/setup/upgrade/newer-database.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** The newest schema of a program that is a few migrations old. */
const newest = 5;

/** The head of a database file with this schema, followed by a text that tells it from others. */
function databaseOf(schema: number, text = ''): Uint8Array {
  const header = Buffer.alloc(100);
  header.write('SQLite format 3\0', 'latin1');
  header.writeUInt32BE(schema, 60);
  return Buffer.concat([header, Buffer.from(text)]);
}

describe('a database of a newer hookbell', () => {
  test('is refused with the command that goes back, if a copy from before the upgrade is there', async () => {
    await using directory = await temporaryDirectory();
    const database = join(directory.path, 'hookbell.db');
    await writeFile(database, databaseOf(newest + 1));

    await assert.rejects(refuseNewerDatabase({ database, newest }), {
      name: 'FailedError',
      message: new RegExp(`a newer hookbell wrote it .*schema is ${newest + 1}, and`),
      hint: 'Install the newer version again. There is no copy of the database from before the upgrade',
    });
    await writeFile(savedDatabase(database, newest - 1), databaseOf(newest - 1));
    await assert.rejects(refuseNewerDatabase({ database, newest }), {
      hint: /go back to the copy .*"hookbell install --restore-database"/,
    });
  });

  for (const [name, content] of [
    ['missing', null],
    ['of this version', databaseOf(newest)],
    ['too short', databaseOf(newest + 1).subarray(0, 99)],
    ['not a database', Buffer.alloc(200, 'x')],
  ] as const) {
    test(`is not one that is ${name}: it is used, and left alone`, async () => {
      await using directory = await temporaryDirectory();
      const database = join(directory.path, 'hookbell.db');
      if (content !== null) await writeFile(database, content);
      const before = await readdir(directory.path);

      await refuseNewerDatabase({ database, newest });

      assert.equal(await restoreDatabase({ database, newest }), null);
      assert.deepEqual(await readdir(directory.path), before);
    });
  }

  test('is replaced by the newest copy that this version can use, and is kept with its journal', async () => {
    await using directory = await temporaryDirectory();
    const database = join(directory.path, 'hookbell.db');
    await writeFile(database, databaseOf(newest + 2, 'newer'));
    await writeFile(`${database}-wal`, 'journal');
    await writeFile(`${database}.newer-shm`, 'left by an earlier time');
    const copies = [newest + 1, newest - 1, newest - 2];
    for (const schema of copies) {
      await writeFile(savedDatabase(database, schema), databaseOf(schema, `copy ${schema}`));
    }
    // A copy that was cut off does not count.
    await writeFile(savedDatabase(database, newest), 'half');

    const copy = await restoreDatabase({ database, newest });

    assert.equal(copy, savedDatabase(database, newest - 1));
    assert.match(await readFile(database, 'latin1'), new RegExp(`copy ${newest - 1}$`));
    assert.match(await readFile(`${database}.newer`, 'latin1'), /newer$/);
    assert.equal(await readFile(`${database}.newer-wal`, 'utf8'), 'journal');
    const names = await readdir(directory.path);
    assert.ok(!names.includes('hookbell.db-wal') && !names.includes('hookbell.db.newer-shm'));
    await refuseNewerDatabase({ database, newest });
  });

  test('stays where it is without a copy that this version can use', async () => {
    await using directory = await temporaryDirectory();
    const database = join(directory.path, 'hookbell.db');
    const content = databaseOf(newest + 1);
    await writeFile(database, content);

    await assert.rejects(restoreDatabase({ database, newest }), {
      name: 'FailedError',
      message: new RegExp(`no copy with schema ${newest} or less is beside it`),
      hint: 'A copy is kept for two weeks after an upgrade',
    });
    assert.deepEqual(await readFile(database), content);
  });
});
