import assert from 'node:assert/strict';
import test from 'node:test';

import type { ChannelState } from '../../src/core/delivery.ts';
import { storeAt, temporaryStore } from '../support/store.ts';

test('saveChannelState() keeps the last state of each channel over a restart', async () => {
  await using opened = await temporaryStore();
  const fresh: ChannelState = {
    channel: 'team',
    notBefore: 0,
    circuit: 'closed',
    openUntil: null,
    failures: 0,
    lastOutcome: null,
    lastReason: null,
    lastAt: null,
    missingMs: 0,
  };
  const tried: ChannelState = {
    channel: 'team',
    notBefore: 7000,
    circuit: 'half-open',
    openUntil: 9000,
    failures: 5,
    lastOutcome: 'retry',
    lastReason: 'Rate limited',
    lastAt: 6000,
    missingMs: 120_000,
  };
  await opened.store.outbox.saveChannelState(fresh);
  await opened.store.outbox.saveChannelState({ ...fresh, channel: 'desktop' });
  await opened.store.outbox.saveChannelState(tried);
  await opened.store.close();

  await using again = await storeAt(opened.path);

  assert.deepEqual(await again.store.outbox.channelStates(), [
    { ...fresh, channel: 'desktop' },
    tried,
  ]);
});
