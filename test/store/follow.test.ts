import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { FollowQuery } from '../../src/core/history.ts';
import type { Store } from '../../src/core/store.ts';
import { decideNothing, NOW, sampleRecord, tell, temporaryStore } from '../support/store.ts';

async function follow(
  store: Store,
  query: Partial<FollowQuery>,
): Promise<readonly [ids: readonly string[], cursor: string]> {
  const all = { limit: 10, from: 'newest' } as const;
  const { entries, cursor } = await store.history.follow({ ...all, ...query });
  return [entries.map(({ event }) => event.id), cursor];
}

async function add(store: Store, ...ids: readonly string[]): Promise<void> {
  await store.events.accept(
    ids.map((id) => sampleRecord({ id, agent: id.startsWith('d') ? 'droid' : 'claude' })),
    decideNothing,
  );
}

describe('follow()', () => {
  test('begins with the newest, oldest first, and goes on page by page without a gap', async () => {
    await using opened = await temporaryStore();
    const { store } = opened;
    await add(store, 'a', 'b', 'c');

    const [first, behindC] = await follow(store, { limit: 2 });
    await add(store, 'd', 'e', 'f');
    const [second, behindE] = await follow(store, { limit: 2, from: { cursor: behindC } });
    const [third, behindF] = await follow(store, { limit: 2, from: { cursor: behindE } });
    const [rest] = await follow(store, { from: { cursor: behindF } });

    assert.deepEqual([first, second, third, rest], [['b', 'c'], ['d', 'e'], ['f'], []]);
  });

  test('begins behind an event, and passes over what the query does not want', async () => {
    await using opened = await temporaryStore();
    const { store } = opened;
    await add(store, 'a', 'd1', 'b', 'd2', 'c');

    const [droids, cursor] = await follow(store, { from: { event: 'a' }, agent: 'droid' });
    const [rest] = await follow(store, { from: { cursor } });

    assert.deepEqual([droids, rest], [['d1', 'd2'], []]);
  });

  test('takes every filter of history(); a message that waits to be sent counts as notified (B13)', async () => {
    await using opened = await temporaryStore();
    const { store } = opened;
    await store.events.accept(
      [
        sampleRecord({ id: 'old', at: NOW - 60_000 }),
        sampleRecord({ id: 'shop', project: 'atlas' }),
        sampleRecord({ id: 'prompt', kind: 'prompt' }),
        sampleRecord({ id: 'rings' }),
        sampleRecord({ id: 'logged' }),
      ],
      (memory, event) => {
        if (event.id === 'rings') return tell('desktop')(memory, event);
        return event.id === 'logged' ? tell('log')(memory, event) : decideNothing(memory, event);
      },
    );
    const wanted = async (filter: Partial<FollowQuery>): Promise<readonly string[]> =>
      (await follow(store, { from: { cursor: '' }, ...filter }))[0];

    assert.deepEqual(await wanted({ project: 'atlas' }), ['shop']);
    assert.deepEqual(await wanted({ kind: 'prompt' }), ['prompt']);
    assert.deepEqual(await wanted({ since: NOW - 60_000 }), [
      'old',
      'shop',
      'prompt',
      'rings',
      'logged',
    ]);
    assert.deepEqual(await wanted({ since: NOW }), ['shop', 'prompt', 'rings', 'logged']);
    assert.deepEqual(await wanted({ suppressed: true }), ['old', 'shop', 'prompt']);
    const notified = { exceptChannels: ['log'], orWaiting: true };
    assert.deepEqual(await wanted({ notified }), ['rings']);
    assert.deepEqual(await wanted({ notified: { ...notified, orWaiting: false } }), []);
    await store.queue.drop(['rings/desktop'], 'Dropped');
    assert.deepEqual(await wanted({ notified }), []);
  });

  test('of an empty history begins with the very first event', async () => {
    await using opened = await temporaryStore();
    const [none, cursor] = await follow(opened.store, {});

    await add(opened.store, 'a');

    assert.deepEqual(
      [none, await follow(opened.store, { from: { cursor } })],
      [[], [['a'], '1.a']],
    );
  });

  test('shows everything again where the numbers began anew, and nothing again where the event is forgotten', async () => {
    await using opened = await temporaryStore();
    await add(opened.store, 'a', 'b');

    assert.deepEqual((await follow(opened.store, { from: { cursor: '2.other' } }))[0], ['a', 'b']);
    assert.deepEqual((await follow(opened.store, { from: { cursor: '7.gone' } }))[0], ['a', 'b']);
    assert.deepEqual((await follow(opened.store, { from: { cursor: 'nonsense' } }))[0], ['a', 'b']);
    assert.deepEqual((await follow(opened.store, { from: { cursor: '1.a' } }))[0], ['b']);
  });
});
