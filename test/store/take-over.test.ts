import assert from 'node:assert/strict';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { migrations } from '../../src/store/sqlite/migrations/migrations.ts';
import { NEWEST_SCHEMA, savedDatabase } from '../../src/core/store-aging.ts';
import { readPragma } from '../../src/store/sqlite/pragmas.ts';
import { claim } from '../support/claims.ts';
import { writeEarlierDatabase } from '../support/earlier-database.ts';
import { decideNothing, NOW, sampleRecord, storeAt } from '../support/store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('a database of the first release is taken over: plans, the end of alerts, steps to come', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  await writeEarlierDatabase(path, { schema: 1 });

  await using opened = await storeAt(path);

  const [alert] = await opened.store.alerts.live();
  assert.deepEqual(alert?.plan, {
    name: 'escalate',
    steps: [
      { afterMs: 0, notify: ['desktop'], repeat: null, condition: null },
      { afterMs: 60_000, notify: ['team'], repeat: null, condition: null },
    ],
  });
  assert.deepEqual([alert?.expiresAt, alert?.acknowledgedAt], [NOW + 12 * 3_600_000, null]);
  assert.deepEqual(
    (await claim(opened.store)).map(({ delivery }) => delivery.id),
    ['first'],
  );
  assert.deepEqual(await claim(opened.store, { channel: 'team', now: NOW + 1e6 }), []);
  assert.equal(await opened.store.held.nextTimer(), NOW + 60_000);
  assert.deepEqual(await opened.store.events.accept([sampleRecord()], decideNothing), [
    'committed',
  ]);
});

test('a database without the conditions of held deliveries gets them from the plans', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  await writeEarlierDatabase(path, { schema: 1 });
  const driver = (await loadDriver())(path);
  driver.exec(migrations[1] ?? '');
  driver.exec(`
    PRAGMA user_version = 2;
    UPDATE alerts SET plan = json_set(plan, '$.steps[1].condition', json('{"presence":"away"}'));
  `);
  driver.close();

  await using opened = await storeAt(path);

  const [first, second] = (await opened.store.history.event('old'))?.deliveries ?? [];
  assert.deepEqual([first?.delayMs, first?.condition], [0, null]);
  assert.deepEqual([second?.delayMs, second?.condition], [60_000, { presence: 'away' }]);
});

describe('openStore() and the schema of every earlier release', () => {
  for (const schema of Array.from(migrations.keys()).slice(1)) {
    test(`takes over schema ${schema}: event, payload, session, alert and deliveries, after saving a copy`, async () => {
      await using directory = await temporaryDirectory();
      const path = join(directory.path, 'hookbell.db');
      await writeEarlierDatabase(path, { schema });

      await using opened = await storeAt(path);

      const { store, recovered } = opened;
      assert.equal(recovered, null);
      const entry = await store.history.event('old');
      assert.deepEqual(
        [
          entry?.event.id,
          entry?.deliveries.map(({ id }) => id),
          Buffer.from(entry?.payload ?? []).toString(),
        ],
        ['old', ['first', 'second'], '{}'],
      );
      assert.deepEqual(
        (await store.sessions.list({ limit: 9 })).map(({ key, state }) => [key, state]),
        [['claude:s1', 'waiting']],
      );
      assert.deepEqual(
        (await store.alerts.live()).map(({ id }) => id),
        ['alert'],
      );
      assert.deepEqual(
        (await claim(store)).map(({ delivery }) => delivery.id),
        ['first'],
      );
      assert.deepEqual(await store.events.accept([sampleRecord()], decideNothing), ['committed']);

      const copy = savedDatabase(path, schema);
      const driver = (await loadDriver())(copy);
      const versions = [readPragma(driver, 'user_version'), readPragma(driver, 'quick_check')];
      const rows = driver.prepare('SELECT id FROM deliveries ORDER BY seq').all();
      driver.close();
      assert.deepEqual(versions, [String(schema), 'ok']);
      assert.deepEqual(JSON.parse(JSON.stringify(rows)), [{ id: 'first' }, { id: 'second' }]);
    });
  }

  test('states the version of its own schema where programs read it that do not open the store', () => {
    assert.equal(NEWEST_SCHEMA, migrations.length);
  });

  test('keeps one copy, the latest, readable by its owner only, and makes none without a migration', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'hookbell.db');
    await writeEarlierDatabase(path, { schema: 3 });
    writeFileSync(savedDatabase(path, 1), 'of an earlier upgrade');

    await using first = await storeAt(path);
    await first.store.close();
    const copies = (): readonly string[] =>
      readdirSync(directory.path).filter((name) => name.includes('.schema-'));
    assert.deepEqual(copies(), ['hookbell.db.schema-3']);
    assert.equal(statSync(savedDatabase(path, 3)).mode & 0o777, 0o600);

    rmSync(savedDatabase(path, 3));
    await using _second = await storeAt(path);
    assert.deepEqual(copies(), []);
  });
});
