import assert from 'node:assert/strict';
import test from 'node:test';

import type { Decide } from '../../src/core/store.ts';
import { watchedDriver } from '../support/driver.ts';
import { decideNothing, sampleRecord, tell, temporaryStore } from '../support/store.ts';

test('all writes of one turn of the event loop share one commit, in their order (P91)', async () => {
  let commits = 0;
  const openDriver = await watchedDriver({
    onRun(sql) {
      if (sql === 'COMMIT') commits += 1;
    },
  });
  await using opened = await temporaryStore({ openDriver });
  const { store } = opened;

  const accepted = Array.from({ length: 20 }, (_, index) =>
    store.events.accept([sampleRecord({ id: String(index) })], tell('desktop')),
  );
  const dropped = store.queue.drop('all', 'Dropped');
  await Promise.all([...accepted, dropped]);

  assert.equal(commits, 1);
  assert.equal(await dropped, 20);
  const entries = await store.history.list({ limit: 100 });
  assert.deepEqual(
    entries.map(({ event }) => event.id).toReversed(),
    accepted.map((_, index) => String(index)),
  );
});

test('a write is not answered before its commit', async () => {
  const order: string[] = [];
  const openDriver = await watchedDriver({
    onRun(sql) {
      if (sql === 'COMMIT') order.push('commit');
    },
  });
  await using opened = await temporaryStore({ openDriver });

  const accepting = opened.store.events.accept([sampleRecord()], decideNothing);
  void accepting.then(() => order.push('answer'));
  await accepting;

  assert.deepEqual(order, ['commit', 'answer']);
});

test('writes that share a commit use savepoints only when one of them throws', async () => {
  let savepoints = 0;
  const openDriver = await watchedDriver({
    onRun(sql) {
      if (sql.startsWith('SAVEPOINT')) savepoints += 1;
    },
  });
  await using opened = await temporaryStore({ openDriver });
  const { store } = opened;
  const writeTogether = (decides: readonly Decide[], from: number): Promise<unknown> =>
    Promise.allSettled(
      decides.map((decide, index) =>
        store.events.accept([sampleRecord({ id: `event-${from + index}` })], decide),
      ),
    );

  await writeTogether([tell('desktop'), tell('desktop')], 0);
  const withoutFailure = savepoints;
  await writeTogether(
    [
      tell('desktop'),
      () => {
        throw new Error('A bug');
      },
      tell('desktop'),
    ],
    2,
  );

  assert.equal(withoutFailure, 0);
  assert.equal(savepoints, 3);
  const entries = await store.history.list({ limit: 10 });
  const ids = entries.map(({ event }) => event.id).toReversed();
  assert.deepEqual(ids, ['event-0', 'event-1', 'event-2', 'event-4']);
});
