import assert from 'node:assert/strict';
import { test } from 'node:test';

import { NotFoundError, UsageError } from '../../src/platform/errors.ts';
import { findSession } from '../../src/control/alert-routes.ts';
import { wholeId, wholeIds } from '../../src/control/read-request.ts';
import {
  decideNothing,
  sampleEffects,
  sampleRecord,
  sampleSession,
  temporaryStore,
} from '../support/store.ts';

test('wholeId() takes a whole id, or a beginning that fits one id only (B13)', async () => {
  await using opened = await temporaryStore();
  const ids = ['aaaa-1', 'aaaa-12', 'bbbb-1'];
  await opened.store.events.accept(
    ids.map((id) => sampleRecord({ id }, id)),
    decideNothing,
  );

  assert.equal(await wholeId(opened.store.history, 'events', 'b'), 'bbbb-1');
  assert.equal(await wholeId(opened.store.history, 'events', 'aaaa-1'), 'aaaa-1');
  assert.equal(await wholeId(opened.store.history, 'events', 'c'), null);
  await assert.rejects(wholeId(opened.store.history, 'events', 'aa'), (error) => {
    assert.ok(error instanceof UsageError);
    assert.equal(error.message, 'Several events have an id that begins with "aa"');
    assert.equal(error.hint, 'Type more of one of these: aaaa-1, aaaa-12');
    return true;
  });
});

test('wholeIds() looks in the queue first, and leaves alone what no id begins with', async () => {
  const asked: string[] = [];
  const history = {
    idsBeginning: (table: string, word: string) => {
      asked.push(`${table} ${word}`);
      if (word === 'x') return Promise.resolve([]);
      return Promise.resolve(table === 'queue' ? ['a1'] : ['a1', 'a2']);
    },
  };

  assert.deepEqual(await wholeIds(history, ['queue', 'deliveries'], ['a', 'x']), ['a1', 'x']);
  assert.deepEqual(asked.toSorted(), ['deliveries x', 'queue a', 'queue x']);
});

test('findSession() lists the candidates where several sessions begin with the word (B13)', async () => {
  await using opened = await temporaryStore();
  for (const [index, sessionId] of ['feed-1', 'feed-2', 'feed-22'].entries()) {
    const session = sampleSession({ key: `claude:${sessionId}`, sessionId });
    await opened.store.events.accept([sampleRecord({ id: `e${index}` })], () =>
      sampleEffects({ session }),
    );
  }
  const find = async (name: string): Promise<string> =>
    (await findSession(opened.store.sessions, name)).key;

  assert.equal(await find('feed-2'), 'claude:feed-2');
  assert.equal(await find('claude:feed-2'), 'claude:feed-2');
  assert.equal(await find('feed-22'), 'claude:feed-22');
  await assert.rejects(find('feed'), {
    hint: 'Type more of one of these: feed-1, feed-2, feed-22',
  });
  await assert.rejects(find('other'), NotFoundError);
});
