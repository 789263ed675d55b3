import assert from 'node:assert/strict';
import test from 'node:test';

import type { Counted, DueResult, Traffic } from '../../src/core/due.ts';
import { hold, releaseAll } from '../support/held.ts';
import { sampleMute } from '../support/sample.ts';
import { NOW, sampleRecord, tell, temporaryStore } from '../support/store.ts';

function latest(traffic: Traffic['channel'], counted: Counted = 'all'): readonly (number | null)[] {
  return [1, 2, 3, 4].map((nth) => traffic(nth, counted));
}

test('traffic counts what went into the outbox of a channel within the hour, of the session too', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord()], tell('desktop', 'team'));
  await store.events.accept(
    [sampleRecord({ sessionId: 's2', sessionKey: 'claude:s2' })],
    tell('desktop'),
  );
  await hold(opened, [
    { id: 'released later', dueAt: NOW + 50 },
    { id: 'held', dueAt: NOW + 1e9 },
  ]);
  await store.held.releaseDue(NOW + 50, releaseAll);
  await hold(opened, [{ id: 'asks', dueAt: NOW + 100 }], { sessionId: 's3' });
  const seen: unknown[] = [];

  for (const later of [100, 3_600_000]) {
    await store.held.releaseDue(NOW + later, ({ due, traffic }) => {
      const { channel } = traffic(due[0]!);
      const { session } = traffic({
        ...due[0]!,
        event: { ...due[0]!.event, sessionKey: 'claude:s1' },
      });
      seen.push({ channel: latest(channel), session: latest(session) });
      return due.map((): DueResult => {
        const decision = { stage: 'mute', verdict: 'note', reason: 'Later' } as const;
        return { type: 'hold', heldFor: 'mute', until: NOW + 200, decision };
      });
    });
  }

  assert.deepEqual(seen, [
    { channel: [NOW + 50, NOW, NOW, null], session: [NOW + 50, NOW, null, null] },
    { channel: [NOW + 50, null, null, null], session: [NOW + 50, null, null, null] },
  ]);
});

test('traffic counts waits and news by themselves', async () => {
  await using opened = await temporaryStore();
  const kinds = ['turn.failed', 'needs.input', 'turn.done', 'needs.permission'] as const;
  const records = kinds.map((kind, index) =>
    sampleRecord({ id: `event-${index}`, kind, sessionKey: `claude:s${index}` }),
  );
  const seen: unknown[] = [];
  await opened.store.events.accept(records, (memory, event) => {
    const { channel, session } = memory.traffic('desktop', null);
    seen.push([
      latest(channel),
      latest(channel, 'waits'),
      latest(channel, 'news'),
      latest(session, 'waits'),
    ]);
    return tell('desktop')(memory, event);
  });
  await opened.store.events.accept(
    [sampleRecord({ id: 'again', kind: 'needs.input', sessionKey: 'claude:s1' })],
    (memory, event) => {
      const { channel, session } = memory.traffic('desktop', null);
      seen.push([
        latest(channel),
        latest(channel, 'waits'),
        latest(channel, 'news'),
        latest(session, 'waits'),
      ]);
      return tell('desktop')(memory, event);
    },
  );

  const none = [null, null, null, null];
  const one = [NOW, null, null, null];
  const two = [NOW, NOW, null, null];
  assert.deepEqual(seen.slice(2), [
    [two, one, one, none],
    [[NOW, NOW, NOW, null], one, two, none],
    [[NOW, NOW, NOW, NOW], two, two, one],
  ]);
});

test('traffic leaves out tests and trials, so the first event after one is not taken for part of a burst', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  for (const purpose of ['test', 'trial', 'trigger']) {
    const sessionId = `${purpose}-0123abcd`;
    const record = sampleRecord({ sessionId, sessionKey: `claude:${sessionId}` });
    await store.events.accept([record], tell('desktop'));
  }
  const seen: unknown[] = [];
  await store.events.accept(
    [sampleRecord({ sessionId: 's2', sessionKey: 'claude:s2' })],
    (memory, event) => {
      seen.push(latest(memory.traffic('desktop', null).channel));
      return tell('desktop')(memory, event);
    },
  );

  assert.deepEqual(seen, [[NOW, null, null, null]]);
});

test('accept() shows an event the traffic of its channel and session, and the mutes that hold', async () => {
  await using opened = await temporaryStore();
  const seen: unknown[] = [];
  const look = (record: ReturnType<typeof sampleRecord>): Promise<unknown> =>
    opened.store.events.accept([record], (memory, event) => {
      const { channel, session } = memory.traffic('desktop', null);
      seen.push([latest(channel), latest(session), memory.mutes.map(({ id }) => id)]);
      return tell('desktop')(memory, event);
    });

  await look(sampleRecord());
  await opened.store.mutes.add(sampleMute({ id: 'over', until: NOW, channel: 'team' }), []);
  await opened.store.mutes.add(sampleMute({ id: 'holds', until: NOW + 1, channel: 'team' }), []);
  await opened.store.mutes.add(sampleMute({ id: 'for ever', until: null, channel: 'team' }), []);
  await look(sampleRecord({ sessionKey: 'claude:s2' }));
  await look(sampleRecord());

  assert.deepEqual(seen, [
    [[null, null, null, null], [null, null, null, null], []],
    [
      [NOW, null, null, null],
      [null, null, null, null],
      ['for ever', 'holds'],
    ],
    [
      [NOW, NOW, null, null],
      [NOW, null, null, null],
      ['for ever', 'holds'],
    ],
  ]);
});

test('removeMutes() makes what was held because of mutes due, each step after its delay, and nothing else', async () => {
  await using opened = await temporaryStore();
  await opened.store.mutes.add(sampleMute({ id: 'one' }), []);
  await opened.store.mutes.add(sampleMute({ id: 'two' }), []);
  const event = await hold(opened, [
    { id: 'muted', heldFor: 'mute', dueAt: NOW + 1e6 },
    { id: 'muted later step', step: 1, heldFor: 'mute', dueAt: NOW + 1e6, delayMs: 60_000 },
    { id: 'muted until then', step: 2, heldFor: 'mute', dueAt: NOW + 5, delayMs: 60_000 },
    { id: 'quiet', heldFor: 'quiet', dueAt: NOW + 1e6 },
  ]);

  assert.equal(await opened.store.mutes.remove(['one', 'unknown']), 1);

  assert.deepEqual(
    (await opened.store.history.event(event.id))?.deliveries.map(({ dueAt }) => dueAt - NOW),
    [0, 60_000, 5, 1e6],
  );
  assert.equal(await opened.store.mutes.remove('all'), 1);
  assert.deepEqual(await opened.store.mutes.active(NOW), []);
});
