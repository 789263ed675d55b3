import assert from 'node:assert/strict';
import { test } from 'node:test';

import matrix from '../../../src/channels/matrix/index.ts';
import type { Channel } from '../../../src/core/channel.ts';
import { channelDependencies, sendContext } from '../../support/channel-dependencies.ts';
import { sampleNotification } from '../../support/sample.ts';
import { startSynapse, SYNAPSE, type SynapseServer } from '../../support/synapse-server.ts';
import { needs } from '../../support/system-part.ts';
import { send } from '../conformance.ts';

function createMatrix(
  { url, token }: SynapseServer,
  room: string,
  options: Record<string, unknown> = {},
): Promise<Channel> {
  const all = { server: url, token, room, ...options };
  return matrix.create(matrix.options.parse(all), channelDependencies({ now: () => Date.now() }));
}

test(
  'matrix, with a real Synapse: thread, repeat, edit, redaction, size and an encrypted room',
  {
    skip: needs(SYNAPSE),
  },
  async () => {
    await using server = await startSynapse();
    const room = await server.room('agents');
    const channel = await createMatrix(server, '#agents:example.test');
    const [one, two] = [sampleNotification({ body: 'one' }), sampleNotification({ body: 'two' })];

    const check = await channel.check(AbortSignal.timeout(10_000));
    assert.equal(check.summary, 'Sends to "#agents:example.test" as @hookbell:example.test');

    const first = await send({ channel }, one);
    const again = await send({ channel }, one);
    const second = await send({ channel }, two);
    assert.ok(first.type === 'delivered' && first.ref !== undefined);
    assert.ok(second.type === 'delivered' && second.ref !== undefined);
    assert.deepEqual(again, first);
    const shown = await server.messages(room);
    assert.equal(shown.length, 2, 'the repeat shows nothing');
    assert.equal(shown[1]?.content['m.relates_to']?.rel_type, 'm.thread');
    assert.equal(shown[1]?.content['m.relates_to']?.event_id, shown[0]?.event_id);

    assert.deepEqual(await channel.find?.(one, sendContext()), first);
    assert.deepEqual(await channel.find?.(two, sendContext()), second);

    const over = { ...one, title: 'Over: shop', body: 'Answered in the terminal' };
    assert.equal((await channel.update?.(first.ref, over, sendContext()))?.type, 'delivered');
    const edit = (await server.messages(room)).at(-1)?.content;
    assert.equal(edit?.['m.relates_to']?.rel_type, 'm.replace');
    assert.match(edit?.['m.new_content']?.body ?? '', /Answered in the terminal$/);

    const deletes = await createMatrix(server, room, { when_over: 'delete' });
    assert.equal((await deletes.withdraw?.(second.ref, sendContext()))?.type, 'delivered');
    assert.equal((await server.messages(room))[1]?.content.body, undefined);

    for (const letter of ['"', '&', '漢', '😀']) {
      const long = sampleNotification({ title: letter.repeat(2_000), body: letter.repeat(20_000) });
      const sent = await send({ channel }, long);
      assert.ok(sent.type === 'delivered' && sent.ref !== undefined, letter);
      assert.equal(
        (await channel.update?.(sent.ref, long, sendContext()))?.type,
        'delivered',
        letter,
      );
    }

    const lost = await createMatrix(server, room);
    const ref = JSON.stringify({ room, event: '$unknown', thread: '$unknown' });
    await lost.resubscribe?.(ref, one);
    const unknown = await send({ channel: lost }, sampleNotification());
    assert.equal(unknown.type, 'retry');

    await server.room('secret', true);
    const secret = await createMatrix(server, '#secret:example.test');
    const refused = await send({ channel: secret }, one);
    assert.ok(refused.type === 'failed' && refused.channelBroken === true);
    assert.match((await secret.check(AbortSignal.timeout(10_000))).summary, /is encrypted/);
    const foreign = await createMatrix(server, '!other:example.test');
    assert.equal((await foreign.check(AbortSignal.timeout(10_000))).ok, false);
    const wrong = await createMatrix({ ...server, token: 'wrong' }, room);
    const noToken = await send({ channel: wrong }, one);
    assert.ok(noToken.type === 'failed' && noToken.channelBroken === true);
  },
);
