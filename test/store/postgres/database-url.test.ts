import assert from 'node:assert/strict';
import test from 'node:test';

import { ConfigError } from '../../../src/platform/errors.ts';
import { readDatabaseUrl } from '../../../src/store/postgres/database-url.ts';
import { forPostgres } from '../../../src/store/postgres/dialect.ts';

test('readDatabaseUrl() reads hosts, sockets, names and passwords', () => {
  assert.deepEqual(readDatabaseUrl('postgres://ada:p%40ss@db.example.com/hookbell'), {
    host: 'db.example.com',
    port: 5432,
    database: 'hookbell',
    user: 'ada',
    password: 'p@ss',
    tls: { caFile: null },
    options: undefined,
    place: '"hookbell" at db.example.com:5432',
  });
  const socket = readDatabaseUrl('postgresql://ada@localhost/team?host=/run/postgresql');
  assert.deepEqual([socket.host, socket.tls], ['/run/postgresql', null]);
  assert.equal(readDatabaseUrl('postgres://[::1]:5433/team').host, '::1');
  assert.equal(readDatabaseUrl('postgres://127.0.0.1/team').tls, null);
  assert.deepEqual(readDatabaseUrl('postgres://localhost/team?sslmode=verify-full').tls, {
    caFile: null,
  });
  assert.deepEqual(readDatabaseUrl('postgres://db/team?sslrootcert=/etc/ca.pem').tls, {
    caFile: '/etc/ca.pem',
  });
});

const refused: readonly (readonly [url: string, reason: RegExp])[] = [
  ['hunter2', /expected postgres:\/\/user@host\/database/],
  ['mysql://hunter2@db/team', /expected postgres:\/\/user@host\/database/],
  ['postgres://db', /the name of the database is missing/],
  ['postgres:///team', /the host is missing/],
  ['postgres://u:hunter2@db/team?sslmod=disable', /parameter "sslmod" is unknown/],
  ['postgres://u:%zz-hunter2@db/team', /a "%" is not followed by two digits/],
  ...['disable', 'allow', 'prefer', 'require', 'verify-ca'].map(
    (mode) =>
      [
        `postgres://u:hunter2@db.example.com/team?sslmode=${mode}`,
        new RegExp(`sslmode is "${mode}", others on the way could read`),
      ] as const,
  ),
  // Names of an address on this machine that another one could have.
  ['postgres://u:hunter2@localhost.example.com/team?sslmode=disable', /expected verify-full/],
  ['postgres://u:hunter2@127.0.0.1.example.com/team?sslmode=disable', /expected verify-full/],
];

for (const [url, reason] of refused) {
  test(`readDatabaseUrl() refuses ${url.replace('hunter2', '…')} without its text`, () => {
    assert.throws(
      () => readDatabaseUrl(url),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, reason);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      },
    );
  });
}

test('forPostgres() translates what only SQLite understands', () => {
  const table: readonly (readonly [string, string])[] = [
    ["SELECT '?' WHERE a = ? AND b = ?", "SELECT '?' WHERE a = $1 AND b = $2"],
    ['SELECT ?2, ?1, ?2', 'SELECT $2, $1, $2'],
    ['SELECT max(a), min(a, ?)', 'SELECT max(a), least(a, $1)'],
    ['max(0, (SELECT max(b) FROM c) - d)', 'greatest(0, (SELECT max(b) FROM c) - d)'],
    ['SELECT max((a, b) = (1, 2))', 'SELECT max((a, b) = (1, 2))'],
    ['WHERE +agent = ? AND a = b + ?', 'WHERE agent = $1 AND a = b + $2'],
    [
      'IN (SELECT value FROM json_each(?))',
      'IN (SELECT value FROM json_array_elements_text($1::json) AS json_each (value))',
    ],
    [
      'IN (SELECT CAST(value AS BIGINT) FROM json_each(?))',
      '= ANY (ARRAY (SELECT CAST(value AS BIGINT) FROM json_array_elements_text($1::json) AS json_each (value)))',
    ],
  ];
  for (const [sqlite, postgres] of table) assert.equal(forPostgres(sqlite), postgres);
});
