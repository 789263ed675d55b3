import assert from 'node:assert/strict';
import test from 'node:test';

import type { Session } from '../../src/core/session.ts';
import type { Store } from '../../src/core/store.ts';
import {
  NOW,
  sampleEffects,
  sampleRecord,
  sampleSession,
  temporaryStore,
} from '../support/store.ts';

async function keep(store: Store, sessions: readonly Partial<Session>[]): Promise<void> {
  for (const fields of sessions) {
    await store.events.accept([sampleRecord()], () =>
      sampleEffects({ session: sampleSession(fields) }),
    );
  }
}

async function keys(
  store: Store,
  ...query: Parameters<Store['sessions']['list']>
): Promise<unknown> {
  const sessions = await store.sessions.list(...query);
  return sessions.map(({ key }) => key);
}

test('sessions() shows who waits longest first, then the others by their latest event', async () => {
  await using opened = await temporaryStore();
  await keep(opened.store, [
    { key: 'quiet', state: 'done', lastEventAt: NOW },
    { key: 'waits', state: 'waiting', stateSince: NOW + 2, lastEventAt: NOW + 2 },
    { key: 'busy', state: 'working', lastEventAt: NOW + 5 },
    // It waits longer although its last event is later: a subagent went on.
    { key: 'waits longest', state: 'waiting', stateSince: NOW + 1, lastEventAt: NOW + 9 },
  ]);

  assert.deepEqual(await keys(opened.store, { limit: 10 }), [
    'waits longest',
    'waits',
    'busy',
    'quiet',
  ]);
  assert.deepEqual(await keys(opened.store, { limit: 1 }), ['waits longest']);
  assert.deepEqual(await keys(opened.store, { limit: 9, states: ['done', 'working'] }), [
    'busy',
    'quiet',
  ]);
});

test('counts() follows each change of state', async () => {
  await using opened = await temporaryStore();
  await keep(opened.store, [
    { key: 'one', state: 'working' },
    { key: 'two', state: 'working' },
    { key: 'one', state: 'waiting' },
    { key: 'one', state: 'waiting' },
  ]);

  const { events, sessions } = await opened.store.upkeep.counts();

  assert.equal(events, 4);
  assert.deepEqual(sessions, { working: 1, waiting: 1, paused: 0, done: 0, failed: 0, ended: 0 });
});

test('named() finds sessions by key, id and beginning, of this machine first, without reading the others', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await keep(store, [
    { key: 'laptop/claude:feed-1', machine: 'laptop', sessionId: 'feed-1' },
    { key: 'laptop/claude:food-1', machine: 'laptop', sessionId: 'food-1' },
    { key: 'codex:feed-1', agent: 'codex', sessionId: 'feed-1' },
    { key: 'claude:feed-12', sessionId: 'feed-12' },
    { key: 'claude:at:/feed', sessionId: null },
  ]);
  const named = async (name: string): Promise<readonly string[]> =>
    (await store.sessions.named(name, 10)).map(({ key }) => key);

  assert.deepEqual(await named('feed-1'), ['codex:feed-1', 'laptop/claude:feed-1']);
  assert.deepEqual(await named('claude:feed-12'), ['claude:feed-12']);
  assert.deepEqual(await named('claude:at:/feed'), ['claude:at:/feed']);
  assert.deepEqual(await named('food'), ['laptop/claude:food-1']);
  assert.deepEqual(await named('fee'), ['claude:feed-12', 'codex:feed-1', 'laptop/claude:feed-1']);
  assert.deepEqual(await named('at:'), []);
  assert.deepEqual(await named(''), [
    'claude:feed-12',
    'codex:feed-1',
    'laptop/claude:feed-1',
    'laptop/claude:food-1',
  ]);
});
