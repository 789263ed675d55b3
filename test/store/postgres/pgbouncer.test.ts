import assert from 'node:assert/strict';
import test from 'node:test';

import { StoreError } from '../../../src/core/store-aging.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { claim, settlement } from '../../support/claims.ts';
import { startPgBouncer } from '../../support/pgbouncer.ts';
import { needsPostgres, startPostgres } from '../../support/postgres.ts';
import { NOW, sampleRecord, tell } from '../../support/store.ts';
import { needs } from '../../support/system-part.ts';
import { until } from '../../support/until.ts';

const skip = needsPostgres() || needs('/usr/sbin/pgbouncer');

test('PgBouncer that pools sessions keeps one owner, limits and claims', { skip }, async () => {
  await using postgres = await startPostgres();
  await using bouncer = await startPgBouncer(postgres, 'session');
  const opened = [
    await openServerStore({ url: bouncer.url, now: () => NOW }),
    await openServerStore({ url: bouncer.url, now: () => NOW }),
  ];
  try {
    const [one, other] = opened;
    await one!.store.events.accept([sampleRecord({ id: 'event' })], tell('desktop'));
    const [claimed] = await claim(other!.store);
    assert.equal(claimed?.event.id, 'event');
    assert.equal(await other!.store.outbox.recordAttempt(settlement(claimed)), true);

    await until(() => opened.some(({ isOwner }) => isOwner()));
    const [locks] = await postgres.run(
      "SELECT count(*)::int AS held FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted",
    );
    assert.deepEqual(locks, { held: 1 });
    const [limits] = await postgres.run(
      "SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name LIKE 'hookbell %'",
    );
    assert.ok(Number(limits?.['open']) >= 2);
  } finally {
    for (const { store } of opened) await store.close();
  }
});

test(
  'PgBouncer that pools transactions is refused, with the setting to change',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await using bouncer = await startPgBouncer(postgres, 'transaction');

    await assert.rejects(openServerStore({ url: bouncer.url }), (error) => {
      assert.ok(error instanceof StoreError);
      assert.match(
        error.message,
        /^Cannot use the database "hookbell" at 127\.0\.0\.1:\d+: a pooler passes its connections on after each transaction: set its pool_mode to session/,
      );
      return true;
    });

    const [tables] = await postgres.run(
      "SELECT count(*)::int AS count FROM information_schema.tables WHERE table_schema = 'public'",
    );
    assert.deepEqual(tables, { count: 0 });
  },
);
