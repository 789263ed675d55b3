import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';

import matrix from '../../../src/channels/matrix/index.ts';
import { parseOptions } from '../../../src/config/problem.ts';
import type { Channel } from '../../../src/core/channel.ts';
import type { Outbound } from '../../../src/platform/outbound/outbound-port.ts';
import { channelDependencies, sendContext } from '../../support/channel-dependencies.ts';
import {
  type FakeHomeserver,
  matrixContent,
  MAX_CONTENT_BYTES,
  startHomeserver,
} from '../../support/fake-homeserver.ts';
import { openHttpEndpoint } from '../../support/http-endpoint.ts';
import { sampleNotification } from '../../support/sample.ts';
import { channelConformance, send, seededSecret } from '../conformance.ts';
import { answered, httpConformance, type HttpStage } from '../http-conformance.ts';

/** An endpoint for what sends; whether the room is encrypted is answered before it. */
async function openStage(): Promise<HttpStage> {
  const endpoint = await openHttpEndpoint();
  endpoint.answer({ status: 200, body: '{"event_id":"$e1","user_id":"@bot:example.com"}' });
  const { outbound, ...dependencies } = channelDependencies();
  const plain: Outbound = {
    ...outbound,
    fetch: (url, request) =>
      String(url).endsWith('/state/m.room.encryption/')
        ? Promise.resolve(new Response('{"errcode":"M_NOT_FOUND"}', { status: 404 }))
        : outbound.fetch(url, request),
  };
  const channel = await matrix.create(
    matrix.options.parse({ server: endpoint.url, token: seededSecret, room: '!r:example.com' }),
    { ...dependencies, outbound: plain },
  );
  let taken = 0;
  return {
    channel,
    endpoint,
    arrivals: () => {
      const fresh = endpoint.requests.slice(taken).filter(({ method }) => method === 'PUT');
      taken = endpoint.requests.length;
      return Promise.resolve(
        fresh.map(({ body, path }) => {
          assert.ok(Buffer.byteLength(body) <= MAX_CONTENT_BYTES);
          const {
            body: text,
            formatted_body: html,
            ...rest
          } = matrixContent.parse(JSON.parse(body));
          const tags = html.match(/<[^>]*>/g)?.join('') ?? '';
          const route = path.replace(/[^/]*$/, '');
          // The thread is that of the session, which hostile text names.
          const { 'm.relates_to': _, ...shape } = rest;
          return { shown: text, shape: `${route} ${tags} ${JSON.stringify(shape)}` };
        }),
      );
    },
    hang: () => {
      endpoint.answer('silence');
      return { reached: endpoint.nextRequest() };
    },
    break: () => {
      const error = `Unknown token: ${seededSecret}`;
      endpoint.answer({ status: 401, body: JSON.stringify({ errcode: 'M_UNKNOWN_TOKEN', error }) });
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: async () => {
      await channel.close();
      await endpoint[Symbol.asyncDispose]();
    },
  };
}

channelConformance(matrix, openStage);

/** An answer without the id of an event comes from something in between. */
const withoutDocument = Array.from({ length: 100 }, (_, index) => [200 + index, 'retry']);
httpConformance('matrix', openStage, {
  ...Object.fromEntries(withoutDocument),
  403: 'broken',
  404: 'broken',
});

function createMatrix(
  { url, token, alias }: FakeHomeserver,
  options: Record<string, unknown> = {},
): Promise<Channel> {
  const all = { server: url, token, room: alias, ...options };
  return matrix.create(matrix.options.parse(all), channelDependencies());
}

const session = { groupKey: 'claude:s1' };

describe('matrix, with a fake homeserver', () => {
  test('messages of a session form a thread, also after a restart', async () => {
    await using server = await startHomeserver();
    const channel = await createMatrix(server);
    const first = await send({ channel }, sampleNotification(session));
    await send({ channel }, sampleNotification({ groupKey: 'claude:s2' }));
    await send({ channel }, sampleNotification(session));
    assert.ok(first.type === 'delivered' && first.ref !== undefined);
    const next = await createMatrix(server);
    await next.resubscribe?.(first.ref, sampleNotification(session));
    await send({ channel: next }, sampleNotification(session));

    const [root, other, ...replies] = server.events();
    assert.deepEqual([root?.thread, other?.thread], [null, null]);
    assert.deepEqual(
      replies.map(({ thread }) => thread),
      [root?.id, root?.id],
    );
  });

  test('a repeat of a delivery shows one message, also if the first answer was lost', async () => {
    await using server = await startHomeserver();
    const channel = await createMatrix(server);
    const notification = sampleNotification();
    server.swallowNextAnswer();
    assert.equal((await send({ channel }, notification)).type, 'retry');

    const again = await send({ channel }, { ...notification, possibleDuplicate: true });

    assert.equal(again.type, 'delivered');
    assert.equal(server.events().length, 1);
  });

  test('a message is edited, or redacted, when its request is over', async () => {
    await using server = await startHomeserver();
    const notification = sampleNotification();
    const edits = await createMatrix(server);
    const deletes = await createMatrix(server, { when_over: 'delete' });
    const edited = await send({ channel: edits }, notification);
    const deleted = await send({ channel: deletes }, sampleNotification());
    assert.ok(edited.type === 'delivered' && edited.ref !== undefined);
    assert.ok(deleted.type === 'delivered' && deleted.ref !== undefined);

    const over = { ...notification, title: 'Over: shop', body: 'Answered in the terminal' };
    assert.equal((await edits.update?.(edited.ref, over, sendContext()))?.type, 'delivered');
    assert.equal((await deletes.withdraw?.(deleted.ref, sendContext()))?.type, 'delivered');

    const [event, ...more] = server.events();
    assert.deepEqual(more, []);
    assert.match(event?.content.body ?? '', /Over: shop\nAnswered in the terminal$/);
    assert.equal((await edits.update?.('{', over, sendContext()))?.type, 'failed');
  });

  test('a message whose answer was lost is found by its transaction, and nothing where none was sent', async () => {
    await using server = await startHomeserver();
    const channel = await createMatrix(server, { when_over: 'delete' });
    await send({ channel }, sampleNotification());
    const notification = sampleNotification({ deliveryId: 'lost' });
    server.swallowNextAnswer();
    await send({ channel }, notification);
    assert.equal(server.events().length, 2);

    const found = await channel.find?.(notification, sendContext());
    const none = await channel.find?.(sampleNotification({ deliveryId: 'x' }), sendContext());

    assert.ok(found?.type === 'delivered' && found.ref !== undefined);
    assert.deepEqual(none, { type: 'delivered' });
    await channel.withdraw?.(found.ref, sendContext());
    assert.equal(server.events().length, 1);
  });

  test('an encrypted room is refused, by check and by each message', async () => {
    await using server = await startHomeserver();
    server.setEncrypted();
    const channel = await createMatrix(server);

    const outcome = await send({ channel }, sampleNotification());
    const check = await channel.check(AbortSignal.timeout(5_000));

    assert.ok(outcome.type === 'failed' && outcome.channelBroken === true);
    assert.deepEqual(server.events(), []);
    assert.match(check.summary, /"#agents:example.com" is encrypted/);
  });

  test('a thread that the server forgot is begun again', async () => {
    await using server = await startHomeserver();
    const channel = await createMatrix(server);
    await send({ channel }, sampleNotification(session));
    server.forget(server.events()[0]?.id ?? '');
    const notification = sampleNotification(session);

    assert.equal((await send({ channel }, notification)).type, 'retry');
    assert.equal((await send({ channel }, notification)).type, 'delivered');
    assert.equal(server.events()[0]?.thread, null);
  });

  test('check names the account, a room it is not in, and a token that is refused', async () => {
    await using server = await startHomeserver();
    const summaryOf = async (options: Record<string, unknown>): Promise<string> =>
      (await (await createMatrix(server, options)).check(AbortSignal.timeout(5_000))).summary;

    assert.equal(await summaryOf({}), 'Sends to "#agents:example.com" as @bot:example.com');
    assert.match(await summaryOf({ room: '!other:example.com' }), /may not write to the room/);
    assert.match(await summaryOf({ room: '#none:example.com' }), /the room does not exist/);
    assert.match(await summaryOf({ token: 'wrong' }), /the access token is refused/);
  });
});

describe('matrix', () => {
  test('the longest text stays below the size of an event, however it is escaped', async () => {
    for (const letter of ['"', '\\', '&', '漢', '😀']) {
      await using server = await startHomeserver();
      const channel = await createMatrix(server);
      const notification = sampleNotification({
        title: letter.repeat(2_000),
        body: letter.repeat(20_000),
      });

      const sent = await send({ channel }, notification);

      assert.ok(sent.type === 'delivered' && sent.ref !== undefined, letter);
      const edited = await channel.update?.(sent.ref, notification, sendContext());
      assert.equal(edited?.type, 'delivered', letter);
    }
  });

  test('what only informs makes no sound, and nothing mentions anyone', async () => {
    await using server = await startHomeserver();
    const channel = await createMatrix(server);
    await send({ channel }, sampleNotification({ kind: 'turn.done', severity: 'info' }));
    await send({ channel }, sampleNotification({ body: '@room @ada:example.com <b>x</b>' }));

    const [info, waiting] = server.events().map(({ content }) => content);
    assert.deepEqual([info?.msgtype, waiting?.msgtype], ['m.notice', 'm.text']);
    assert.deepEqual(waiting?.['m.mentions'], {});
    assert.match(waiting?.formatted_body ?? '', /&lt;b&gt;x/);
  });

  test('a 429 waits as long as "retry_after_ms" says', async () => {
    await using stage = await openStage();

    const outcome = await answered(stage, {
      status: 429,
      body: '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":4200}',
    });

    assert.ok(outcome.type === 'retry');
    assert.equal(outcome.afterMs, 4_200);
    assert.match(outcome.reason, /too many requests$/);
  });

  for (const [options, fault] of [
    [{ room: 'agents' }, /neither the id of a room/],
    [{ server: 'http://matrix.example.com' }, /is not https/],
  ] as const) {
    test(`refuses ${inspect(options)}`, () => {
      const valid = { server: 'https://matrix.example.com', token: 't', room: '!a:b' };
      const { error } = matrix.options.safeParse({ ...valid, ...options }, parseOptions);

      assert.match(error?.issues[0]?.message ?? '', fault);
    });
  }
});
