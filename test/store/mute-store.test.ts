import assert from 'node:assert/strict';
import test from 'node:test';

import type { Mute } from '../../src/core/policy.ts';
import type { Store } from '../../src/core/store.ts';
import { claim, settlement } from '../support/claims.ts';
import { sampleMute } from '../support/sample.ts';
import { NOW, sampleRecord, tell, temporaryStore } from '../support/store.ts';

/** What `releaseDue` is asked to decide about, by channel; decides nothing. */
async function dueAgain(store: Store): Promise<readonly string[]> {
  const asked: string[] = [];
  await store.held.releaseDue(NOW, ({ due, mutes }) => {
    asked.push(...due.map(({ delivery }) => `${delivery.channel}: ${mutes.length} mutes`));
    const decision = { stage: 'mute', verdict: 'stop', reason: 'Muted' } as const;
    return due.map(() => ({ type: 'cancel', decision }));
  });
  return asked;
}

test('addMute() has decided upon again what was accepted before it and not sent yet (fault 49)', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord({ sessionKey: 's1' })], tell('desktop', 'log'));

  await store.mutes.add(sampleMute({ sessionKey: 's1', createdAt: NOW }), ['log']);

  assert.deepEqual(await claim(store), []);
  assert.equal((await claim(store, { channel: 'log' })).length, 1, 'programs get everything');
  assert.deepEqual(await dueAgain(store), ['desktop: 1 mutes']);
  const entry = await store.history.event('last');
  const desktop = entry?.deliveries.find(({ channel }) => channel === 'desktop');
  assert.deepEqual([desktop?.state, desktop?.reason], ['cancelled', 'Muted']);
});

test('addMute() leaves alone what is under way or was tried', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord()], tell('desktop', 'team'));
  await claim(store);
  const [tried] = await claim(store, { channel: 'team' });
  await store.outbox.recordAttempt(
    settlement(tried!, { state: 'retrying', dueAt: NOW, reason: 'Not now' }),
  );

  await store.mutes.add(sampleMute({ createdAt: NOW }), []);

  assert.deepEqual(await dueAgain(store), []);
  assert.equal((await claim(store, { channel: 'team' })).length, 1);
});

const others: Readonly<Record<string, Partial<Mute>>> = {
  session: { sessionKey: 'other' },
  project: { project: 'blog' },
  agent: { agent: 'droid' },
  channel: { channel: 'team' },
  kind: { kind: 'turn.done' },
};
for (const [what, mute] of Object.entries(others)) {
  test(`addMute() of another ${what} changes nothing`, async () => {
    await using opened = await temporaryStore();
    const { store } = opened;
    await store.events.accept(
      [sampleRecord({ project: 'shop', agent: 'claude', kind: 'activity' })],
      tell('desktop'),
    );

    await store.mutes.add(sampleMute({ createdAt: NOW, ...mute }), []);

    assert.equal((await claim(store)).length, 1);
  });
}

test('addMute() of a project holds what happened in it, and nothing without a project', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept(
    [
      sampleRecord({ sessionKey: 'a', project: 'shop' }),
      sampleRecord({ sessionKey: 'b', project: null }),
    ],
    tell('desktop'),
  );

  await store.mutes.add(sampleMute({ createdAt: NOW, project: 'shop' }), []);

  const claimed = await claim(store);
  assert.deepEqual(
    claimed.map(({ event }) => event.sessionKey),
    ['b'],
  );
});
