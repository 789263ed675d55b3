import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ControlRequest } from '../../src/control/control-server.ts';
import { historyRoutes } from '../../src/control/history-routes.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { StoreError } from '../../src/core/store-aging.ts';
import type { Store } from '../../src/core/store.ts';
import { createSignal } from '../../src/platform/lifecycle.ts';
import {
  decideNothing,
  NOW,
  sampleEffects,
  sampleRecord,
  sampleSession,
  tell,
  temporaryStore,
} from '../support/store.ts';

const committed = createSignal();

function request(query: Record<string, string>, part: string | null = null): ControlRequest {
  return { part, query: new URLSearchParams(query), body: undefined };
}

/** Asks the routes over a store, of whose channels programs read "log". */
function routesOver(store: Pick<Store, 'history' | 'sessions'>) {
  const routes = historyRoutes({
    store,
    texts: ({ event }) => ({ title: `About ${event.id}`, body: '' }),
    redact: (text) => text,
    committed,
    programChannels: () => ['log'],
  });
  return {
    history: async (query: Record<string, string> = {}) =>
      (await routes['GET /v1/history'](request(query))).map(({ eventId }) => eventId),
    follow: async (query: Record<string, string> = {}) => {
      const { events, cursor } = await routes['GET /v1/follow'](request(query));
      return { ids: events.map(({ eventId }) => eventId), cursor };
    },
    event: (part: string | null) => routes['GET /v1/events'](request({}, part)),
  };
}

const events: readonly Partial<HookEvent>[] = [
  { id: 'told', agent: 'claude', sessionKey: 'claude:s1', sessionId: 's1', project: 'shop' },
  { id: 'quiet', agent: 'droid', sessionKey: 'droid:s2', sessionId: 's2', kind: 'turn.done' },
  { id: 'logged', agent: 'claude', sessionKey: 'claude:s3', sessionId: 's3' },
];

async function filled() {
  const opened = await temporaryStore();
  const receivedAt = [NOW - 3_000, NOW - 2_000, NOW - 1_000];
  const records = events.map((event, index) =>
    sampleRecord({ project: null, kind: 'activity', ...event, receivedAt: receivedAt[index] ?? 0 }),
  );
  await opened.store.events.accept(records, (memory, event) => {
    if (event.id === 'told') return tell('desktop')(memory, event);
    if (event.id === 'logged') return tell('log')(memory, event);
    return decideNothing(memory, event);
  });
  return opened;
}

describe('GET /v1/history', () => {
  const rows: readonly (readonly [Record<string, string>, readonly string[]])[] = [
    [{}, ['logged', 'quiet', 'told']],
    [{ limit: '1' }, ['logged']],
    [{ before: 'logged' }, ['quiet', 'told']],
    [{ agent: 'droid' }, ['quiet']],
    [{ suppressed: '1' }, ['quiet']],
    [{ suppressed: '0' }, ['logged', 'quiet', 'told']],
    [{ project: 'shop' }, ['told']],
    [{ kind: 'turn.done' }, ['quiet']],
    [{ session: 's2' }, ['quiet']],
    [{ session: 'claude:s1' }, ['told']],
    [{ session: 'unknown' }, []],
  ];
  for (const [query, ids] of rows) {
    test(`with ${JSON.stringify(query)} lists ${ids.join(', ') || 'no event'}`, async () => {
      await using opened = await filled();

      assert.deepEqual(await routesOver(opened.store).history(query), ids);
    });
  }

  test('lists the events of a deleted session, and those of a session that is named by the beginning of its id', async () => {
    await using opened = await filled();
    const session = sampleSession({ key: 'claude:long-id', agent: 'claude', sessionId: 'long-id' });
    const record = sampleRecord({ id: 'e', sessionKey: session.key, sessionId: 'long-id' });
    await opened.store.events.accept([record], () => sampleEffects({ session }));
    const { history } = routesOver(opened.store);

    assert.deepEqual(await history({ session: 'long' }), ['e']);
    assert.deepEqual(await history({ session: 's3' }), ['logged']);
  });

  test('fails if the sessions cannot be read', async () => {
    await using opened = await filled();
    const { history, sessions } = opened.store;
    const broken = new StoreError('io', 'The disk is broken');
    const routes = routesOver({
      history,
      sessions: { ...sessions, named: () => Promise.reject(broken) },
    });

    await assert.rejects(routes.history({ session: 's1' }), broken);
  });

  for (const query of [{ limit: '0' }, { limit: 'x' }, { since: 'yesterday' }]) {
    test(`refuses ${JSON.stringify(query)}`, async () => {
      await using opened = await filled();

      await assert.rejects(routesOver(opened.store).history(query), { name: 'UsageError' });
    });
  }
});

describe('GET /v1/follow', () => {
  test('begins with the newest events, and continues at the cursor', async () => {
    await using opened = await filled();
    const { follow } = routesOver(opened.store);

    const first = await follow({ limit: '2' });
    await opened.store.events.accept([sampleRecord({ id: 'next' })], decideNothing);
    const second = await follow({ cursor: first.cursor });
    const third = await follow({ cursor: second.cursor });

    assert.deepEqual([first.ids, second.ids, third.ids], [['quiet', 'logged'], ['next'], []]);
  });

  test('lists what came after an event, only that which notifies with "rang"', async () => {
    await using opened = await filled();
    const { follow } = routesOver(opened.store);
    await opened.store.events.accept([sampleRecord({ id: 'rings' })], tell('desktop'));

    assert.deepEqual((await follow({ after: 'told' })).ids, ['quiet', 'logged', 'rings']);
    assert.deepEqual((await follow({ after: 'told', rang: '1' })).ids, ['rings']);
  });

  test('waits for the next commit', async () => {
    await using opened = await filled();
    const { follow } = routesOver(opened.store);
    const { cursor } = await follow();

    const following = follow({ cursor, waitMs: '20000' });
    await opened.store.events.accept([sampleRecord({ id: 'next' })], decideNothing);
    committed.emit();

    assert.deepEqual((await following).ids, ['next']);
  });
});

describe('GET /v1/events', () => {
  test('shows the last event, one by its id, and one by the beginning of its id', async () => {
    await using opened = await filled();
    const { event } = routesOver(opened.store);

    assert.equal((await event(null)).eventId, 'logged');
    assert.equal((await event('last')).eventId, 'logged');
    assert.equal((await event('quiet')).title, 'About quiet');
    assert.equal((await event('qu')).eventId, 'quiet');
  });

  for (const [part, message] of [
    [null, 'No event has arrived yet'],
    ['abc', 'Cannot find an event with the id "abc"'],
  ] as const) {
    test(`of an empty store says "${message}"`, async () => {
      await using opened = await temporaryStore();

      await assert.rejects(routesOver(opened.store).event(part), {
        name: 'NotFoundError',
        message,
        hint: 'Run "hookbell history" to list the events',
      });
    });
  }

  test('given the id of a session, names the command that lists its events', async () => {
    await using opened = await temporaryStore();
    const session = sampleSession({ key: 'claude:3f0c', sessionId: '3f0c' });
    await opened.store.events.accept([sampleRecord({ id: 'one' })], () =>
      sampleEffects({ session }),
    );

    await assert.rejects(routesOver(opened.store).event('3f0'), {
      name: 'NotFoundError',
      message: 'Cannot find an event with the id "3f0"',
      hint: 'Run "hookbell history --session 3f0" to list the events of the session with this id',
    });
  });
});
