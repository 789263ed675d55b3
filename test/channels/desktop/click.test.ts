import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendContext } from '../../support/channel-dependencies.ts';
import { until } from '../../support/hookbell-home.ts';
import { reactionTo, sampleNotification } from '../../support/sample.ts';
import { send } from '../conformance.ts';
import { clickOptions as options, openClickStage } from './click-stage.ts';
import { refOf } from './ref-of.ts';

test('desktop over D-Bus: a click on the pop-up acknowledges its delivery', options, async () => {
  await using stage = await openClickStage();
  const notification = sampleNotification();

  const outcome = await send(stage, notification);
  const reacted = stage.reacted();
  stage.server.click(1);
  await reacted;

  assert.match(refOf(outcome), /^\{"backend":"dbus","id":"1","server":"[0-9a-f]{32} :1\.\d+"\}$/);
  assert.deepEqual(stage.server.calls[0]?.actions, ['default', 'Open terminal']);
  assert.deepEqual(stage.reactions, [reactionTo(notification)]);
});

test(
  'desktop over D-Bus: to close the pop-up without a click acknowledges nothing',
  options,
  async () => {
    await using stage = await openClickStage();
    const other = sampleNotification({ groupKey: 'claude:s2', deliveryId: 'other' });
    await send(stage, sampleNotification({ groupKey: 'claude:s1' }));
    await send(stage, other);

    stage.server.dismiss(1);
    const reacted = stage.reacted();
    stage.server.click(2);
    await reacted;

    assert.deepEqual(stage.reactions, [reactionTo(other)]);
  },
);

test(
  'desktop over D-Bus: a newer pop-up of the session is the one whose click counts, once',
  options,
  async () => {
    await using stage = await openClickStage();
    const newer = sampleNotification({ title: 'newer' });
    const other = sampleNotification({ groupKey: 'claude:s2', deliveryId: 'other' });
    await send(stage, sampleNotification({ title: 'older' }));
    await send(stage, newer);
    await send(stage, other);

    stage.server.click(1);
    stage.server.click(1);
    stage.server.click(3);
    await until(() => stage.reactions.length > 1);

    assert.equal(stage.server.calls[1]?.replacesId, 1);
    assert.deepEqual(
      stage.reactions.map(({ deliveryId }) => deliveryId),
      [newer.deliveryId, other.deliveryId],
    );
  },
);

test(
  'desktop over D-Bus: a session whose pop-up was closed gets a new one, not a change of that',
  options,
  async () => {
    await using stage = await openClickStage();
    await send(stage, sampleNotification({ title: 'closed' }));
    const other = sampleNotification({ groupKey: 'claude:s2' });
    await send(stage, other);

    stage.server.dismiss(1);
    const reacted = stage.reacted();
    stage.server.click(2);
    await reacted;
    await send(stage, sampleNotification({ title: 'new' }));

    assert.equal(stage.server.calls[2]?.replacesId, 0);
  },
);

test(
  'desktop over D-Bus: what is withdrawn or closed with the channel is listened to no more',
  options,
  async () => {
    await using stage = await openClickStage();
    const outcome = await send(stage, sampleNotification({ groupKey: 'claude:s1' }));
    await send(stage, sampleNotification({ groupKey: 'claude:s2' }));

    await stage.channel.withdraw?.(refOf(outcome), sendContext());
    stage.server.click(1);
    await stage.channel.close();
    stage.server.click(2);
    const heir = await stage.another();
    await send({ channel: heir }, sampleNotification({ deliveryId: 'later' }));
    const reacted = stage.reacted();
    stage.server.click(3);
    await reacted;

    assert.deepEqual(
      stage.reactions.map(({ deliveryId }) => deliveryId),
      ['later'],
    );
  },
);

test(
  'desktop over D-Bus: a server that hangs is left at the deadline of the delivery (fault 38)',
  options,
  async () => {
    await using stage = await openClickStage();
    await stage.channel.check(AbortSignal.timeout(10_000));
    const { reached } = stage.server.hang();
    const deadline = new AbortController();

    const outcome = send(stage, sampleNotification(), deadline.signal);
    await reached;
    deadline.abort();

    assert.deepEqual(await outcome, {
      type: 'retry',
      reason: 'Cannot show a pop-up: the notification server was stopped (dbus); stopped',
      possibleDuplicate: true,
    });
  },
);

test(
  'desktop over D-Bus: a server without actions gets pop-ups without a click',
  options,
  async () => {
    await using stage = await openClickStage({ capabilities: ['body'] });

    const outcome = await send(stage, sampleNotification());
    const { summary } = await stage.channel.check(AbortSignal.timeout(10_000));

    assert.equal(outcome.type, 'delivered');
    assert.deepEqual(stage.server.calls[0]?.actions, []);
    assert.match(summary, /a click does not acknowledge/);
    assert.ok(stage.channel.lacks?.includes('acknowledge'));
    assert.ok(stage.channel.lacks?.includes('decide'));
  },
);
