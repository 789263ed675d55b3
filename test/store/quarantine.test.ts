import assert from 'node:assert/strict';
import test from 'node:test';

import { temporaryStore } from '../support/store.ts';

test('quarantined() shows the latest entries first, and an envelope once', async () => {
  await using opened = await temporaryStore();
  const old = { id: 'old', at: 1, reason: 'empty', detail: 'No bytes', bytes: 0 };
  const late = { id: 'late', at: 2, reason: 'truncated', detail: 'Ends in a string', bytes: 17 };
  for (const entry of [late, old, { ...old, detail: 'Read twice' }]) {
    await opened.store.quarantine.add(entry);
  }

  assert.deepEqual(await opened.store.quarantine.list(10), [
    late,
    { ...old, detail: 'Read twice' },
  ]);
  assert.deepEqual(await opened.store.quarantine.list(1), [late]);
});
