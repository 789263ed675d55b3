import assert from 'node:assert/strict';
import { test } from 'node:test';
import inbox from '../../src/channels/inbox.ts';
import { channelDependencies, sendContext } from '../support/channel-dependencies.ts';
import { sampleNotification } from '../support/sample.ts';
import type { Arrival } from './conformance.ts';
import { channelConformance } from './conformance.ts';

channelConformance(inbox, async () => {
  const channel = await inbox.create({}, channelDependencies());
  const taken: Arrival[] = [];
  return {
    // Where it arrives is the store; here the test takes its place.
    channel: {
      ...channel,
      send: async (notification, context) => {
        const outcome = await channel.send(notification, context);
        const { title, body } = notification;
        if (outcome.type === 'delivered') taken.push({ shown: `${title}\n${body}`, shape: '' });
        return outcome;
      },
    },
    arrivals: () => Promise.resolve(taken.splice(0)),
    [Symbol.asyncDispose]: () => channel.close(),
  };
});

test('inbox: takes every notification immediately, without any option', async () => {
  const channel = await inbox.create(inbox.options.parse({}), channelDependencies());

  const outcome = await channel.send(sampleNotification(), sendContext());

  assert.deepEqual(outcome, { type: 'delivered' });
  assert.equal((await channel.check(sendContext().signal)).ok, true);
});

test('inbox: refuses options it does not know', () => {
  assert.equal(inbox.options.safeParse({ size: 3 }).success, false);
});
