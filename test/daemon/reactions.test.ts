import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Log } from '../../src/core/log.ts';
import { silentLog } from '../../src/core/log.ts';
import { reactionHandler } from '../../src/daemon/reactions.ts';

test('reactionHandler() acknowledges what the clicked delivery tells of, by the channel it was clicked on', () => {
  const asked: unknown[] = [];
  const handle = reactionHandler({
    store: {
      acknowledge(query) {
        asked.push(query);
        return Promise.resolve([]);
      },
    },
    machineChannels: () => ['log'],
    now: () => 7,
    log: silentLog,
  });

  handle('desktop', { deliveryId: 'd1', type: 'acknowledged' });

  const by = 'a click on channel "desktop"';
  assert.deepEqual(asked, [{ of: { deliveryId: 'd1' }, by, now: 7, exceptChannels: ['log'] }]);
});

test('reactionHandler() survives a store that cannot write, and says so', async () => {
  const warned = new Promise<string>((resolve) => {
    const log: Log = { ...silentLog, warn: (_fields, message) => resolve(message) };
    reactionHandler({
      store: { acknowledge: () => Promise.reject(new Error('The disk is full')) },
      machineChannels: () => [],
      now: () => 7,
      log,
    })('desktop', { deliveryId: 'd1', type: 'acknowledged' });
  });

  assert.equal(await warned, 'Cannot acknowledge by a click');
});
