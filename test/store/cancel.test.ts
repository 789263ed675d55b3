import assert from 'node:assert/strict';
import test from 'node:test';

import { claim, settlement } from '../support/claims.ts';
import {
  NOW,
  sampleAlert,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  tell,
  temporaryStore,
} from '../support/store.ts';

test('an event may cancel what its alert has not sent: later steps, but not the excepted channels', async () => {
  await using opened = await temporaryStore();
  const asked = sampleRecord();
  const alertId = `alert of ${asked.event.id}`;
  const step = (id: string, number: number, channel: string): ReturnType<typeof sampleDelivery> =>
    sampleDelivery({ id, alertId, step: number, channel });
  await opened.store.events.accept([asked], (_memory, event) =>
    sampleEffects({
      alerts: [sampleAlert(event)],
      deliveries: [
        step('first', 0, 'desktop'),
        step('second', 1, 'desktop'),
        step('log', 1, 'log'),
        sampleDelivery({ id: 'of no alert', step: 1 }),
      ],
    }),
  );

  await opened.store.events.accept([sampleRecord()], () =>
    sampleEffects({
      cancel: [{ alertId, fromStep: 1, exceptChannels: ['log'], reason: 'Answered' }],
    }),
  );

  const entry = await opened.store.history.event(asked.event.id);
  assert.deepEqual(
    entry?.deliveries.map(({ id, state, reason }) => [id, state, reason]),
    [
      ['first', 'pending', null],
      ['second', 'cancelled', 'Answered'],
      ['log', 'pending', null],
      ['of no alert', 'pending', null],
    ],
  );
});

const endings = [
  { ending: 'arrives', state: 'sent', expected: 'sent', reason: null },
  { ending: 'should be tried again', state: 'retrying', expected: 'cancelled', reason: 'Answered' },
  { ending: 'fails for good', state: 'dead', expected: 'cancelled', reason: 'Answered' },
] as const;
for (const { ending, state, expected, reason } of endings) {
  test(`a delivery cancelled during an attempt that ${ending} is ${expected} afterwards`, async () => {
    await using opened = await temporaryStore();
    await opened.store.events.accept([sampleRecord()], () =>
      sampleEffects({ deliveries: [sampleDelivery({ alertId: 'a' })] }),
    );
    const [claimed] = await claim(opened.store);
    await opened.store.events.accept([sampleRecord()], () =>
      sampleEffects({
        cancel: [{ alertId: 'a', fromStep: 0, exceptChannels: [], reason: 'Answered' }],
      }),
    );

    assert.equal(await opened.store.outbox.recordAttempt(settlement(claimed!, { state })), true);

    const entry = await opened.store.history.event(claimed!.event.id);
    assert.deepEqual(
      entry?.deliveries.map((delivery) => [delivery.state, delivery.reason]),
      [[expected, reason]],
    );
    assert.deepEqual(await claim(opened.store, { now: NOW + 1e6 }), []);
  });
}

test('a delivery cancelled while claimed is cancelled by its release, and by recoverClaims()', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], tell('desktop', 'team'));
  const [released] = await claim(opened.store);
  await claim(opened.store, { channel: 'team' });
  await opened.store.queue.drop('all', 'Dropped');

  await opened.store.outbox.release(released!.delivery.id, released!.fence);
  await opened.store.outbox.recoverClaims(NOW);

  const entry = await opened.store.history.event('last');
  assert.deepEqual(
    entry?.deliveries.map(({ state, reason }) => [state, reason]),
    [
      ['cancelled', 'Dropped'],
      ['cancelled', 'Dropped'],
    ],
  );
});
