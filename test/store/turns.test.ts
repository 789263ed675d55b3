import assert from 'node:assert/strict';
import test from 'node:test';

import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { migrations } from '../../src/store/sqlite/migrations/migrations.ts';
import { claim } from '../support/claims.ts';
import { watchedDriver } from '../support/driver.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { sampleRecord, tell, temporaryStore } from '../support/store.ts';

const ROWS = 12;
const CHANGES = 3_000;

/** Sessions whose first delivery in the order of turns is not the one, and the only one, that is marked as next. */
const WRONG = `
SELECT session_key, group_concat(seq) AS marked FROM deliveries AS one WHERE is_next = 1 OR (
  state IN ('pending', 'retrying') AND held_for IS NULL
) GROUP BY channel, session_key HAVING sum(is_next) <> 1 OR max(iif(is_next = 1, seq, 0)) <> (
  SELECT seq FROM deliveries AS first
  WHERE first.channel = one.channel AND first.session_key = one.session_key
    AND state IN ('pending', 'retrying') AND held_for IS NULL
  ORDER BY turn, due_at, seq LIMIT 1
)`;

test('whatever changes about deliveries, the first of each session is the one that has its turn', async () => {
  const driver = (await loadDriver())(':memory:');
  for (const migration of migrations) driver.exec(migration);
  driver.exec('PRAGMA foreign_keys = OFF');
  const random = seededRandom(7);
  const below = (end: number): number => Math.floor(random() * end);
  const oneOf = (words: readonly string[]): string => words[below(words.length)] ?? '';
  for (let seq = 1; seq <= ROWS; seq += 1) {
    driver.exec(
      `INSERT INTO deliveries (seq, id, event_id, session_key, step, channel, state, due_at, created_at)
      VALUES (${seq}, 'd${seq}', 'e', 's${seq % 3}', 0, 'out', 'pending', ${seq}, 0)`,
    );
  }
  const wrong = driver.prepare(WRONG);

  for (let change = 0; change < CHANGES; change += 1) {
    const what = oneOf([
      'claimed_until = 9',
      'claimed_until = 9',
      'claimed_until = NULL',
      `claimed_until = NULL, state = 'sent'`,
      `claimed_until = NULL, state = 'retrying', due_at = ${below(20)}`,
      `state = '${oneOf(['pending', 'retrying', 'sent', 'cancelled', 'dead'])}'`,
      `due_at = ${below(20)}`,
      `held_for = ${oneOf(['NULL', "'quiet'"])}`,
      `state = 'pending', claimed_until = NULL, held_for = NULL`,
    ]);
    driver.exec(`UPDATE deliveries SET ${what} WHERE seq = ${1 + below(ROWS)}`);
    assert.deepEqual(wrong.all(), [], what);
  }
  driver.close();
});

test('claim() marks everything it hands out with one statement', async () => {
  let updates = 0;
  const openDriver = await watchedDriver({
    onRun(sql) {
      if (sql.startsWith('UPDATE deliveries')) updates += 1;
    },
  });
  await using opened = await temporaryStore({ openDriver });
  const records = Array.from({ length: 6 }, (_, number) =>
    sampleRecord({ id: `event-${number}`, sessionKey: `claude:s${number % 2}` }),
  );
  await opened.store.events.accept(records, tell('desktop'));
  updates = 0;

  const claimed = await claim(opened.store, { limit: 5, perSession: 3 });

  assert.deepEqual(
    claimed.map(({ delivery }) => delivery.id),
    [0, 1, 2, 3, 4].map((number) => `event-${number}/desktop`),
  );
  assert.equal(updates, 1);
});

test('claim() hands out the first delivery of each session before the second of any', async () => {
  await using opened = await temporaryStore();
  const records = [0, 0, 0, 1, 1, 1].map((session, number) =>
    sampleRecord({ id: `event-${number}`, sessionKey: `claude:s${session}` }),
  );
  await opened.store.events.accept(records, tell('desktop'));

  const claimed = await claim(opened.store, { limit: 3, perSession: 3 });

  assert.deepEqual(
    claimed.map(({ delivery }) => delivery.id),
    [0, 1, 3].map((number) => `event-${number}/desktop`),
  );
});
