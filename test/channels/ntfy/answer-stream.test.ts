import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Reaction } from '../../../src/core/channel.ts';
import { ntfyPrograms, startNtfy } from '../../support/ntfy-server.ts';
import { sampleNotification } from '../../support/sample.ts';
import { needs } from '../../support/system-part.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { createNtfy } from './ntfy-stage.ts';

test(
  'a press that was taken is not taken again after a restart, and one made meanwhile is taken once',
  { skip: needs(ntfyPrograms['2.27']), timeout: 60_000 },
  async () => {
    await using server = await startNtfy('2.27');
    await using state = await temporaryDirectory();
    await using phone = await server.phone();
    const reactions: string[] = [];
    const start = () =>
      createNtfy(
        {
          server: server.url,
          topic: 'agents',
          token: server.token,
          answer_topic: 'answers',
          answer_token: server.answerToken,
        },
        {
          stateDir: state.path,
          now: Date.now,
          onReaction: ({ deliveryId, type }: Reaction) =>
            void reactions.push(`${type} ${deliveryId}`),
        },
      );
    const first = await start();
    for (const deliveryId of ['d1', 'd2', 'd3']) {
      const notification = sampleNotification({ deliveryId, groupKey: deliveryId });
      assert.equal((await first.send(notification, sendContext())).type, 'delivered');
    }
    await until(() => phone.received.length === 3);
    const [one, two, three] = phone.received;
    assert.ok(one && two && three);
    await phone.press('Snooze 30 min', one);
    await until(() => reactions.length === 1);
    await first.close();
    await phone.press('Seen', two);

    const second = await start();
    await phone.press('Seen', three);
    await until(() => reactions.some((reaction) => reaction.endsWith('d3')));
    await second.close();

    assert.deepEqual(reactions, ['snoozed d1', 'acknowledged d2', 'acknowledged d3']);
  },
);
