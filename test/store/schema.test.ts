import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

import type { Driver } from '../../src/store/sqlite/driver.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import type { Recovered } from '../../src/store/open-store.ts';
import { readPragma } from '../../src/store/sqlite/pragmas.ts';
import { claim } from '../support/claims.ts';
import { putEnvelope } from '../support/envelopes.ts';
import { intakeRun } from '../support/intake-run.ts';
import {
  decideNothing,
  sampleEffects,
  sampleRecord,
  sampleSession,
  storeAt,
  tell,
  temporaryStore,
} from '../support/store.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A closed database with one event, "kept", whose delivery is unsent; `change` is what another program did to it. */
async function changedDatabase(path: string, change: string): Promise<void> {
  {
    await using opened = await storeAt(path);
    await opened.store.events.accept([sampleRecord({ id: 'kept' })], tell('desktop'));
  }
  const driver = (await loadDriver())(path);
  driver.exec(change);
  driver.close();
}

const unusable: readonly { readonly change: string; readonly reason: RegExp }[] = [
  { change: 'ALTER TABLE events DROP COLUMN message', reason: /"events" has no column "message"/ },
  { change: 'DROP TABLE mutes', reason: /table "mutes" is missing/ },
  { change: 'DROP TABLE deliveries', reason: /table "deliveries" is missing/ },
  {
    change:
      "ALTER TABLE events ADD COLUMN more TEXT; ALTER TABLE sessions RENAME state TO 'status'",
    reason: /"sessions" has no column "state"/,
  },
];
for (const { change, reason } of unusable) {
  test(`openStore() sets a database aside after "${change}", with one clear message (A10)`, async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'hookbell.db');
    await changedDatabase(path, change);

    await using opened = await storeAt(path);

    assert.match(opened.recovered?.reason ?? '', reason);
    assert.match(opened.recovered?.reason ?? '', /^Unknown schema: /);
    const verdicts = await opened.store.events.accept(
      [sampleRecord({ id: 'new' })],
      tell('desktop'),
    );
    assert.deepEqual(verdicts, ['committed']);
    assert.equal((await claim(opened.store)).length, 1);
  });
}

test('openStore() sets the database of another program aside (A10)', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  const driver = (await loadDriver())(path);
  driver.exec('CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 1');
  driver.close();

  await using opened = await storeAt(path);

  assert.match(opened.recovered?.reason ?? '', /table "events" is missing/);
});

test('openStore() repairs indexes and triggers, keeps every row, and deliveries get their turn again (A10)', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  await changedDatabase(
    path,
    `DROP TRIGGER queue_delivery; DROP TRIGGER requeue_delivery; DROP TRIGGER count_delivery;
    DROP INDEX events_by_session; UPDATE deliveries SET is_next = 0; DELETE FROM counters;
    CREATE TRIGGER foreign_trigger BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no'); END;
    CREATE UNIQUE INDEX foreign_index ON events (agent)`,
  );
  const repaired: string[] = [];

  await using opened = await storeAt(path, { onRepaired: (names) => repaired.push(...names) });

  assert.equal(opened.recovered, null);
  assert.deepEqual(repaired.toSorted(), [
    'count_delivery',
    'events_by_session',
    'foreign_index',
    'foreign_trigger',
    'queue_delivery',
    'requeue_delivery',
  ]);
  await opened.store.events.accept([sampleRecord({ id: 'new' })], decideNothing);
  const { events, deliveries } = await opened.store.upkeep.counts();
  assert.deepEqual([events, deliveries.pending], [2, 1]);
  const [claimed] = await claim(opened.store);
  assert.equal(claimed?.event.id, 'kept');
});

test(
  'openStore() takes a database that was rebuilt by ".dump", and lets it shrink from then on (A10)',
  { skip: needs('sqlite3') },
  async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'hookbell.db');
    await changedDatabase(path, 'SELECT 1');
    const rebuilt = `${path}.rebuilt`;
    const dump = execFileSync('sqlite3', [path, '.dump']);
    execFileSync('sqlite3', [rebuilt], { input: dump });
    renameSync(rebuilt, path);

    const repaired: string[] = [];
    const vacuum: string[] = [];
    const open = await loadDriver();
    {
      await using opened = await storeAt(path, {
        onRepaired: (names) => repaired.push(...names),
        openDriver(file) {
          const driver = open(file);
          if (file === path) setImmediate(() => vacuum.push(readPragma(driver, 'auto_vacuum')));
          return driver;
        },
      });

      assert.deepEqual([opened.recovered, repaired], [null, []]);
      const { events, deliveries } = await opened.store.upkeep.counts();
      assert.deepEqual([events, deliveries.pending], [1, 1]);
      const [claimed] = await claim(opened.store);
      assert.equal(claimed?.event.id, 'kept');
    }
    const INCREMENTAL = '2';
    assert.deepEqual(vacuum, [INCREMENTAL]);
  },
);

test('a schema that breaks while in use costs no event: the spool is kept until a new database takes it (A10)', async () => {
  let driver: Driver | null = null;
  const replaced: Recovered[] = [];
  const open = await loadDriver();
  await using database = await temporaryStore({
    onReplaced: (recovered) => replaced.push(recovered),
    openDriver(path) {
      const opened = open(path);
      if (path !== ':memory:') driver = opened;
      return opened;
    },
  });
  const { store } = database;
  await using run = await intakeRun({ store, decide: decideNothing });
  (driver as Driver | null)?.exec('ALTER TABLE events DROP COLUMN message');
  const names: string[] = [];
  for (let number = 0; number < 9; number += 1) {
    names.push(await putEnvelope(run.spool, '{"hook_event_name":"Stop"}'));
  }

  await run.intake.drain();
  assert.equal(run.left().length, 9);
  await run.intake.drain();

  assert.deepEqual([run.left(), await store.quarantine.list(9)], [[], []]);
  const entries = await store.history.list({ limit: 20 });
  assert.deepEqual(entries.map(({ event }) => event.id).toSorted(), names.toSorted());
  assert.match(replaced[0]?.reason ?? '', /"events" has no column "message"/);
  assert.equal(replaced.length, 1);
});

test('a row this version cannot have written sets the database aside instead of refusing the events of its session (A10)', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  {
    await using opened = await storeAt(path);
    await opened.store.events.accept([sampleRecord()], () =>
      sampleEffects({ session: sampleSession() }),
    );
  }
  const driver = (await loadDriver())(path);
  driver.exec("UPDATE sessions SET state = 'dreaming'");
  driver.close();
  await using opened = await storeAt(path);
  const record = sampleRecord({ id: 'next', sessionKey: sampleSession().key });

  await assert.rejects(opened.store.events.accept([record], decideNothing), {
    code: 'damaged',
    message: /column "state"/,
  });

  assert.deepEqual(await opened.store.events.accept([record], decideNothing), ['committed']);
});
