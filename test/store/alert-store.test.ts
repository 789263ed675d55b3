import assert from 'node:assert/strict';
import test from 'node:test';

import { claim, settlement } from '../support/claims.ts';
import type { TestStore } from '../support/store.ts';
import {
  NOW,
  sampleAlert,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  temporaryStore,
} from '../support/store.ts';

const HOUR_MS = 3_600_000;

/**
 * An alert of session `sessionId`, sent to "desktop" and "log" immediately and to both again later; returns the event's
 * id.
 */
async function alertOf({ store }: TestStore, sessionId: string): Promise<string> {
  const record = sampleRecord({ sessionId, sessionKey: `claude:${sessionId}` });
  const { id } = record.event;
  await store.events.accept([record], (_memory, event) =>
    sampleEffects({
      alerts: [sampleAlert(event)],
      deliveries: ['desktop', 'log'].flatMap((channel) => [
        sampleDelivery({ id: `${id}/${channel}/0`, channel, alertId: `alert of ${id}` }),
        sampleDelivery({
          id: `${id}/${channel}/1`,
          channel,
          alertId: `alert of ${id}`,
          step: 1,
          heldFor: 'step',
          dueAt: NOW + 60_000,
        }),
      ]),
    }),
  );
  return id;
}

async function unsent({ store }: TestStore): Promise<readonly string[]> {
  const found = await store.queue.list({ limit: 99, states: ['pending', 'retrying'] });
  return found.map(({ id }) => id).toSorted();
}

test('expireAlerts() expires alerts without a reaction, and cancels unsent messages to people', async () => {
  await using opened = await temporaryStore();
  const id = await alertOf(opened, 's1');

  assert.equal(
    await opened.store.alerts.expire({ now: NOW + HOUR_MS - 1, exceptChannels: ['log'] }),
    0,
  );
  assert.equal(
    await opened.store.alerts.expire({ now: NOW + HOUR_MS, exceptChannels: ['log'] }),
    1,
  );

  assert.deepEqual(await opened.store.alerts.live(), []);
  assert.deepEqual(await unsent(opened), [`${id}/log/0`]);
  const entry = await opened.store.history.event(id);
  assert.match(entry?.deliveries[0]?.reason ?? '', /^Expired/);
  assert.equal(await opened.store.held.nextTimer(), null);
});

test('acknowledge() silences the later steps of one session, says by whom, and leaves the alert live', async () => {
  await using opened = await temporaryStore();
  const seen = await alertOf(opened, 's1');
  const other = await alertOf(opened, 's2');

  const alerts = await opened.store.alerts.acknowledge({
    of: { sessionKey: 'claude:s1' },
    by: 'a person',
    now: NOW + 5,
    exceptChannels: ['log'],
  });

  assert.deepEqual(
    alerts.map(({ eventId, state, acknowledgedAt }) => [eventId, state, acknowledgedAt]),
    [[seen, 'acknowledged', NOW + 5]],
  );
  assert.deepEqual(
    new Map((await opened.store.alerts.live()).map(({ eventId, state }) => [eventId, state])),
    new Map([
      [seen, 'acknowledged'],
      [other, 'open'],
    ]),
  );
  assert.deepEqual(
    (await unsent(opened)).filter((id) => id.startsWith(`${seen}/`)),
    [`${seen}/log/0`],
  );
  const entry = await opened.store.history.event(seen);
  assert.equal(entry?.deliveries[0]?.reason, 'Acknowledged by a person');
});

test('acknowledge() of a delivery acknowledges all its alerts, and records by what in their events', async () => {
  await using opened = await temporaryStore();
  const told = await alertOf(opened, 's1');
  const joined = await alertOf(opened, 's2');
  const other = await alertOf(opened, 's3');
  const carrier = `${told}/desktop/0`;
  await opened.store.held.releaseDue(NOW + 60_000, ({ due }) =>
    due.map(({ delivery }) => {
      const decision = { stage: 'plan', verdict: 'note', reason: 'Because' } as const;
      return delivery.id === `${joined}/desktop/1`
        ? { type: 'join', carrier, decision }
        : { type: 'hold', heldFor: 'step', until: NOW + 120_000, decision };
    }),
  );
  const query = { by: 'a click', now: NOW + 60_001, exceptChannels: [] };

  const none = await opened.store.alerts.acknowledge({ ...query, of: { deliveryId: 'of a test' } });
  const seen = await opened.store.alerts.acknowledge({ ...query, of: { deliveryId: carrier } });
  const again = await opened.store.alerts.acknowledge({ ...query, of: { deliveryId: carrier } });

  assert.deepEqual(seen.map(({ eventId }) => eventId).toSorted(), [told, joined].toSorted());
  assert.deepEqual([none, again], [[], []]);
  assert.equal(
    (await opened.store.alerts.live()).find(({ state }) => state === 'open')?.eventId,
    other,
  );
  const [decision] = (await opened.store.history.event(joined))?.decisions.toReversed() ?? [];
  assert.deepEqual(decision, {
    stage: 'resolve',
    verdict: 'note',
    reason: 'Acknowledged by a click',
  });
});

test('acknowledge() of all sessions answers those that were not acknowledged before', async () => {
  await using opened = await temporaryStore();
  await alertOf(opened, 's1');
  await alertOf(opened, 's2');
  const query = { by: 'a person', now: NOW, exceptChannels: [] };

  const first = await opened.store.alerts.acknowledge({
    ...query,
    of: { sessionKey: 'claude:s1' },
  });
  const second = await opened.store.alerts.acknowledge({ ...query, of: 'all' });

  assert.deepEqual([first.length, second.map(({ sessionKey }) => sessionKey)], [1, ['claude:s2']]);
  assert.deepEqual(
    await opened.store.alerts.acknowledge({ ...query, of: { sessionKey: 'claude:nobody' } }),
    [],
  );
});

/** Ends the alert of an event and wants back what was shown of it. */
async function end({ store }: TestStore, eventId: string): Promise<void> {
  await store.events.accept([sampleRecord()], () =>
    sampleEffects({ withdraw: [{ alertId: `alert of ${eventId}`, reason: 'Answered' }] }),
  );
}

test('withdrawals() returns what was sent of an alert that is over, with its reference, until it is finished', async () => {
  await using opened = await temporaryStore();
  const id = await alertOf(opened, 's1');
  const [claimed] = await claim(opened.store);
  await opened.store.outbox.recordAttempt(settlement(claimed!, { ref: 'pop-up 7' }));
  assert.deepEqual(await opened.store.shown.withdrawals('desktop', 9), []);

  await end(opened, id);

  const [taken, ...more] = await opened.store.shown.withdrawals('desktop', 9);
  assert.deepEqual(
    [taken?.ref, taken?.reason, taken?.event.id, taken?.succeeded, more.length],
    ['pop-up 7', 'Answered', id, false, 0],
  );
  assert.equal((await opened.store.shown.withdrawals('desktop', 9)).length, 1);
  await opened.store.shown.finishWithdrawals([taken!]);
  assert.deepEqual(await opened.store.shown.withdrawals('desktop', 9), []);
  assert.deepEqual(await opened.store.shown.withdrawals('log', 9), []);
});

test('withdrawals() returns what was still being sent when its alert ended', async () => {
  await using opened = await temporaryStore();
  const id = await alertOf(opened, 's1');
  const [claimed] = await claim(opened.store);

  await end(opened, id);
  assert.deepEqual(await opened.store.shown.withdrawals('desktop', 9), []);
  await opened.store.outbox.recordAttempt(settlement(claimed!, { ref: 'pop-up 7' }));

  assert.equal((await opened.store.shown.withdrawals('desktop', 9)).length, 1);
});

test('withdrawals() says where a newer message of the session followed on the channel', async () => {
  await using opened = await temporaryStore();
  const id = await alertOf(opened, 's1');
  const [claimed] = await claim(opened.store);
  await opened.store.outbox.recordAttempt(settlement(claimed!, { ref: 'pop-up 7' }));
  await end(opened, id);

  await opened.store.events.accept([sampleRecord()], () =>
    sampleEffects({ deliveries: [sampleDelivery({ id: 'newer' })] }),
  );

  const [taken] = await opened.store.shown.withdrawals('desktop', 9);
  assert.equal(taken?.succeeded, true);
});

test('withdrawals() leaves out a message combined with other sessions', async () => {
  await using opened = await temporaryStore();
  const [first] = [await alertOf(opened, 's1'), await alertOf(opened, 's2')];
  await opened.store.held.releaseDue(NOW + 60_000, ({ due }) => {
    const carrier = due[0]!.delivery.id;
    const decision = { stage: 'throttle', verdict: 'notify', reason: 'Together' } as const;
    return due.map((_one, index) =>
      index === 0
        ? { type: 'release', quietly: false, decision: null }
        : { type: 'join', carrier, decision },
    );
  });
  for (const claimed of await claim(opened.store, { now: NOW + 60_000 })) {
    await opened.store.outbox.recordAttempt(settlement(claimed, { ref: claimed.delivery.id }));
  }

  await end(opened, first);

  assert.deepEqual(
    (await opened.store.shown.withdrawals('desktop', 9)).map(({ ref }) => ref),
    [`${first}/desktop/0`],
  );
});

test('an alert that is answered before its acknowledgement was passed on is withdrawn, and once', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const id = await alertOf(opened, 's1');
  const [shown] = await claim(store);
  await store.outbox.recordAttempt(settlement(shown!, { state: 'sent', ref: 'incident' }));
  await store.alerts.acknowledge({ of: 'all', by: 'a person', now: NOW, exceptChannels: [] });
  const acknowledged = await store.shown.withdrawals('desktop', 9);

  await end(opened, id);
  await store.shown.finishWithdrawals(acknowledged);

  const over = await store.shown.withdrawals('desktop', 9);
  assert.deepEqual(
    [...acknowledged, ...over].map(({ cause, reason }) => [cause, reason]),
    [
      ['acknowledged', 'Acknowledged by a person'],
      ['over', 'Answered'],
    ],
  );
  await store.shown.finishWithdrawals(over);
  assert.deepEqual(await store.shown.withdrawals('desktop', 9), []);
});

for (const possibleDuplicate of [true, false]) {
  const which = possibleDuplicate ? 'may have arrived' : 'cannot have arrived';
  test(`a message whose attempt ${which} is ${possibleDuplicate ? '' : 'not '}withdrawn when it is answered before the retry`, async () => {
    await using opened = await temporaryStore();
    const { store } = opened;
    await alertOf(opened, 's1');
    const [claimed] = await claim(store);
    const outcome = { state: 'retrying', dueAt: NOW + 60_000, possibleDuplicate } as const;
    await store.outbox.recordAttempt(settlement(claimed!, outcome));

    await store.alerts.acknowledge({ of: 'all', by: 'a person', now: NOW, exceptChannels: [] });

    const found = await store.shown.withdrawals('desktop', 9);
    assert.deepEqual(
      found.map(({ ref, delivery }) => [ref, delivery.state]),
      possibleDuplicate ? [[null, 'cancelled']] : [],
    );
  });
}

test('acknowledge() lets channels take back what they have shown of the alert (B4)', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const id = await alertOf(opened, 's1');
  const [shown] = await claim(store);
  await store.outbox.recordAttempt(settlement(shown!, { state: 'sent', ref: 'pop-up 7' }));

  await store.alerts.acknowledge({ of: 'all', by: 'a person', now: NOW, exceptChannels: ['log'] });

  const taken = await store.shown.withdrawals('desktop', 10);
  assert.deepEqual(
    taken.map(({ event, ref, reason }) => [event.id, ref, reason]),
    [[id, 'pop-up 7', 'Acknowledged by a person']],
  );
});
