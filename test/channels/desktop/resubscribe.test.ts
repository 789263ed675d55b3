import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { test } from 'node:test';

import type { Channel } from '../../../src/core/channel.ts';
import type { Notification } from '../../../src/core/notification.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { until } from '../../support/hookbell-home.ts';
import { sampleNotification } from '../../support/sample.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { ClickStage } from './click-stage.ts';
import { clickOptions as options, openClickStage } from './click-stage.ts';

const url = 'http://127.0.0.1:7447/reply/token';
const inline = ['actions', 'body', 'inline-reply'];
const question = sampleNotification({ replyLink: { url, machine: 'devbox', forMs: 43_200_000 } });

async function sendBy(channel: Channel, notification: Notification): Promise<string> {
  const context = { signal: new AbortController().signal, carry: null, attempt: 1 };
  const outcome = await channel.send(notification, context);
  assert.equal(outcome.type, 'delivered');
  assert.ok(outcome.ref);
  return outcome.ref;
}

/** A channel that resubscribes to a pop-up shown by another channel, now closed; `refOf` may change the reference. */
async function heirOf(
  stage: ClickStage,
  refOf: (ref: string) => string = (ref) => ref,
): Promise<Channel> {
  const ref = await sendBy(stage.channel, question);
  await stage.channel.close();
  const heir = await stage.another();
  await heir.resubscribe?.(refOf(ref), question);
  return heir;
}

test(
  'desktop over D-Bus: what is typed into a pop-up of a channel that is gone is reported once by the next one',
  options,
  async () => {
    await using stage = await openClickStage({ capabilities: inline });
    const heir = await heirOf(stage);

    await until(() => {
      stage.server.reply(1, 'Yes');
      return stage.reactions.length > 0;
    });
    stage.server.reply(1, 'Yes');
    await sendBy(heir, { ...question, groupKey: 'claude:s2', deliveryId: 'later' });
    await until(() => {
      stage.server.reply(2, 'later');
      return stage.reactions.length > 1;
    });

    const { deliveryId } = question;
    assert.deepEqual(stage.reactions, [
      { deliveryId, type: 'replied', url, text: 'Yes' },
      { deliveryId: 'later', type: 'replied', url, text: 'later' },
    ]);
  },
);

for (const [action, type] of [
  ['default', 'acknowledged'],
  ['reply', 'reply-requested'],
] as const) {
  test(
    `desktop over D-Bus: the action "${action}" of such a pop-up is reported by the next channel`,
    options,
    async () => {
      await using stage = await openClickStage({ opener: true });
      await heirOf(stage);

      await until(() => {
        stage.server.click(1, action);
        return stage.reactions.length > 0;
      });

      assert.deepEqual(
        stage.reactions.map((reaction) => reaction.type),
        [type],
      );
    },
  );
}

test(
  'desktop over D-Bus: the next message of the session replaces such a pop-up, and its reactions are received instead',
  options,
  async () => {
    await using stage = await openClickStage({ capabilities: inline });
    const heir = await heirOf(stage);

    await sendBy(heir, { ...question, deliveryId: 'newer' });
    await until(() => {
      stage.server.reply(1, 'Yes');
      return stage.reactions.length > 0;
    });

    assert.equal(stage.server.calls[1]?.replacesId, 1);
    assert.deepEqual(
      stage.reactions.map((reaction) => reaction.deliveryId),
      ['newer'],
    );
  },
);

test(
  'desktop over D-Bus: signals for an id of another server are ignored, because here it may belong to another program (T12)',
  options,
  async () => {
    await using stage = await openClickStage({ capabilities: inline });
    const heir = await heirOf(stage, (ref) => ref.replace(/:1\.\d+/, ':1.999'));
    await sendBy(heir, { ...question, groupKey: 'claude:s2', deliveryId: 'later' });

    await until(() => {
      stage.server.reply(1, 'to my mother');
      stage.server.reply(2, 'Yes');
      return stage.reactions.length > 0;
    });

    assert.deepEqual(
      stage.reactions.map((reaction) => reaction.deliveryId),
      ['later'],
    );
  },
);

test(
  'desktop over D-Bus: what another server showed went with it, and is not withdrawn from the one that is there now (T12)',
  options,
  async () => {
    await using stage = await openClickStage();
    const ref = await sendBy(stage.channel, question);
    const context = { signal: new AbortController().signal, carry: null, attempt: 1 };

    const former = ref.replace(/:1\.\d+/, ':1.999');
    assert.notEqual(former, ref);
    assert.equal((await stage.channel.withdraw?.(former, context))?.type, 'delivered');
    assert.deepEqual([...stage.server.standing], [1]);
    assert.equal((await stage.channel.withdraw?.(ref, context))?.type, 'delivered');
    assert.deepEqual([...stage.server.standing], []);
  },
);

test(
  'desktop over D-Bus: a connection that the bus has cut off is opened again, and reactions to open pop-ups are received',
  options,
  async () => {
    await using stage = await openClickStage({ capabilities: inline });
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'bus');
    const sockets = new Set<Socket>();
    const between = createServer((socket) => {
      const bus = connect(join(stage.server.bus.directory, 'bus'));
      pipeline(socket, bus, socket, () => sockets.delete(socket));
      sockets.add(socket);
    }).listen(path);
    await once(between, 'listening');
    const channel = await stage.another(`unix:path=${path}`);
    await sendBy(channel, question);

    for (const socket of sockets) socket.destroy();
    await until(() => {
      stage.server.reply(1, 'Yes');
      return stage.reactions.length > 0;
    });
    const { type } =
      (await channel.withdraw?.(await sendBy(channel, question), sendContext())) ?? {};
    await channel.close();
    between.close();

    assert.deepEqual(stage.reactions, [
      { deliveryId: question.deliveryId, type: 'replied', url, text: 'Yes' },
    ]);
    assert.equal(type, 'delivered');
    assert.equal(stage.server.calls[1]?.replacesId, 1);
  },
);
