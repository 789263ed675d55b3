import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** About the file of SQLite, its driver, its plans or its schema, not about what the store does. */
const aboutSqlite = [
  'background-check',
  'crash',
  'disk-faults',
  'group-commit',
  'io-error',
  'migrate',
  'on-postgres',
  'on-postgres-tls',
  'other-node',
  'pragmas',
  'query-plans',
  'recovery',
  'schema',
  'take-over',
  'timer-plans',
  'turns',
];

/**
 * Runs the tests of the store on a database of PostgreSQL.
 *
 * @param options.only names of files without their endings; left out: all
 * @param options.least how many tests there are at least
 */
export function assertStorePasses(
  url: string,
  { only, least = 150 }: { readonly only?: readonly string[]; readonly least?: number } = {},
): void {
  const directory = fileURLToPath(new URL('../store/', import.meta.url));
  const files = readdirSync(directory).filter(
    (file) =>
      file.endsWith('.test.js') &&
      !aboutSqlite.includes(basename(file, '.test.js')) &&
      (only === undefined || only.includes(basename(file, '.test.js'))),
  );
  assert.equal(files.length, only?.length ?? files.length);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  // In one process: to start one for each file takes longer than its tests do.
  const imports = files.map(
    (file) => `await import('${pathToFileURL(join(directory, file)).href}');`,
  );
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      '--enable-source-maps',
      '--test-reporter=tap',
      '--input-type=module',
      '--eval',
      imports.join('\n'),
    ],
    {
      cwd: directory,
      env: { ...env, HOOKBELL_TEST_DATABASE: url },
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );

  assert.equal(status, 0, stdout.slice(-20_000));
  const passed = Number(/^# pass (\d+)$/m.exec(stdout)?.[1]);
  assert.ok(passed > least, `only ${passed} tests ran`);
}
