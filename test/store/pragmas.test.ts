import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

import type { Driver } from '../../src/store/sqlite/driver.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { closeDatabase, openDatabase } from '../../src/store/sqlite/open-database.ts';
import { readPragma } from '../../src/store/sqlite/pragmas.ts';
import { decideNothing, sampleRecord, storeAt, temporaryStore } from '../support/store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('openDatabase() makes each commit wait for the disk, and checks foreign keys (P90)', async () => {
  await using directory = await temporaryDirectory();
  const open = await loadDriver();
  const path = join(directory.path, 'hookbell.db');

  const driver = openDatabase(path, open);

  const names = ['journal_mode', 'synchronous', 'foreign_keys', 'locking_mode', 'auto_vacuum'];
  const FULL = '2';
  const INCREMENTAL = '2';
  assert.deepEqual(
    names.map((name) => readPragma(driver, name)),
    ['wal', FULL, '1', 'exclusive', INCREMENTAL],
  );
  closeDatabase(driver, { isInPlace: true });
});

test('openDatabase() refuses a file system where a pragma does not hold (P90)', async () => {
  await using directory = await temporaryDirectory();
  const open = await loadDriver();
  const withoutLog = (path: string): Driver => {
    const driver = open(path);
    return {
      exec: (sql) => driver.exec(sql),
      prepare: (sql) => driver.prepare(sql.replace('journal_mode = WAL', 'journal_mode = DELETE')),
      close: () => driver.close(),
    };
  };

  assert.throws(() => openDatabase(join(directory.path, 'hookbell.db'), withoutLog), {
    code: 'io',
    message: /journal_mode is "delete", expected "wal"/,
  });
});

test('no other program can read along and keep the log from being cut: it stays small (fault 23)', async () => {
  await using opened = await temporaryStore();
  const { store, path } = opened;
  await store.events.accept([sampleRecord()], decideNothing);
  const reader = (await loadDriver())(path);
  assert.throws(() => reader.prepare('SELECT count(*) FROM events').get(), { errcode: 5 });

  const megabyte = 'x'.repeat(1_000_000);
  for (let written = 0; written < 100; written += 5) {
    const records = Array.from({ length: 5 }, () => sampleRecord({}, megabyte));
    await store.events.accept(records, decideNothing);
  }

  const bytes = statSync(`${path}-wal`).size;
  reader.close();
  assert.ok(bytes < 12_000_000, `The log has ${bytes} bytes`);
});

test('close() leaves one file, twice does no harm, and afterwards the store refuses to work', async () => {
  await using opened = await temporaryStore();
  const { store, path } = opened;
  const accepting = store.events.accept([sampleRecord({ id: 'just before' })], decideNothing);

  await Promise.all([store.close(), store.close()]);

  assert.deepEqual(await accepting, ['committed'], 'what was asked for before is still done');
  assert.equal(existsSync(`${path}-wal`), false);
  await assert.rejects(store.upkeep.counts(), /the store: it is closed/);
  await assert.rejects(
    store.events.accept([sampleRecord()], decideNothing),
    /the store: it is closed/,
  );
  await using again = await storeAt(path);
  assert.equal((await again.store.history.event('last'))?.event.id, 'just before');
});
