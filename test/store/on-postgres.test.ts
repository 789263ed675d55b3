import test from 'node:test';

import { needsPostgres, startPostgres } from '../support/postgres.ts';
import { assertStorePasses } from '../support/store-suite.ts';

test('the tests of the store pass on PostgreSQL too', { skip: needsPostgres() }, async () => {
  // Thousands of tables come and go: to vacuum them is not what is tested.
  await using postgres = await startPostgres(['autovacuum = off']);

  assertStorePasses(postgres.url);
});
