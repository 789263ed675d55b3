import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendContext } from '../../support/channel-dependencies.ts';
import { until } from '../../support/hookbell-home.ts';
import { isAlive } from '../../support/is-alive.ts';
import { reactionTo, sampleNotification } from '../../support/sample.ts';
import { send } from '../conformance.ts';
import { clickOptions as options, openClickStage } from './click-stage.ts';
import { refOf } from './ref-of.ts';

test(
  'desktop by notify-send: a click on the pop-up acknowledges its delivery',
  options,
  async () => {
    await using stage = await openClickStage();
    const notification = sampleNotification();

    const outcome = await send(stage, notification);
    const reacted = stage.reacted();
    stage.server.click(1);
    await reacted;

    assert.match(
      refOf(outcome),
      /^\{"rung":"notify-send","id":"1","server":"[0-9a-f]{32} :1\.\d+"\}$/,
    );
    assert.deepEqual(stage.server.calls[0]?.actions, ['default', 'Seen']);
    assert.deepEqual(stage.reactions, [reactionTo(notification)]);
  },
);

test(
  'desktop by notify-send: to close the pop-up without a click acknowledges nothing, and ends its program',
  options,
  async () => {
    await using stage = await openClickStage();
    await send(stage, sampleNotification());
    const [program] = stage.shownBy();

    const livedOn = isAlive(program ?? 0);
    stage.server.dismiss(1);
    await until(() => !isAlive(program ?? 0));

    assert.equal(livedOn, true);
    assert.deepEqual(stage.reactions, []);
  },
);

test(
  'desktop by notify-send: a newer pop-up of the session is the one whose click counts, once',
  options,
  async () => {
    await using stage = await openClickStage();
    const newer = sampleNotification({ title: 'newer' });
    await send(stage, sampleNotification({ title: 'older' }));
    await send(stage, newer);
    const [olderProgram] = stage.shownBy();
    await until(() => !isAlive(olderProgram ?? 0));

    const reacted = stage.reacted();
    stage.server.click(1);
    await reacted;
    await stage.channel.close();

    assert.equal(stage.server.calls[1]?.replacesId, 1);
    assert.deepEqual(
      stage.reactions.map(({ deliveryId }) => deliveryId),
      [newer.deliveryId],
    );
  },
);

test(
  'desktop by notify-send: what is withdrawn is listened to no more, and close ends the rest',
  options,
  async () => {
    await using stage = await openClickStage();
    const outcome = await send(stage, sampleNotification({ groupKey: 'claude:s1' }));
    await send(stage, sampleNotification({ groupKey: 'claude:s2' }));
    const [withdrawn = 0, standing = 0] = stage.shownBy();

    await stage.channel.withdraw?.(refOf(outcome), sendContext());
    await until(() => !isAlive(withdrawn));
    const livedOn = isAlive(standing);
    await stage.channel.close();

    assert.equal(livedOn, true);
    assert.equal(isAlive(standing), false);
    assert.deepEqual([...stage.server.standing], [2], 'it can still be read');
    assert.deepEqual(stage.reactions, []);
  },
);

test('desktop by notify-send: at most 16 pop-ups are listened to', options, async () => {
  await using stage = await openClickStage();

  for (let count = 0; count < 18; count += 1) {
    await send(stage, sampleNotification({ groupKey: `claude:s${count}` }));
  }
  const programs = stage.shownBy();
  await until(() => programs.filter(isAlive).length <= 16);

  assert.deepEqual(programs.filter(isAlive), programs.slice(2));
  assert.equal(stage.server.standing.size, 18);
});

test(
  'desktop by notify-send: a server that hangs is left at the deadline of the delivery although a click is awaited',
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
      reason: 'Cannot show a pop-up: was stopped (notify-send); stopped',
      possibleDuplicate: true,
    });
    await until(() => stage.shownBy().every((program) => !isAlive(program)));
  },
);

for (const [name, setting] of [
  ['a server without actions', { capabilities: ['body'] }],
  ['a machine without setpriv', { lent: ['busctl', 'stdbuf'] }],
  ['a machine without stdbuf', { lent: ['busctl', 'setpriv'] }],
  ['a machine where nobody can ask the server', { lent: ['setpriv', 'stdbuf'] }],
] as const) {
  test(`desktop by notify-send: ${name} gets its pop-ups without a click`, options, async () => {
    await using stage = await openClickStage(setting);

    const outcome = await send(stage, sampleNotification());
    const { summary } = await stage.channel.check(AbortSignal.timeout(10_000));

    assert.equal(outcome.type, 'delivered');
    assert.deepEqual(stage.server.calls[0]?.actions, []);
    assert.match(summary, /a click does not acknowledge/);
    assert.equal(stage.channel.abilities.react, false);
    assert.deepEqual(stage.shownBy().filter(isAlive), []);
  });
}
