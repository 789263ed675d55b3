import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { LookedUp } from '../../src/core/looked-up.ts';
import { nothingLookedUp } from '../../src/core/looked-up.ts';
import { claim } from '../support/claims.ts';
import {
  NOW,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  sampleSession,
  changeByHand,
  storeAt,
  temporaryStore,
} from '../support/store.ts';

const found: LookedUp = {
  ...nothingLookedUp,
  askedAt: NOW,
  title: 'Fix the till',
  computer: 'devbox',
  activeMs: 720_000,
  credits: { amount: 12.5, source: 'tokenUsage' },
  stops: [{ eventId: 'e', at: NOW, credits: { amount: 10, source: 'tokenUsage' } }],
};

describe('noteLookedUp()', () => {
  test('keeps what was found out with the session, over its events and a restart', async () => {
    await using temporary = await temporaryStore();
    const { store, path } = temporary;
    await store.events.accept([sampleRecord()], () => sampleEffects({ session: sampleSession() }));

    await store.sessions.noteLookedUp('claude:s1', (before) => {
      assert.equal(before, null);
      return found;
    });
    await store.events.accept([sampleRecord()], ({ session }) => {
      assert.deepEqual(session?.lookedUp, found);
      return sampleEffects({ session });
    });
    await store.close();

    await using again = await storeAt(path);
    const [session] = await again.store.sessions.list({ limit: 1 });
    assert.deepEqual(session?.lookedUp, found);
  });

  test('makes nothing of a session that is not known', async () => {
    await using temporary = await temporaryStore();

    await temporary.store.sessions.noteLookedUp('nobody', () => found);

    assert.deepEqual(await temporary.store.sessions.list({ limit: 1 }), []);
  });

  test('what another version kept in another shape counts as not found out', async () => {
    await using temporary = await temporaryStore();
    const { store, path } = temporary;
    await store.events.accept([sampleRecord()], () => sampleEffects({ session: sampleSession() }));
    await store.close();
    for (const kept of ['{"askedAt":"yesterday"}', 'no JSON']) {
      await changeByHand(path, `UPDATE sessions SET looked_up = '${kept}'`);

      await using again = await storeAt(path);
      assert.equal((await again.store.sessions.list({ limit: 1 }))[0]?.lookedUp, null);
    }
  });
});

test('releaseDue() releases a delivery as one of a session that still runs', async () => {
  await using temporary = await temporaryStore();
  const { store } = temporary;
  await store.events.accept([sampleRecord()], () =>
    sampleEffects({ deliveries: [sampleDelivery({ heldFor: 'running' })] }),
  );

  await store.held.releaseDue(NOW, ({ due }) =>
    due.map(() => ({ type: 'release', quietly: false, stillRunning: true, decision: null })),
  );

  const [claimed] = await claim(store);
  assert.equal(claimed?.delivery.stillRunning, true);
});
