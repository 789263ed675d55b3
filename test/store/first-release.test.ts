import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { z } from 'zod';

import type { Driver } from '../../src/store/sqlite/driver.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { migrations } from '../../src/store/sqlite/migrations/migrations.ts';
import { readPragma } from '../../src/store/sqlite/pragmas.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { aboutFile, decideNothing, sampleRecord, storeAt } from '../support/store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const fixture = join(projectRoot, 'test/fixtures/releases/0.1.0/hookbell.db.gz');

/** The schema of 0.1.0. */
const SCHEMA = 2;

const Rows = z.array(z.record(z.string(), z.unknown()));
const Tables = z.array(z.object({ name: z.string() }));

/** The rows of each table, by its name: all columns, or only those named for it. */
function rowsOf(driver: Driver, columns?: ReadonlyMap<string, readonly string[]>) {
  const tables = Tables.parse(
    driver.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all(),
  );
  return new Map(
    tables
      .filter(({ name }) => columns?.has(name) ?? true)
      .map(({ name }) => {
        const chosen = columns?.get(name)?.join(', ') ?? '*';
        const statement = `SELECT ${chosen} FROM ${name} ORDER BY 1, 2`;
        return [name, Rows.parse(driver.prepare(statement).all())] as const;
      }),
  );
}

describe('openStore() keeps every row of a database that hookbell 0.1.0 filled', () => {
  for (let schema = SCHEMA; schema < migrations.length; schema += 1) {
    const since = schema === SCHEMA ? '' : `, migrated to schema ${schema} since`;
    test(`and works with it${since}`, { skip: aboutFile }, async () => {
      await using directory = await temporaryDirectory();
      const path = join(directory.path, 'hookbell.db');
      await writeFile(path, gunzipSync(await readFile(fixture)));
      const open = await loadDriver();
      const old = open(path);
      const before = rowsOf(old);
      assert.equal(readPragma(old, 'user_version'), String(SCHEMA));
      for (const migration of migrations.slice(SCHEMA, schema)) old.exec(migration);
      old.exec(`PRAGMA user_version = ${schema}`);
      old.close();
      assert.ok(before.size > 8);
      for (const [table, rows] of before) assert.ok(rows.length > 0, `${table} is empty`);

      const opened = await storeAt(path);
      await opened.store.close();
      assert.equal(opened.recovered, null);
      const driver = open(path);
      const columns = new Map([...before].map(([table, [row]]) => [table, Object.keys(row ?? {})]));
      const after = rowsOf(driver, columns);
      driver.close();

      assert.deepEqual(after, before);
      await using again = await storeAt(path);
      assert.deepEqual(await again.store.events.accept([sampleRecord()], decideNothing), [
        'committed',
      ]);
    });
  }
});
