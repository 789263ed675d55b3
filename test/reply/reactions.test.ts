import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Reaction } from '../../src/core/channel.ts';
import type { Log } from '../../src/platform/log.ts';
import { silentLog } from '../../src/platform/log.ts';
import { reactionHandler } from '../../src/reply/reactions.ts';
import { sampleEvent } from '../support/sample.ts';
import { sampleAlert } from '../support/store.ts';

const seen: Reaction = { deliveryId: 'd1', type: 'acknowledged', opens: null };
const noReplies = {
  open: () => Promise.reject(new Error()),
  send: () => Promise.reject(new Error()),
  decide: () => Promise.reject(new Error()),
};
const noWake = (): void => undefined;
const noHub = (): void => undefined;
const neverSnoozed = (): Promise<never> => assert.fail('It was not to be snoozed');
const neverMuted = { add: (): Promise<never> => assert.fail('It was not to be muted') };
const newId = (): string => 'n1';
const nowhere = (): Promise<void> => assert.fail('It was to stay where it is');

test('reactionHandler() acknowledges the alert of the clicked delivery, by the channel it was clicked on and the account', () => {
  const asked: unknown[] = [];
  const handle = reactionHandler({
    alerts: {
      acknowledge(query) {
        asked.push(query);
        return Promise.resolve([]);
      },
      snooze: neverSnoozed,
    },
    mutes: neverMuted,
    programChannels: () => ['log'],
    bringForward: nowhere,
    replies: noReplies,
    onSeen: noHub,
    wake: noWake,
    now: () => 7,
    newId,
    log: silentLog,
  });

  handle('desktop', seen);
  handle('team', { ...seen, by: 'Slack member T0:U0' });

  const common = { of: { deliveryId: 'd1' }, now: 7, exceptChannels: ['log'] };
  assert.deepEqual(asked, [
    { ...common, by: 'a click on channel "desktop"' },
    { ...common, by: 'a click of Slack member T0:U0 on channel "team"' },
  ]);
});

test('reactionHandler() survives a store that cannot write, and says so', async () => {
  const warned = new Promise<string>((resolve) => {
    const log: Log = { ...silentLog, warn: (_fields, message) => resolve(message) };
    reactionHandler({
      alerts: {
        acknowledge: () => Promise.reject(new Error('The disk is full')),
        snooze: neverSnoozed,
      },
      mutes: neverMuted,
      programChannels: () => [],
      bringForward: nowhere,
      replies: noReplies,
      onSeen: noHub,
      wake: noWake,
      now: () => 7,
      newId,
      log,
    })('desktop', seen);
  });

  assert.equal(await warned, 'Cannot acknowledge by a reaction');
});

test('reactionHandler() brings the clicked session forward, even if the store cannot write', async () => {
  const opens = { agent: 'droid', facts: { windowid: '77' }, at: 5 } as const;

  const brought = await new Promise((resolve) => {
    reactionHandler({
      alerts: {
        acknowledge: () => Promise.reject(new Error('The disk is full')),
        snooze: neverSnoozed,
      },
      mutes: neverMuted,
      programChannels: () => [],
      bringForward: async (whereabouts) => resolve(whereabouts),
      replies: noReplies,
      onSeen: noHub,
      wake: noWake,
      now: () => 7,
      newId,
      log: silentLog,
    })('desktop', { ...seen, opens });
  });

  assert.deepEqual(brought, opens);
});

test('reactionHandler() snoozes the alert of a delivery on which a person chose that', async () => {
  const snoozed = await new Promise((resolve) => {
    reactionHandler({
      alerts: {
        acknowledge: () => Promise.resolve([sampleAlert(sampleEvent({ sessionKey: 'droid/s1' }))]),
        snooze(query) {
          resolve(query);
          return Promise.resolve([]);
        },
      },
      mutes: neverMuted,
      programChannels: () => ['log'],
      bringForward: nowhere,
      replies: noReplies,
      onSeen: () => assert.fail('Its alert is to notify again'),
      wake: noWake,
      now: () => 7,
      newId,
      log: silentLog,
    })('phone', { deliveryId: 'd1', type: 'snoozed', forMs: 60_000 });
  });

  assert.deepEqual(snoozed, {
    sessionKey: 'droid/s1',
    until: 60_007,
    now: 7,
    exceptChannels: ['inbox', 'log'],
    newId,
  });
});

test('reactionHandler() reports the sessions whose alerts a click has acknowledged', async () => {
  const reported = await new Promise((resolve) => {
    reactionHandler({
      alerts: {
        acknowledge: () => Promise.resolve([sampleAlert(sampleEvent({ sessionKey: 'droid/s1' }))]),
        snooze: neverSnoozed,
      },
      mutes: neverMuted,
      programChannels: () => [],
      bringForward: nowhere,
      replies: noReplies,
      onSeen: resolve,
      wake: noWake,
      now: () => 7,
      newId,
      log: silentLog,
    })('desktop', seen);
  });

  assert.deepEqual(reported, ['droid/s1']);
});

test('reactionHandler() mutes the session of a notification, and leaves its alert open', async () => {
  const added: unknown[] = [];
  const woken = new Promise<void>((wake) => {
    const handle = reactionHandler({
      alerts: { acknowledge: () => assert.fail('It was to stay open'), snooze: neverSnoozed },
      mutes: {
        async add(mute, exceptChannels) {
          added.push([mute, exceptChannels]);
        },
      },
      programChannels: () => ['log'],
      bringForward: nowhere,
      replies: noReplies,
      onSeen: noHub,
      wake,
      now: () => 7,
      newId,
      log: silentLog,
    });
    handle('team', { deliveryId: 'd1', type: 'muted', groupKey: 'claude:s1', forMs: 60_000 });
  });
  await woken;

  const mute = { id: 'n1', sessionKey: 'claude:s1', createdAt: 7, until: 60_007 };
  const everything = { project: null, agent: null, channel: null, kind: null };
  assert.deepEqual(added, [[{ ...mute, ...everything }, ['log']]]);
});
