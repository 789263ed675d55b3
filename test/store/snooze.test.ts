import assert from 'node:assert/strict';
import { test } from 'node:test';

import { claim, settlement } from '../support/claims.ts';
import { releaseAll } from '../support/held.ts';
import type { TestStore } from '../support/store.ts';
import {
  NOW,
  sampleAlert,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  temporaryStore,
} from '../support/store.ts';

const UNTIL = NOW + 1_800_000;

/** An alert that the desktop has shown; a second step waits, and a program has its copy. */
async function shown(opened: TestStore): Promise<ReturnType<typeof sampleRecord>> {
  const record = sampleRecord();
  const alert = sampleAlert(record.event);
  const deliveries = [
    sampleDelivery({ id: 'first', alertId: alert.id }),
    sampleDelivery({ id: 'log', alertId: alert.id, channel: 'log' }),
    sampleDelivery({
      id: 'later',
      alertId: alert.id,
      channel: 'team',
      step: 1,
      heldFor: 'step',
      dueAt: NOW + 60_000,
    }),
  ];
  await opened.store.events.accept([record], () => sampleEffects({ alerts: [alert], deliveries }));
  for (const channel of ['desktop', 'log']) {
    const [claimed] = await claim(opened.store, { channel });
    await opened.store.outbox.recordAttempt(settlement(claimed!));
  }
  return record;
}

function snooze({ store }: TestStore, sessionKey: string): Promise<readonly string[] | null> {
  let made = 0;
  return store.alerts.snooze({
    sessionKey,
    until: UNTIL,
    now: NOW,
    exceptChannels: ['log'],
    newId: () => `again-${(made += 1)}`,
  });
}

for (const acknowledged of [false, true]) {
  test(`snooze() keeps an alert quiet until its time and notifies again then${acknowledged ? ', also one that was acknowledged' : ''} (B18)`, async () => {
    await using opened = await temporaryStore();
    const { store } = opened;
    const { event } = await shown(opened);
    if (acknowledged) {
      const of = { sessionKey: event.sessionKey };
      await store.alerts.acknowledge({ of, by: 'a person', now: NOW, exceptChannels: ['log'] });
    }

    assert.deepEqual(await snooze(opened, event.sessionKey), ['desktop']);

    const [alert] = await store.alerts.live();
    assert.deepEqual([alert?.state, alert?.acknowledgedAt], ['open', null]);
    assert.equal(alert?.snoozedUntil, UNTIL);
    assert.equal(await store.held.releaseDue(UNTIL - 1, releaseAll), 0);
    assert.ok((await store.held.releaseDue(UNTIL, releaseAll)) >= 1);
    const [again] = await claim(store, { now: UNTIL });
    assert.equal(again?.delivery.id, 'again-1');
  });
}

test('snooze() notifies of nothing that was answered meanwhile (B18)', async () => {
  await using opened = await temporaryStore();
  const { event } = await shown(opened);
  await snooze(opened, event.sessionKey);
  const [alert] = await opened.store.alerts.live();

  await opened.store.events.accept([sampleRecord({ id: 'answer', kind: 'prompt' })], () =>
    sampleEffects({
      alerts: [{ ...alert!, state: 'resolved', closedAt: NOW, closedBy: 'answer' }],
      cancel: [{ alertId: alert!.id, fromStep: 0, exceptChannels: ['log'], reason: 'Answered' }],
    }),
  );

  assert.equal(await opened.store.held.releaseDue(UNTIL, releaseAll), 0);
  assert.equal(await snooze(opened, event.sessionKey), null);
});
