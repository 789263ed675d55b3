import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { Client } from 'pg';

import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { needsPostgres, type Postgres, startPostgres } from '../../support/postgres.ts';
import {
  decideNothing,
  NOW,
  sampleEffects,
  sampleRecord,
  sampleSession,
} from '../../support/store.ts';

/** Resolves when a session's row waits for another transaction. */
async function waiting(postgres: Postgres): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const found = await postgres.run(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO sessions%'",
    );
    if (found.length > 0) return;
    await delay(20);
  }
  throw new Error('Nothing waits for the row');
}

test(
  'follow() misses no event of a process that commits after another one with a later number',
  { skip: needsPostgres() },
  async () => {
    await using postgres = await startPostgres();
    const { store: slow } = await openServerStore({ url: postgres.url, now: () => NOW });
    const { store: fast } = await openServerStore({ url: postgres.url, now: () => NOW });
    const holder = new Client(postgres.url);
    await holder.connect();
    try {
      await fast.events.accept([sampleRecord({ id: 'first' })], decideNothing);
      const { cursor: start } = await fast.history.follow({ limit: 10, from: 'newest' });
      await holder.query(
        "BEGIN; INSERT INTO sessions (key, agent, state, state_since, started_at, last_event_at, last_kind, last_event_id, facts) VALUES ('claude:slow', 'claude', 'working', 1, 1, 1, 'prompt', 'none', '{}')",
      );

      const underWay = slow.events.accept(
        [sampleRecord({ id: 'slow', sessionKey: 'claude:slow' })],
        () => sampleEffects({ session: sampleSession({ key: 'claude:slow' }) }),
      );
      await waiting(postgres);
      await fast.events.accept(
        [sampleRecord({ id: 'fast', sessionKey: 'claude:fast' })],
        decideNothing,
      );
      const before = await fast.history.follow({ limit: 10, from: { cursor: start } });
      const newest = await fast.history.follow({ limit: 10, from: 'newest' });
      await holder.query('ROLLBACK');
      await underWay;
      const after = await fast.history.follow({ limit: 10, from: { cursor: before.cursor } });

      assert.deepEqual(before.entries, []);
      assert.deepEqual(
        newest.entries.map(({ event }) => event.id),
        ['first'],
      );
      assert.deepEqual(
        after.entries.map(({ event }) => event.id),
        ['slow', 'fast'],
      );
    } finally {
      await holder.end();
      await Promise.all([slow.close(), fast.close()]);
    }
  },
);
