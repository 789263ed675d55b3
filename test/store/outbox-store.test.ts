import assert from 'node:assert/strict';
import test from 'node:test';

import type { ClaimedDelivery } from '../../src/core/outbox.ts';
import { claim, settlement } from '../support/claims.ts';
import {
  NOW,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  sampleSession,
  storeAt,
  tell,
  temporaryStore,
} from '../support/store.ts';

function idsOf(claimed: readonly ClaimedDelivery[]): readonly string[] {
  return claimed.map(({ delivery }) => delivery.id);
}

test('accept() stores what goes to the inbox as sent, unless it is held', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const record = sampleRecord();
  await store.events.accept([record], () =>
    sampleEffects({
      deliveries: [
        sampleDelivery({ id: 'now', channel: 'inbox' }),
        sampleDelivery({ id: 'step', channel: 'inbox', dueAt: NOW + 1, heldFor: 'step' }),
      ],
    }),
  );

  const timeline = await store.history.event(record.event.id);

  const found = timeline?.deliveries.map(({ state, attempts, sentAt, log }) => [
    state,
    attempts,
    sentAt,
    log.map(({ outcome }) => outcome),
  ]);
  assert.deepEqual(found, [
    ['sent', 1, NOW, ['delivered']],
    ['pending', 0, null, []],
  ]);
  assert.deepEqual(await claim(store, { channel: 'inbox' }), []);
});

test('claim() hands out the due deliveries of one channel with event and session', async () => {
  await using opened = await temporaryStore();
  const record = sampleRecord();
  const session = sampleSession();
  await opened.store.events.accept([record], () =>
    sampleEffects({
      session,
      deliveries: [
        sampleDelivery({ id: 'due' }),
        sampleDelivery({ id: 'later', dueAt: NOW + 1 }),
        sampleDelivery({ id: 'elsewhere', channel: 'team' }),
      ],
    }),
  );

  const claimed = await claim(opened.store);

  assert.deepEqual(claimed, [
    {
      delivery: {
        id: 'due',
        eventId: record.event.id,
        alertId: null,
        step: 0,
        channel: 'desktop',
        state: 'pending',
        dueAt: NOW,
        heldFor: null,
        quietly: false,
        recipient: null,
        stillRunning: false,
        failures: 0,
        waitedMs: 0,
        repetition: 0,
        delayMs: 0,
        condition: null,
        alsoCovers: [],
        attempts: 0,
        reason: null,
        ref: null,
        carry: null,
        possibleDuplicate: false,
        createdAt: NOW,
        sentAt: null,
      },
      event: record.event,
      session,
      also: [],
      fence: 1,
    },
  ]);
});

test('claim() keeps the order of due time, then of arrival, and its limit', async () => {
  await using opened = await temporaryStore();
  for (const [index, offset] of [3, 1, 2, 1].entries()) {
    await opened.store.events.accept([sampleRecord({ sessionKey: `session ${index}` })], () =>
      sampleEffects({
        deliveries: [sampleDelivery({ id: `${offset}.${index}`, dueAt: NOW - 10 + offset })],
      }),
    );
  }

  const claimed = await claim(opened.store, { limit: 3 });

  assert.deepEqual(idsOf(claimed), ['1.1', '1.3', '2.2']);
});

test('claim() hands out one delivery of a session and channel at a time, in their order', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], () =>
    sampleEffects({
      deliveries: [
        sampleDelivery({ id: 'second', dueAt: NOW - 1 }),
        sampleDelivery({ id: 'first', dueAt: NOW - 2 }),
        sampleDelivery({ id: 'third', dueAt: NOW - 1 }),
        sampleDelivery({ id: 'elsewhere', channel: 'team' }),
      ],
    }),
  );
  await opened.store.events.accept([sampleRecord({ sessionKey: 'other' })], () =>
    sampleEffects({ deliveries: [sampleDelivery({ id: 'of another session' })] }),
  );

  const [first, other] = await claim(opened.store);
  assert.deepEqual(idsOf([first!, other!]), ['first', 'of another session']);
  assert.deepEqual(idsOf(await claim(opened.store)), [], 'while the first is under way');
  await opened.store.outbox.recordAttempt(settlement(first!));
  const [second] = await claim(opened.store);
  assert.equal(second?.delivery.id, 'second');
  await opened.store.outbox.release('second', second.fence);
  assert.equal((await opened.store.outbox.dueTimes()).get('desktop'), NOW - 1, 'it keeps its turn');
  await opened.store.queue.drop(['second'], 'Dropped');
  assert.deepEqual(idsOf(await claim(opened.store)), ['third']);
});

test('claim() holds the others of a session back while one of them waits to be tried again', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  for (const id of ['tried', 'held back']) {
    await store.events.accept([sampleRecord()], () =>
      sampleEffects({ deliveries: [sampleDelivery({ id })] }),
    );
  }
  const [tried] = await claim(store);
  await store.outbox.recordAttempt(settlement(tried!, { state: 'retrying', dueAt: NOW + 5000 }));

  assert.deepEqual(idsOf(await claim(store, { now: NOW + 4999 })), []);
  assert.deepEqual([...(await store.outbox.dueTimes())], [['desktop', NOW + 5000]]);

  const [again] = await claim(store, { now: NOW + 5000 });
  assert.equal(again?.delivery.id, 'tried');
  await store.outbox.recordAttempt(settlement(again, { state: 'dead', reason: 'Refused' }));
  assert.deepEqual(idsOf(await claim(store)), ['held back']);
});

test('claim() hands a delivery out once while its lease lasts', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], tell('desktop'));
  await claim(opened.store, { leaseMs: 1000 });

  const again = await claim(opened.store, { now: NOW + 999 });

  assert.deepEqual(again, []);
});

test('claim() takes an overdue claim over with a higher fence, and the late settlement is refused (fault 63)', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], tell('desktop'));
  const [late] = await claim(opened.store, { leaseMs: 1000 });

  const [taken] = await claim(opened.store, { now: NOW + 1000 });

  assert.equal(await opened.store.outbox.recordAttempt(settlement(late!)), false);
  assert.ok(taken!.fence > late!.fence);
  assert.equal(taken!.delivery.possibleDuplicate, true);
  const entry = await opened.store.history.event('last');
  assert.deepEqual(
    entry?.deliveries[0]?.log.map(({ outcome }) => outcome),
    ['unknown'],
  );
});

test('recordAttempt() with "sent" keeps reference and time, and logs the attempt', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], tell('desktop'));
  const [claimed] = await claim(opened.store);
  const wanted = settlement(claimed!, { ref: '17', reason: '1 of 2 recipients was refused' });

  assert.equal(await opened.store.outbox.recordAttempt(wanted), true);

  const entry = await opened.store.history.event('last');
  assert.deepEqual(entry?.deliveries[0], {
    ...claimed!.delivery,
    state: 'sent',
    attempts: 1,
    ref: '17',
    reason: '1 of 2 recipients was refused',
    sentAt: NOW + 40,
    sentWith: null,
    log: [wanted.attempt],
  });
});

test('recordAttempt() with "retrying" makes it due again, with what the next attempt must know', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], tell('desktop'));
  const [first] = await claim(opened.store);
  await opened.store.outbox.recordAttempt(
    settlement(first!, {
      state: 'retrying',
      dueAt: NOW + 5000,
      reason: 'Server busy',
      carry: 'b@x.test',
      possibleDuplicate: true,
    }),
  );

  const early = await claim(opened.store, { now: NOW + 4999 });
  const [second] = await claim(opened.store, { now: NOW + 5000 });

  assert.deepEqual(early, []);
  const { state, attempts, carry, possibleDuplicate, reason } = second!.delivery;
  assert.deepEqual(
    { state, attempts, carry, possibleDuplicate, reason },
    {
      state: 'retrying',
      attempts: 1,
      carry: 'b@x.test',
      possibleDuplicate: true,
      reason: 'Server busy',
    },
  );
});

test('recordAttempt() twice with one fence: the second is refused and writes nothing', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], tell('desktop'));
  const [claimed] = await claim(opened.store);
  await opened.store.outbox.recordAttempt(settlement(claimed!));

  const again = await opened.store.outbox.recordAttempt(
    settlement(claimed!, { state: 'dead', reason: 'No' }),
  );

  const entry = await opened.store.history.event('last');
  assert.deepEqual(
    [again, entry?.deliveries[0]?.state, entry?.deliveries[0]?.log.length],
    [false, 'sent', 1],
  );
});

test('release() makes a delivery due immediately, without an attempt', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], tell('desktop'));
  const [claimed] = await claim(opened.store);

  await opened.store.outbox.release(claimed!.delivery.id, claimed!.fence);

  const [again] = await claim(opened.store);
  assert.deepEqual([again?.delivery.attempts, again?.delivery.state], [0, 'pending']);
  assert.ok(again!.fence > claimed!.fence);
});

test('claim() hands all out whose claim ran out, whatever the limit: their attempts may still be under way (faults 7, 26)', async () => {
  await using opened = await temporaryStore();
  const records = ['a', 'b', 'c'].map((sessionKey) => sampleRecord({ id: sessionKey, sessionKey }));
  await opened.store.events.accept(records, tell('desktop'));
  const first = await claim(opened.store);
  assert.equal(first.length, 3);

  const again = await claim(opened.store, { now: NOW + 86_400_000, limit: 1 });

  assert.deepEqual(
    again.map(({ delivery }) => delivery.id),
    first.map(({ delivery }) => delivery.id),
  );
});

test('releaseLost() gives up unknown claims, and leaves those in use (fault 15)', async () => {
  await using opened = await temporaryStore();
  const records = ['a', 'b'].map((sessionKey) => sampleRecord({ id: sessionKey, sessionKey }));
  await opened.store.events.accept(records, tell('desktop'));
  const claimed = await claim(opened.store);

  await opened.store.outbox.releaseLost('desktop', [claimed[0]!.delivery.id]);

  const [again, ...others] = await claim(opened.store);
  assert.deepEqual([again?.delivery.id, others], [claimed[1]!.delivery.id, []]);
  assert.equal(again?.delivery.possibleDuplicate, false);
});

test('recoverClaims() makes what a dead daemon had claimed due again, as a possible duplicate (fault 3)', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], tell('desktop', 'team'));
  await claim(opened.store, { leaseMs: 60_000 });
  await opened.store.close();

  await using restarted = await storeAt(opened.path);
  const recovered = await restarted.store.outbox.recoverClaims(NOW);

  const [claimed] = await claim(restarted.store);
  assert.equal(recovered, 1);
  assert.deepEqual(
    [claimed?.delivery.possibleDuplicate, claimed?.delivery.attempts, claimed?.delivery.state],
    [true, 1, 'retrying'],
  );
  const entry = await restarted.store.history.event('last');
  assert.deepEqual(
    entry?.deliveries.map(({ log }) => log.map(({ number, outcome }) => [number, outcome])),
    [[[1, 'unknown']], []],
  );
});

test('recoverClaims() does not leave a delivery due tomorrow because the clock was set back (fault 26)', async () => {
  await using opened = await temporaryStore();
  const day = 24 * 3_600_000;
  await opened.store.events.accept([sampleRecord()], () =>
    sampleEffects({ deliveries: [sampleDelivery({ dueAt: NOW + day })] }),
  );
  await claim(opened.store, { now: NOW + day });

  await opened.store.outbox.recoverClaims(NOW);

  assert.equal((await claim(opened.store)).length, 1);
});

test('dueTimes() says for each channel when it has something to claim', async () => {
  await using opened = await temporaryStore();
  await opened.store.events.accept([sampleRecord()], () =>
    sampleEffects({
      deliveries: [
        sampleDelivery({ id: 'desktop 5', channel: 'desktop', dueAt: NOW + 5 }),
        sampleDelivery({ id: 'desktop 3', channel: 'desktop', dueAt: NOW + 3 }),
        sampleDelivery({ id: 'mail 9', channel: 'mail', dueAt: NOW + 9 }),
        sampleDelivery({ id: 'team 0', channel: 'team', dueAt: NOW + 0 }),
        sampleDelivery({ id: 'done 0', channel: 'done', dueAt: NOW + 0 }),
      ],
    }),
  );
  await claim(opened.store, { channel: 'team', leaseMs: 700 });
  const [done] = await claim(opened.store, { channel: 'done' });
  await opened.store.outbox.recordAttempt(settlement(done!));

  const due = await opened.store.outbox.dueTimes();

  assert.deepEqual(
    [...due],
    [
      ['desktop', NOW + 3],
      ['mail', NOW + 9],
      // Claimed: the claim's end, or a loop waiting for the due time would never sleep.
      ['team', NOW + 700],
    ],
  );
});

test('claim() hands out several of a session, which a crash leaves in their order, marked', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const ids = ['a', 'b', 'c', 'd'];
  for (const id of ids) await store.events.accept([sampleRecord({ id })], tell('file'));
  const query = { channel: 'file', now: NOW, leaseMs: 1_000, limit: 3, perSession: 8 };

  const claimed = await store.outbox.claim(query);
  assert.deepEqual(
    claimed.map(({ event }) => event.id),
    ['a', 'b', 'c'],
  );
  assert.equal(await store.outbox.recoverClaims(NOW), 3);
  const [first, ...others] = await store.outbox.claim(query);
  assert.equal(first?.event.id, 'a');
  assert.deepEqual(others, []);
  await store.outbox.recordAttempt(settlement(first, { state: 'retrying', dueAt: NOW + 60_000 }));
  assert.deepEqual(await store.outbox.claim(query), []);
  const [again] = await store.outbox.claim({ ...query, now: NOW + 60_000 });
  await store.outbox.recordAttempt(settlement(again!));

  const rest = await store.outbox.claim({ ...query, limit: 9, now: NOW + 60_000 });
  assert.deepEqual(
    rest.map(({ event, delivery }) => [event.id, delivery.possibleDuplicate]),
    [
      ['b', true],
      ['c', true],
      ['d', false],
    ],
  );
});
