import assert from 'node:assert/strict';
import { test } from 'node:test';

import { NOW, sampleRecord, tell, temporaryStore } from '../support/store.ts';

test('tally() counts what came in within the time, and nothing before or after', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  for (const receivedAt of [NOW - 1, NOW, NOW + 9, NOW + 10]) {
    await store.accept([sampleRecord({ receivedAt })], tell('desktop'));
  }

  const { events } = await store.tally({ from: NOW, to: NOW + 10 });

  assert.equal(events, 2);
});
