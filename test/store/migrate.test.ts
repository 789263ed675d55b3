import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';

import type { Driver } from '../../src/store/sqlite/driver.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { migrations } from '../../src/store/sqlite/migrations/migrations.ts';
import { readPragma } from '../../src/store/sqlite/pragmas.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const good = 'CREATE TABLE one (a TEXT) STRICT;';
const failing = 'CREATE TABLE two (a TEXT) STRICT; INSERT INTO missing VALUES (1);';
const mended = 'CREATE TABLE two (a TEXT) STRICT;';

function tables(driver: Driver): number {
  return driver.prepare('SELECT name FROM sqlite_schema').all().length;
}

test('migrate() undoes a migration that breaks off, and goes on from there next time (fault 24)', async () => {
  await using directory = await temporaryDirectory();
  const open = await loadDriver();
  const driver = open(join(directory.path, 'hookbell.db'));

  assert.throws(() => migrate(driver, [good, failing], open), /missing/);
  assert.deepEqual([tables(driver), readPragma(driver, 'user_version')], [1, '1']);

  migrate(driver, [good, mended], open);
  assert.deepEqual([tables(driver), readPragma(driver, 'user_version')], [2, '2']);
  driver.close();
});

test('migrate() does each migration once', async () => {
  await using directory = await temporaryDirectory();
  const open = await loadDriver();
  const driver = open(join(directory.path, 'hookbell.db'));

  migrate(driver, migrations, open);
  migrate(driver, migrations, open);

  assert.equal(readPragma(driver, 'user_version'), String(migrations.length));
  driver.close();
});

test('migrate() compares the schema with the migrations once, and again after either has changed', async () => {
  await using directory = await temporaryDirectory();
  const open = await loadDriver();
  const driver = open(join(directory.path, 'hookbell.db'));
  let compared = 0;
  const openCounted = (path: string): Driver => {
    compared += 1;
    return open(path);
  };
  migrate(driver, migrations, open);

  migrate(driver, migrations, openCounted);
  assert.equal(compared, 0);

  const [index] = driver
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    .all();
  const name = String(Object.values(index ?? {})[0]);
  driver.exec(`DROP INDEX "${name}"`);
  assert.deepEqual(migrate(driver, migrations, openCounted), [name]);
  assert.equal(compared, 1);
  assert.deepEqual(migrate(driver, migrations, openCounted), []);

  driver.exec('CREATE TABLE foreign_one (a TEXT)');
  assert.deepEqual(migrate(driver, migrations, openCounted), []);
  migrate(driver, [...migrations, 'CREATE TABLE more (a TEXT) STRICT;'], openCounted);
  assert.equal(readPragma(driver, 'user_version'), String(migrations.length + 1));
  assert.equal(compared, 3);
  driver.close();
});
