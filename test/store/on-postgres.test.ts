import test from 'node:test';

import { needsPostgres, startPostgres } from '../support/postgres.ts';
import { assertStorePasses } from '../support/store-suite.ts';

test('the tests of the store pass on PostgreSQL too', { skip: needsPostgres() }, async () => {
  await using postgres = await startPostgres();

  assertStorePasses(postgres.url);
});
