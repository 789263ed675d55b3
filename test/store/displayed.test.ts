import assert from 'node:assert/strict';
import test from 'node:test';

import { claim, settlement } from '../support/claims.ts';
import type { TestStore } from '../support/store.ts';
import {
  sampleAlert,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  temporaryStore,
} from '../support/store.ts';

/** Sends an alert of the session to "desktop"; returns the id of its event. */
async function shown({ store }: TestStore, sessionId: string, ref?: string): Promise<string> {
  const record = sampleRecord({ sessionId, sessionKey: `claude:${sessionId}` });
  const { id } = record.event;
  await store.events.accept([record], (memory, event) =>
    sampleEffects({
      alerts: [
        ...(memory.alert === null ? [] : [{ ...memory.alert, state: 'resolved' as const }]),
        sampleAlert(event),
      ],
      deliveries: [sampleDelivery({ id, alertId: `alert of ${id}` })],
    }),
  );
  const [claimed] = await claim(store);
  assert.ok(claimed);
  await store.outbox.recordAttempt(settlement(claimed, ref === undefined ? {} : { ref }));
  return id;
}

test('displayed() answers what was shown of live alerts, the latest, oldest first', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await shown(opened, 's1', 'pop-up 1');
  const second = await shown(opened, 's2', 'pop-up 2');
  const third = await shown(opened, 's3', 'pop-up 3');

  const found = await store.shown.displayed('desktop', 2);

  assert.deepEqual(
    found.map(({ ref, event, delivery }) => [ref, event.id, delivery.id]),
    [
      ['pop-up 2', second, second],
      ['pop-up 3', third, third],
    ],
  );
  assert.deepEqual(await store.shown.displayed('log', 9), []);
});

test('displayed() leaves out what has no reference, is over, or has given way to a newer message', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await shown(opened, 's1');
  const over = await shown(opened, 's2', 'pop-up 2');
  await shown(opened, 's3', 'pop-up 3');
  await shown(opened, 's3', 'pop-up 3 again');

  await store.events.accept([sampleRecord()], () =>
    sampleEffects({ withdraw: [{ alertId: `alert of ${over}`, reason: 'Answered' }] }),
  );

  const found = await store.shown.displayed('desktop', 9);
  assert.deepEqual(
    found.map(({ ref }) => ref),
    ['pop-up 3 again'],
  );
});
