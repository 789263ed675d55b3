import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Reaction } from '../../src/core/channel.ts';
import type { Log } from '../../src/platform/log.ts';
import { silentLog } from '../../src/platform/log.ts';
import { reactionHandler } from '../../src/reply/reactions.ts';

const seen: Reaction = { deliveryId: 'd1', type: 'acknowledged', opens: null };
const noReplies = {
  open: () => Promise.reject(new Error()),
  send: () => Promise.reject(new Error()),
  decide: () => Promise.reject(new Error()),
};
const noWake = (): void => undefined;
const nowhere = (): Promise<void> => assert.fail('It was to stay where it is');

test('reactionHandler() acknowledges what the clicked delivery tells of, by the channel it was clicked on', () => {
  const asked: unknown[] = [];
  const handle = reactionHandler({
    alerts: {
      acknowledge(query) {
        asked.push(query);
        return Promise.resolve([]);
      },
    },
    programChannels: () => ['log'],
    bringForward: nowhere,
    replies: noReplies,
    wake: noWake,
    now: () => 7,
    log: silentLog,
  });

  handle('desktop', seen);

  const by = 'a click on channel "desktop"';
  assert.deepEqual(asked, [{ of: { deliveryId: 'd1' }, by, now: 7, exceptChannels: ['log'] }]);
});

test('reactionHandler() survives a store that cannot write, and says so', async () => {
  const warned = new Promise<string>((resolve) => {
    const log: Log = { ...silentLog, warn: (_fields, message) => resolve(message) };
    reactionHandler({
      alerts: { acknowledge: () => Promise.reject(new Error('The disk is full')) },
      programChannels: () => [],
      bringForward: nowhere,
      replies: noReplies,
      wake: noWake,
      now: () => 7,
      log,
    })('desktop', seen);
  });

  assert.equal(await warned, 'Cannot acknowledge by a reaction');
});

test('reactionHandler() brings the clicked session forward, even if the store cannot write', async () => {
  const opens = { agent: 'droid', facts: { windowid: '77' }, at: 5 } as const;

  const brought = await new Promise((resolve) => {
    reactionHandler({
      alerts: { acknowledge: () => Promise.reject(new Error('The disk is full')) },
      programChannels: () => [],
      bringForward: async (whereabouts) => resolve(whereabouts),
      replies: noReplies,
      wake: noWake,
      now: () => 7,
      log: silentLog,
    })('desktop', { ...seen, opens });
  });

  assert.deepEqual(brought, opens);
});
