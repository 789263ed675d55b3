import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { NEWEST_SCHEMA, savedDatabase } from '../../src/core/store-aging.ts';
import { type Driver, loadDriver } from '../../src/store/sqlite/driver.ts';
import { migrations } from '../../src/store/sqlite/migrations/migrations.ts';
import { closeDatabase, openDatabase } from '../../src/store/sqlite/open-database.ts';
import { readPragma } from '../../src/store/sqlite/pragmas.ts';
import type { SavedDatabase } from '../../src/store/sqlite/save-before-migration.ts';
import { decideNothing, sampleRecord, storeAt, tell } from '../support/store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const later = [...migrations, "ALTER TABLE events ADD COLUMN later TEXT DEFAULT 'new';"];

/** A database of this hookbell with an event, its payload, session and deliveries. */
async function filledDatabase(directory: string): Promise<string> {
  const path = join(directory, 'hookbell.db');
  await using opened = await storeAt(path);
  await opened.store.events.accept(
    [sampleRecord({ id: 'old' }, '{"a":1}')],
    tell('desktop', 'team'),
  );
  return path;
}

/** Opens it as a later hookbell does, with one more migration. */
async function upgrade(path: string): Promise<{ driver: Driver; saved: readonly SavedDatabase[] }> {
  const saved: SavedDatabase[] = [];
  const onMigrated = (one: SavedDatabase): void => void saved.push(one);
  const driver = openDatabase(path, await loadDriver(), { migrations: later, onMigrated });
  return { driver, saved };
}

/** A further connection may open the file. */
function close({ driver }: { readonly driver: Driver }): void {
  closeDatabase(driver, { isInPlace: true });
}

const rowsOf = (driver: Driver): unknown =>
  JSON.parse(
    JSON.stringify(
      driver
        .prepare(
          `SELECT events.id, hex(bytes) AS payload, group_concat(deliveries.id) AS deliveries
          FROM events JOIN payloads ON event_seq = events.seq JOIN deliveries ON event_id = events.id`,
        )
        .all(),
    ),
  );
const ROWS = [{ id: 'old', payload: '7B2261223A317D', deliveries: 'old/desktop,old/team' }];

describe('a database that a later hookbell takes over', () => {
  test('keeps its rows, and a copy from before is beside it', async () => {
    await using directory = await temporaryDirectory();
    const path = await filledDatabase(directory.path);
    const copy = savedDatabase(path, NEWEST_SCHEMA);

    const { driver, saved } = await upgrade(path);

    const versions = [readPragma(driver, 'user_version'), rowsOf(driver)];
    const [row] = driver.prepare('SELECT later FROM events').all();
    close({ driver });
    assert.deepEqual(versions, [String(NEWEST_SCHEMA + 1), ROWS]);
    assert.deepEqual(JSON.parse(JSON.stringify(row)), { later: 'new' });
    assert.deepEqual(saved, [
      { from: NEWEST_SCHEMA, to: NEWEST_SCHEMA + 1, path: copy, reason: null },
    ]);
    const before = (await loadDriver())(copy);
    const pragmas = ['user_version', 'quick_check'].map((name) => readPragma(before, name));
    assert.deepEqual([pragmas, rowsOf(before)], [[String(NEWEST_SCHEMA), 'ok'], ROWS]);
    before.close();
  });

  test('has one copy, the latest, readable by its owner only, and no other one without a migration', async () => {
    await using directory = await temporaryDirectory();
    const path = await filledDatabase(directory.path);
    writeFileSync(savedDatabase(path, 7), 'of an earlier upgrade');

    close(await upgrade(path));

    const copy = savedDatabase(path, NEWEST_SCHEMA);
    const copies = readdirSync(directory.path).filter((name) => name.includes('.schema-'));
    assert.deepEqual(copies, [`hookbell.db.schema-${NEWEST_SCHEMA}`]);
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    const again = await upgrade(path);
    close(again);
    assert.deepEqual(again.saved, []);
  });

  test('is no longer one for this hookbell, until the copy is put back', async () => {
    await using directory = await temporaryDirectory();
    const path = await filledDatabase(directory.path);
    close(await upgrade(path));

    await assert.rejects(storeAt(path), { name: 'StoreError', code: 'newer' });

    await using opened = await storeAt(savedDatabase(path, NEWEST_SCHEMA));
    assert.equal(opened.recovered, null);
    assert.deepEqual(
      await opened.store.events.accept([sampleRecord({ id: 'new' })], decideNothing),
      ['committed'],
    );
    assert.equal((await opened.store.upkeep.counts()).events, 2);
  });
});

test('programs that do not open the store read the version of its schema', () => {
  assert.equal(NEWEST_SCHEMA, migrations.length);
});
