import assert from 'node:assert/strict';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { loadDriver } from '../../src/store/sqlite/driver.ts';
import type { Recovered } from '../../src/store/open-store.ts';
import {
  decideNothing,
  sampleEffects,
  sampleRecord,
  sampleSession,
  storeAt,
  temporaryStore,
} from '../support/store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A closed database of some 60 pages, with one event named "kept". */
async function writeDatabase(path: string): Promise<void> {
  await using opened = await storeAt(path);
  await opened.store.events.accept([sampleRecord({ id: 'kept' })], () =>
    sampleEffects({ session: sampleSession() }),
  );
}

test('openStore() makes a database only its owner can read', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], decideNothing);

  const modes = [opened.path, `${opened.path}-wal`].map((path) => statSync(path).mode & 0o777);

  assert.deepEqual([opened.recovered, modes], [null, [0o600, 0o600]]);
});

test('openStore() makes a database private that others could read', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  await writeDatabase(path);
  chmodSync(path, 0o644);

  await using _opened = await storeAt(path);

  assert.equal(statSync(path).mode & 0o777, 0o600);
});

const wrecks: readonly { readonly name: string; readonly wreck: (path: string) => void }[] = [
  { name: 'garbage', wreck: (path) => writeFileSync(path, 'This is no database.\n'.repeat(500)) },
  { name: '0 bytes', wreck: (path) => writeFileSync(path, '') },
  { name: 'zeros', wreck: (path) => writeFileSync(path, new Uint8Array(40_960)) },
  { name: '1 byte', wreck: (path) => writeFileSync(path, 'x') },
  { name: 'a directory', wreck: (path) => mkdirSync(join(path, 'inside'), { recursive: true }) },
  { name: 'only its log', wreck: (path) => writeFileSync(`${path}-wal`, 'left over') },
];
for (const { name, wreck } of wrecks) {
  test(`openStore() sets a database aside that is ${name}, and makes a new one (fault 19)`, async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'hookbell.db');
    wreck(path);
    const wrecked = readdirSync(directory.path);

    await using opened = await storeAt(path);
    await opened.store.events.accept([sampleRecord({ id: 'new' })], decideNothing);

    assert.match(opened.recovered!.aside, /hookbell\.db\.damaged-20231114T221320Z$/);
    assert.ok(opened.recovered!.reason.length > 0);
    const kept = readdirSync(directory.path).filter((file) => file.includes('.damaged-'));
    assert.deepEqual(
      kept.map((file) => file.replace(/\.damaged-[^-]*/, '')),
      wrecked,
    );
    assert.equal((await opened.store.history.event('last'))?.event.id, 'new');
  });
}

test('openStore() finds broken pages and sets the database aside (fault 18)', async () => {
  await using directory = await temporaryDirectory();
  const whole = join(directory.path, 'whole.db');
  await writeDatabase(whole);
  const pages = statSync(whole).size / 4096;

  for (let page = 0; page < pages; page += 5) {
    const path = join(directory.path, `broken-${page}.db`);
    const content = readFileSync(whole);
    content.fill(0xa5, page * 4096, page * 4096 + 64);
    writeFileSync(path, content);

    await using opened = await storeAt(path);

    assert.ok(opened.recovered, `page ${page}`);
    assert.equal((await opened.store.upkeep.counts()).events, 0);
  }
});

test('openStore() keeps the earlier wreck when a second one is set aside in the same second', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  const asides: string[] = [];

  for (const content of ['first', 'second']) {
    await rm(path, { force: true });
    writeFileSync(path, content);
    await using opened = await storeAt(path);
    asides.push(opened.recovered!.aside);
  }

  assert.deepEqual(
    asides.map((aside) => readFileSync(aside, 'utf8')),
    ['first', 'second'],
  );
});

test('a database that breaks while in use is set aside immediately, and the store continues with a new one (fault 18)', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  const payload = 'x'.repeat(4000);
  {
    await using opened = await storeAt(path);
    const records = Array.from({ length: 2500 }, () => sampleRecord({}, payload));
    await opened.store.events.accept(records, decideNothing);
  }
  const replaced: Recovered[] = [];
  await using opened = await storeAt(path, { onReplaced: (recovered) => replaced.push(recovered) });
  const { store } = opened;
  assert.equal(opened.recovered, null);
  const file = openSync(path, 'r+');
  // Behind the first pages, which the start has read.
  const wreckage = new Uint8Array(statSync(path).size - 400 * 4096).fill(0xa5);
  writeSync(file, wreckage, 0, wreckage.length, 400 * 4096);
  closeSync(file);

  const reading = store.history.list({ limit: 1000 });

  await assert.rejects(reading, { name: 'StoreError', code: 'damaged' });
  assert.match(replaced[0]!.reason, /malformed/);
  assert.deepEqual(await store.events.accept([sampleRecord({ id: 'new' })], decideNothing), [
    'committed',
  ]);
  assert.deepEqual([(await store.upkeep.counts()).events, replaced.length], [1, 1]);
  assert.ok(statSync(replaced[0]!.aside).size > wreckage.length);
  await store.close();
  await using restarted = await storeAt(path);
  assert.equal((await restarted.store.history.event('last'))?.event.id, 'new');
});

test('events that a crash left in the log are on disk before they are reported as known (fault 22)', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  await using running = await storeAt(path);
  await running.store.events.accept([sampleRecord({ id: 'in the log' })], decideNothing);
  const crashed = join(directory.path, 'crashed.db');
  for (const companion of ['', '-wal']) await copyFile(path + companion, crashed + companion);

  await using opened = await storeAt(crashed);

  assert.equal(statSync(`${crashed}-wal`).size, 0);
  const again = await opened.store.events.accept(
    [sampleRecord({ id: 'in the log' })],
    decideNothing,
  );
  assert.deepEqual(again, ['known']);
});

test('a log cut at any byte of its last frame opens, with the last commit whole or not there (fault 17)', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  await using opened = await storeAt(path);
  for (const id of ['first', 'second']) {
    await opened.store.events.accept([sampleRecord({ id })], () =>
      sampleEffects({ session: sampleSession({ lastEventId: id }) }),
    );
  }
  const log = readFileSync(`${path}-wal`);
  const frameBytes = 24 + 4096;
  const cuts = [...Array(48).keys(), 64, 1000, 2049, 4000, 4095, 4096, 4118, 4119, 4120];

  for (const bytes of cuts) {
    const cut = join(directory.path, `cut-${bytes}.db`);
    await copyFile(path, cut);
    writeFileSync(`${cut}-wal`, log.subarray(0, log.length - frameBytes + bytes));

    await using reopened = await storeAt(cut);

    const entries = await reopened.store.history.list({ limit: 9 });
    const [session] = await reopened.store.sessions.list({ limit: 9 });
    const expected = bytes === frameBytes ? ['second', 'first'] : ['first'];
    assert.deepEqual(
      [reopened.recovered, entries.map(({ event }) => event.id), session?.lastEventId],
      [null, expected, expected[0]],
      `${bytes} bytes of the last frame`,
    );
  }
});

test('openStore() refuses the schema of a newer hookbell and changes nothing (fault 24)', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  await writeDatabase(path);
  const driver = (await loadDriver())(path);
  driver.exec('PRAGMA user_version = 999');
  driver.close();
  const before = readFileSync(path);

  const opening = storeAt(path);

  await assert.rejects(opening, {
    name: 'StoreError',
    code: 'newer',
    message: /its schema is 999, expected at most \d+/,
  });
  assert.deepEqual(readFileSync(path), before);
  assert.deepEqual(readdirSync(directory.path), ['hookbell.db']);
});

test('openStore() where the directory is missing rejects with "io"', async () => {
  await using directory = await temporaryDirectory();
  const missing = join(directory.path, 'missing', 'hookbell.db');

  await assert.rejects(storeAt(missing), { name: 'StoreError', code: 'io' });
});
