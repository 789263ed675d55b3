import assert from 'node:assert/strict';
import { test } from 'node:test';
import inbox from '../../src/channels/inbox.ts';
import { channelDependencies, sendContext } from '../support/channel-dependencies.ts';
import { sampleNotification } from '../support/sample.ts';

test('inbox: takes every notification at once, without any option', async () => {
  const channel = await inbox.create(inbox.options.parse({}), channelDependencies());

  const outcome = await channel.send(sampleNotification(), sendContext());

  assert.deepEqual(outcome, { type: 'delivered' });
  assert.equal((await channel.check(sendContext().signal)).ok, true);
});

test('inbox: refuses options it does not know', () => {
  assert.equal(inbox.options.safeParse({ size: 3 }).success, false);
});
