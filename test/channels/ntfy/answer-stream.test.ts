import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Reaction } from '../../../src/core/channel.ts';
import { openAnswerStream } from '../../../src/channels/ntfy/answer-stream.ts';
import { openHttpEndpoint } from '../../support/http-endpoint.ts';
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
    // The server may send the newest message before the one that it kept.
    await until(() => reactions.length >= 3);
    await second.close();

    // The phone may receive them in another order.
    const [, snoozed] = /^snoozed (d[123])$/.exec(reactions[0] ?? '') ?? [];
    const others = ['d1', 'd2', 'd3'].filter((id) => id !== snoozed);
    assert.deepEqual(
      reactions.slice(1).toSorted(),
      others.map((id) => `acknowledged ${id}`),
    );
  },
);

const keepalive = `${JSON.stringify({ id: 'k', event: 'keepalive' })}\n`;

function line(id: string): string {
  return `${JSON.stringify({ id, event: 'message', message: id })}\n`;
}

/** A server that keeps its messages, and whose connections end immediately, the first one after the newest message only. */
async function openTopic(ids: readonly string[]) {
  const endpoint = await openHttpEndpoint();
  const sinceOf = (path: string) => new URL(path, endpoint.url).searchParams.get('since') ?? '';
  const stored = (path: string) => ids.slice(ids.indexOf(sinceOf(path)) + 1).map(line);
  endpoint.answer({ status: 200, body: line(ids.at(-1) ?? '') }, ({ path }) => ({
    status: 200,
    body: [...stored(path), keepalive].join(''),
  }));
  return { endpoint, asked: () => endpoint.requests.map(({ path }) => sinceOf(path)) };
}

test('openAnswerStream() reads a message again whose turn had not come when the connection ended, and none twice', async () => {
  await using state = await temporaryDirectory();
  const { endpoint, asked } = await openTopic(['m1', 'm2', 'm3']);
  await using _endpoint = endpoint;
  const messages: string[] = [];
  const open = () =>
    openAnswerStream({
      url: `${endpoint.url}/answers`,
      headers: {},
      fetch,
      onMessage: (body) => void messages.push(body),
      memory: join(state.path, 'read'),
      onConnected: () => {},
      startTimer: (ms, run) => {
        // Without the waits between connections.
        const timer = setTimeout(run, ms > 60_000 ? ms : 1);
        return () => clearTimeout(timer);
      },
      now: () => 1_700_000_600_000,
    });

  const first = open();
  await until(() => asked().length >= 3);
  await first.close();
  const second = open();
  await until(() => asked().length >= 5);
  await second.close();

  assert.deepEqual(messages, ['m3', 'm1', 'm2']);
  assert.deepEqual(asked().slice(0, 3), ['1700000000', '1700000000', 'm3']);
  assert.equal(asked().at(-1), 'm3');
});
