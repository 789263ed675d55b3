import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

import { needsPostgres, startPostgres } from '../support/postgres.ts';

/** About the file of SQLite, its driver, its plans or its schema, not about what the store does. */
const aboutSqlite = [
  'background-check',
  'crash',
  'disk-faults',
  'group-commit',
  'io-error',
  'migrate',
  'on-postgres',
  'other-node',
  'pragmas',
  'query-plans',
  'recovery',
  'schema',
  'take-over',
  'timer-plans',
  'turns',
];

test('the tests of the store pass on PostgreSQL too', { skip: needsPostgres() }, async () => {
  await using postgres = await startPostgres();
  const directory = fileURLToPath(new URL('.', import.meta.url));
  const files = readdirSync(directory).filter(
    (file) => file.endsWith('.test.js') && !aboutSqlite.includes(basename(file, '.test.js')),
  );

  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--enable-source-maps', '--test', '--test-concurrency=2', '--test-reporter=tap', ...files],
    {
      cwd: directory,
      env: { ...env, HOOKBELL_TEST_DATABASE: postgres.url },
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );

  assert.equal(status, 0, stdout.slice(-20_000));
  const passed = Number(/^# pass (\d+)$/m.exec(stdout)?.[1]);
  assert.ok(passed > 150, `only ${passed} tests ran`);
});
