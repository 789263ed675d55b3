import assert from 'node:assert/strict';
import test from 'node:test';

import type { HistoryQuery } from '../../src/core/history.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { sessionEventRecord } from '../../src/core/source-event.ts';
import type { Store } from '../../src/core/store.ts';
import { claim, settlement } from '../support/claims.ts';
import {
  decideNothing,
  NOW,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  sampleSession,
  tell,
  temporaryStore,
} from '../support/store.ts';

async function ids(store: Store, query: Partial<HistoryQuery> = {}): Promise<readonly string[]> {
  const entries = await store.history.list({ limit: 10, ...query });
  return entries.map(({ event }) => event.id);
}

test('history() shows the newest arrivals first, page by page', async () => {
  await using opened = await temporaryStore();
  const records = ['c', 'a', 'b'].map((id) => sampleRecord({ id }));
  await opened.store.events.accept(records, decideNothing);

  assert.deepEqual(await ids(opened.store, { limit: 2 }), ['b', 'a']);
  assert.deepEqual(await ids(opened.store, { before: 'a' }), ['c']);
  assert.deepEqual(await ids(opened.store, { before: 'never seen' }), []);
});

test('history() filters by session, agent, and suppression', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept(
    [
      sampleRecord({ id: 'told', sessionKey: 'one' }),
      sampleRecord({ id: 'quiet', sessionKey: 'one' }),
      sampleRecord({ id: 'droid', sessionKey: 'two', agent: 'droid' }),
    ],
    (memory, event) =>
      event.id === 'told' ? tell('desktop')(memory, event) : decideNothing(memory, event),
  );

  assert.deepEqual(await ids(opened.store, { sessionKeys: ['one', 'other'] }), ['quiet', 'told']);
  assert.deepEqual(await ids(opened.store, { sessionKeys: ['one', 'two'], limit: 2 }), [
    'droid',
    'quiet',
  ]);
  assert.deepEqual(await ids(opened.store, { agent: 'droid' }), ['droid']);
  assert.deepEqual(await ids(opened.store, { suppressed: true }), ['droid', 'quiet']);
  assert.deepEqual(await ids(opened.store, { suppressed: true, agent: 'claude' }), ['quiet']);
  assert.deepEqual(await ids(opened.store, { suppressed: true, sessionKeys: ['two'] }), ['droid']);
});

test('history() counts an event as suppressed once all its deliveries are cancelled, until one is retried', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord({ id: 'e' })], tell('desktop', 'team'));
  const suppressed = (): Promise<readonly string[]> => ids(opened.store, { suppressed: true });

  await opened.store.queue.drop(['e/desktop'], 'Dropped');
  assert.deepEqual(await suppressed(), []);
  await opened.store.queue.drop(['e/team'], 'Dropped');
  assert.deepEqual(await suppressed(), ['e']);
  await opened.store.queue.retry(['e/team'], NOW);
  assert.deepEqual(await suppressed(), []);
});

test('history() gives the title of the session', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], () =>
    sampleEffects({ session: sampleSession({ title: 'Fix the shop' }) }),
  );

  const [entry] = await opened.store.history.list({ limit: 1 });

  assert.equal(entry?.sessionTitle, 'Fix the shop');
});

test('event() finds by id and by "last", idsBeginning() what an id begins with', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept(
    ['f00d-1', 'f00d-2', 'cafe-1', 'cafe-12'].map((id) => sampleRecord({ id }, id)),
    decideNothing,
  );
  const find = async (id: string): Promise<string | null> => {
    const found = await opened.store.history.event(id);
    assert.equal(
      found === null ? null : new TextDecoder().decode(found.payload),
      found?.event.id ?? null,
    );
    return found?.event.id ?? null;
  };

  assert.equal(await find('last'), 'cafe-12');
  assert.equal(await find('cafe-1'), 'cafe-1');
  assert.equal(await find('cafe'), null);
  const begin = (text: string, limit = 10) =>
    opened.store.history.idsBeginning('events', text, limit);
  assert.deepEqual(await begin('cafe-1'), ['cafe-1', 'cafe-12'], 'a whole id comes first');
  assert.deepEqual(await begin('f00d', 1), ['f00d-1']);
  assert.deepEqual(await begin('beef'), []);
  assert.deepEqual(await begin('%___'), [], 'no wildcards');
});

test('event("last") of an empty store is null', async () => {
  await using opened = await temporaryStore();

  assert.equal(await opened.store.history.event('last'), null);
});

test('addDecision() appends what was decided later', async () => {
  await using opened = await temporaryStore();
  const first = { stage: 'plan', verdict: 'notify', reason: 'at once: desktop' } as const;
  const later = {
    stage: 'delivery',
    verdict: 'stop',
    reason: 'The channel "x" is "gone"',
  } as const;
  await opened.store.events.accept([sampleRecord({ id: 'e' })], () =>
    sampleEffects({ decisions: [first], deliveries: [sampleDelivery()] }),
  );

  await opened.store.events.addDecision('e', later);
  await opened.store.events.addDecision('unknown', later);

  assert.deepEqual((await opened.store.history.event('e'))?.decisions, [first, later]);
});

test('lastEvents() returns the newest event of each known agent', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept(
    [
      sampleRecord({ agent: 'droid', event: 'Stop', at: 1 }),
      sampleRecord({ agent: 'claude', event: 'Notification', at: 2 }),
      sampleRecord({ agent: 'droid', event: 'SessionEnd', at: 3 }),
    ],
    decideNothing,
  );

  assert.deepEqual(await opened.store.history.lastEvents(), [
    { agent: 'droid', at: 3, event: 'SessionEnd' },
    { agent: 'claude', at: 2, event: 'Notification' },
  ]);
});

test('words() counts events and types of notification since a time, the most frequent first', async () => {
  await using opened = await temporaryStore();
  const typed = { event: 'Notification', kind: 'needs.input', notificationType: 'new' } as const;
  await opened.store.events.accept(
    [
      sampleRecord({ ...typed, id: 'a', receivedAt: 5 }),
      sampleRecord({ ...typed, id: 'b', receivedAt: 6 }),
      sampleRecord({ event: 'Flux', kind: 'activity', notificationType: null, receivedAt: 7 }),
      sampleRecord({ event: 'Flux', kind: 'activity', notificationType: null, receivedAt: 1 }),
    ],
    decideNothing,
  );

  assert.deepEqual(
    (await opened.store.history.words(5)).map(({ event, count }) => [event, count]),
    [
      ['Notification', 2],
      ['Flux', 1],
    ],
  );
});

test('lastHook() returns when a hook last reported a session, of any agent; findings without a hook do not count', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const news = sessionEventRecord(
    {
      id: 'news',
      agent: 'claude',
      sessionId: 's1',
      kind: 'turn.done',
      event: 'remote.idle',
      title: null,
      message: null,
      payload: {},
    },
    9,
  );
  await store.events.accept(
    [
      sampleRecord({ agent: 'claude', sessionKey: 'claude:s1', event: 'Notification', at: 1 }),
      sampleRecord({ agent: 'claude', sessionKey: 'claude:s1', event: 'Stop', at: 3 }),
      sampleRecord({ agent: 'droid', sessionKey: 'droid:s2', event: 'Stop', at: 5 }),
      news,
    ],
    decideNothing,
  );

  assert.deepEqual(await store.history.lastHook('s1'), { agent: 'claude', at: 3 });
  assert.deepEqual(await store.history.lastHook('s2'), { agent: 'droid', at: 5 });
  assert.equal(await store.history.lastHook('s3'), null);
  assert.deepEqual(
    (await store.history.lastEvents()).map(({ event }) => event),
    ['Stop', 'Stop'],
  );
});

test('history() filters by project, kind, time, and by whether people were notified (B13)', async () => {
  await using opened = await temporaryStore();
  const accept = (
    id: string,
    fields: Partial<HookEvent>,
    channel: string | null,
  ): Promise<unknown> =>
    opened.store.events.accept([sampleRecord({ id, ...fields }, id)], () =>
      sampleEffects({
        deliveries: channel === null ? [] : [sampleDelivery({ id: `d-${id}`, channel })],
      }),
    );
  await accept('old', { project: 'shop', at: NOW - 5_000 }, null);
  await accept('rang', { project: 'shop', kind: 'needs.permission', at: NOW }, 'desktop');
  await accept('logged', { project: 'blog', kind: 'needs.permission', at: NOW }, 'log');
  for (const channel of ['desktop', 'log']) {
    const [claimed] = await claim(opened.store, { channel });
    await opened.store.outbox.recordAttempt(settlement(claimed!));
  }
  const { store } = opened;
  assert.deepEqual(await ids(store, { project: 'shop' }), ['rang', 'old']);
  assert.deepEqual(await ids(store, { kind: 'needs.permission' }), ['logged', 'rang']);
  assert.deepEqual(await ids(store, { since: NOW }), ['logged', 'rang']);
  assert.deepEqual(await ids(store, { notified: { exceptChannels: ['log'], orWaiting: false } }), [
    'rang',
  ]);
});

test('an event combined into another message names the event of that message (B13)', async () => {
  await using opened = await temporaryStore();
  const deliver = (id: string): Promise<unknown> =>
    opened.store.events.accept([sampleRecord({ id }, id)], () =>
      sampleEffects({
        deliveries: [sampleDelivery({ id: `d-${id}`, heldFor: 'burst', dueAt: NOW })],
      }),
    );
  await deliver('first');
  await deliver('second');

  await opened.store.held.releaseDue(NOW, ({ due }) =>
    due.map((_, index) =>
      index === 0
        ? { type: 'release', quietly: false, decision: null }
        : {
            type: 'join',
            carrier: due[0]!.delivery.id,
            decision: { stage: 'throttle', verdict: 'notify', reason: 'Combined' },
          },
    ),
  );

  const [second, first] = await opened.store.history.list({ limit: 10 });
  assert.equal(second?.deliveries[0]?.state, 'cancelled');
  assert.equal(second?.deliveries[0]?.sentWith, 'first');
  assert.equal(first?.deliveries[0]?.sentWith, null);
});
