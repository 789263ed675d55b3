import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import test from 'node:test';

import type { Recovered } from '../../src/store/open-store.ts';
import { sqliteError, watchedDriver } from '../support/driver.ts';
import { decideNothing, sampleRecord, storeAt, temporaryStore } from '../support/store.ts';

const SQLITE_IOERR_FSYNC = 1034;

test('an fsync that fails rejects the commit with "io", and the store closes and reopens the database (P93, fault 15)', async () => {
  let broken = false;
  let opened = 0;
  const openDriver = await watchedDriver({
    onOpen() {
      opened += 1;
    },
    onRun(sql) {
      if (!broken || sql !== 'COMMIT') return;
      broken = false;
      throw sqliteError(SQLITE_IOERR_FSYNC, 'disk I/O error');
    },
  });
  await using temporary = await temporaryStore({ openDriver });
  const { store } = temporary;
  await store.events.accept([sampleRecord({ id: 'before' })], decideNothing);

  broken = true;
  const failing = [sampleRecord({ id: 'during' })];
  await assert.rejects(store.events.accept(failing, decideNothing), {
    name: 'StoreError',
    code: 'io',
  });
  const again = await store.events.accept(failing, decideNothing);

  assert.deepEqual([again, opened], [['committed'], 2]);
  assert.equal((await store.upkeep.counts()).events, 2);
});

test('a disk that stays broken is reported by every call, until it works again', async () => {
  let broken = false;
  const openDriver = await watchedDriver({
    onRun() {
      if (broken) throw sqliteError(SQLITE_IOERR_FSYNC, 'disk I/O error');
    },
  });
  await using temporary = await temporaryStore({ openDriver });
  const { store } = temporary;

  broken = true;
  const write = (): Promise<unknown> => store.events.accept([sampleRecord()], decideNothing);
  await assert.rejects(write(), { code: 'io' });
  await assert.rejects(write(), { code: 'io' });
  await assert.rejects(store.upkeep.counts(), { code: 'io' });
  broken = false;

  assert.deepEqual(await write(), ['committed']);
});

test('an I/O error rejects all who shared the transaction, and nothing of it is kept', async () => {
  let broken = true;
  const openDriver = await watchedDriver({
    onRun(sql) {
      if (!broken || !sql.startsWith('INSERT INTO payloads')) return;
      broken = false;
      throw sqliteError(10, 'disk I/O error');
    },
  });
  await using temporary = await temporaryStore({ openDriver });
  const { store } = temporary;

  const results = await Promise.allSettled([
    store.quarantine.add({ id: 'q', at: 1, reason: 'empty', detail: '', bytes: 0 }),
    store.events.accept([sampleRecord()], decideNothing),
  ]);

  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual(await store.quarantine.list(10), []);
});

test('a database that is deleted while in use is noticed by the next write, and made anew (fault 20)', async () => {
  await using temporary = await temporaryStore();
  const { store, path } = temporary;
  await store.events.accept([sampleRecord()], decideNothing);

  for (const name of [path, `${path}-wal`]) await rm(name);
  const record = sampleRecord({ id: 'after' });
  await assert.rejects(
    store.events.accept([record], decideNothing),
    /its file was moved or deleted/,
  );
  await store.events.accept([record], decideNothing);
  await store.close();

  await using reopened = await storeAt(path);
  assert.equal((await reopened.store.history.event('last'))?.event.id, 'after');
});

test('a database that is found damaged when it is opened anew is set aside, and the next call works', async () => {
  let broken = false;
  const openDriver = await watchedDriver({
    onRun(sql) {
      if (!broken || sql !== 'COMMIT') return;
      broken = false;
      throw sqliteError(SQLITE_IOERR_FSYNC, 'disk I/O error');
    },
  });
  const replaced: Recovered[] = [];
  const onReplaced = (recovered: Recovered): void => void replaced.push(recovered);
  await using temporary = await temporaryStore({ openDriver, onReplaced });
  const { store, path } = temporary;
  const write = (): Promise<unknown> => store.events.accept([sampleRecord()], decideNothing);
  broken = true;
  await assert.rejects(write(), { code: 'io' });

  for (const name of [path, `${path}-wal`]) await rm(name);
  await writeFile(path, 'What the file system made of it'.repeat(100));
  await assert.rejects(write(), { code: 'damaged' });

  assert.deepEqual(await write(), ['committed']);
  assert.equal(replaced.length, 1);
});
