import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import type { Channel } from '../../../src/core/channel.ts';
import type { Notification } from '../../../src/core/notification.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import type { SlackPost } from '../../support/slack-post.ts';
import { randomTexts } from '../../support/random-texts.ts';
import { chooseSeed } from '../../support/seeded-random.ts';
import { type AppStage, decidable, last, openApp, permission, refOf } from './app-stage.ts';

/** Sends until it is delivered, as the delivery worker does; a new daemon takes over where `restarts` says so. */
async function deliver(
  stage: AppStage,
  notification: Notification,
  { channel, restarts }: { readonly channel: Channel; readonly restarts: () => boolean },
): Promise<Channel> {
  let current = channel;
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    const signal = AbortSignal.timeout(250);
    const outcome = await current.send(
      { ...notification, possibleDuplicate: attempt > 1 },
      { ...sendContext({ signal }), attempt },
    );
    if (outcome.type === 'delivered') return current;
    assert.equal(outcome.type, 'retry', JSON.stringify(outcome));
    stage.passTime(outcome.type === 'retry' ? (outcome.afterMs ?? 0) : 0);
    if (restarts()) current = await stage.again();
  }
  return assert.fail('It was never delivered');
}

const idOf = ({ metadata }: SlackPost): string => String(metadata?.event_payload['id']);

test(
  'whatever Slack and its connections do, each notification is one post and each press one decision',
  { timeout: 120_000 },
  async (t) => {
    const seed = chooseSeed();
    t.diagnostic(`HOOKBELL_SEED=${seed}`);
    const random = randomTexts(seed);
    await using stage = await openApp();
    const { slack, reactions } = stage;
    let { channel } = stage;
    const faults = ['lost', 'slow', 'internal_error', 'ratelimited', 429, 500] as const;
    const sent: Notification[] = [];

    for (let round = 0; round < 20; round += 1) {
      for (let fault = random.below(3); fault > 0; fault -= 1) {
        slack.refuse(
          random.pick(['chat.postMessage', 'chat.postMessage', 'conversations.history']),
          random.pick<string | number>(faults),
        );
      }
      slack.redeliver(1 + random.below(2));
      const notification = permission({
        deliveryId: `d${round}`,
        groupKey: `claude:s${random.below(12)}`,
        decidable: { ...decidable, question: `q${round}` },
      });
      channel = await deliver(stage, notification, {
        channel,
        restarts: () => random.below(4) === 0,
      });
      sent.push(notification);
      // The connection may end before, while or after the envelope arrives.
      const pressed = slack.press(last(slack), random.pick(['allow', 'deny']));
      for (let turns = random.below(4); turns > 0; turns -= 1) await setImmediate();
      if (random.below(2) === 0) slack.disconnect(random.pick(['announced', 'cut']));
      await pressed;
    }

    const posts = slack.posts.filter(({ thread }) => thread !== null);
    assert.deepEqual(
      posts.map(idOf),
      sent.map(({ deliveryId }) => deliveryId),
    );
    const sessions = new Set(sent.map(({ groupKey }) => groupKey));
    assert.equal(slack.posts.length - posts.length, sessions.size);
    assert.deepEqual(
      reactions.map((one) => (one.type === 'decided' ? one.question : one.type)),
      sent.map((one) => one.decidable?.question),
    );
    assert.deepEqual(slack.unacknowledged, []);
  },
);

test('a post is found again in a long thread of a busy channel', async () => {
  await using stage = await openApp();
  const { slack, channel } = stage;
  const asked = permission();
  await refOf(channel, asked);
  const [root] = slack.posts;
  assert.ok(root);
  const others = (thread: string | null): void => {
    for (let count = 0; count < 450; count += 1) {
      const ts = `${Math.floor(Number(last(slack).ts)) + 1}.000100`;
      slack.posts.push({ ...root, ts, thread, metadata: null });
    }
  };
  others(root.ts);
  const lost = permission({ deliveryId: 'lost' });
  slack.refuse('chat.postMessage', 'lost');
  assert.equal((await channel.send(lost, sendContext())).type, 'retry');
  others(null);
  // The next daemon knows no thread.
  const next = await stage.anew();
  const before = slack.posts.length;

  const outcome = await next.send(
    { ...lost, possibleDuplicate: true },
    { ...sendContext(), attempt: 2 },
  );

  assert.equal(outcome.type, 'delivered');
  assert.equal(slack.posts.length, before);
});
