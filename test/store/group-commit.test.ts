import assert from 'node:assert/strict';
import test from 'node:test';

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
    store.accept([sampleRecord({ id: String(index) })], tell('desktop')),
  );
  const dropped = store.dropDeliveries('all', 'Dropped');
  await Promise.all([...accepted, dropped]);

  assert.equal(commits, 1);
  assert.equal(await dropped, 20);
  const entries = await store.history({ limit: 100 });
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

  const accepting = opened.store.accept([sampleRecord()], decideNothing);
  void accepting.then(() => order.push('answer'));
  await accepting;

  assert.deepEqual(order, ['commit', 'answer']);
});
