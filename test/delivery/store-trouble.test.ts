import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StoreError } from '../../src/core/store-aging.ts';
import { delivered } from '../../src/core/outcome.ts';
import { deferred } from '../support/deferred.ts';
import { deliveryBench } from '../support/delivery-bench.ts';
import { heldAnswers } from '../support/fake-channel.ts';

describe('a store that fails (fault 12)', () => {
  test('an outcome it does not take is kept and written later; nothing is sent again', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({ timeoutMs: 1_000, answer: () => delivered({ ref: 'ref-1' }) });
    const id = store.add({ channel: 'slack' });
    store.breakDown('recordAttempt');
    const worker = start({ slack });
    // Longer than the claim's lease: to the store the attempt looks abandoned.
    await clock.advance(120_000);
    assert.equal(store.delivery(id).state, 'pending');

    const other = store.add({ channel: 'slack', event: { sessionKey: 'other' } });
    worker.wake();
    await clock.advance(1_000);
    store.breakDown();
    await clock.advance(60_000);

    assert.equal(store.delivery(id).state, 'sent');
    assert.equal(store.delivery(id).ref, 'ref-1');
    assert.equal(store.delivery(other).state, 'sent');
    assert.deepEqual(slack.ids(), [id, other]);
  });

  test('is asked again less and less often', async () => {
    const { clock, store, channel, start } = deliveryBench();
    store.breakDown('dueTimes');
    start({ slack: channel() });
    await clock.advance(600_000);

    assert.ok(store.calls('dueTimes') < 60, `asked ${store.calls('dueTimes')} times`);
  });

  for (const method of ['recoverClaims', 'channelStates', 'dueTimes', 'claim'] as const) {
    test(`${method}() failing only delays`, async () => {
      const { clock, store, channel, start } = deliveryBench();
      const slack = channel();
      const id = store.add({ channel: 'slack' });
      store.breakDown(method);
      const worker = start({ slack });
      await clock.advance(60_000);
      assert.deepEqual(slack.ids(), []);

      store.breakDown();
      worker.wake();
      await clock.advance(30_000);

      assert.deepEqual(slack.ids(), [id]);
    });
  }

  test('a state of a channel that cannot be saved holds in memory', async () => {
    const { clock, store, channel, start } = deliveryBench();
    store.breakDown('saveChannelState');
    const id = store.add({ channel: 'slack' });
    const worker = start({ slack: channel() });
    await clock.settle();

    assert.equal(store.delivery(id).state, 'sent');
    assert.equal(worker.state()[0]?.lastOutcome, 'delivered');
  });

  test('at the end of the daemon an outcome that cannot be written is given up and said', async () => {
    const { clock, store, channel, start, logged } = deliveryBench();
    const id = store.add({ channel: 'slack' });
    store.breakDown('recordAttempt');
    const worker = start({ slack: channel() });
    await clock.advance(1_000);

    const stopped = worker.stop({ graceMs: 5_000 });
    await clock.advance(5_000);
    await stopped;

    assert.ok(logged.some((line) => line.includes('Lost the record') && line.includes(id)));
  });

  test('a claim that was written although the disk said no delays nothing until its lease is over (fault 15)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    let isBroken = true;
    const brokenStore: typeof store = {
      ...store,
      async claim(query) {
        const claims = await store.claim(query);
        if (isBroken && claims.length > 0) throw new StoreError('io', 'disk I/O error');
        return claims;
      },
    };
    const slack = channel();
    const id = store.add({ channel: 'slack' });
    start({ slack }, { outbox: brokenStore });
    await clock.settle();

    isBroken = false;
    await clock.advance(5_000);

    assert.deepEqual(slack.ids(), [id]);
    assert.equal(slack.sent[0]?.notification.possibleDuplicate, false);
  });

  test('a claim whose lease ran out during a long sleep goes on as the same attempt (fault 7)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const { answer, give } = heldAnswers();
    const slack = channel({ answer });
    const id = store.add({ channel: 'slack' });
    const worker = start({ slack });
    await clock.settle();

    clock.jump(8 * 3_600_000);
    worker.wake();
    await clock.settle();
    give(delivered());
    await clock.settle();

    assert.deepEqual(slack.ids(), [id]);
    assert.equal(store.delivery(id).state, 'sent');
    assert.deepEqual(
      store.log(id).map(({ number, outcome }) => `${number} ${outcome}`),
      ['1 unknown', '2 delivered'],
    );
  });

  test('an outcome that crosses such a new claim is written under it', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const { answer, give } = heldAnswers();
    const slack = channel({ answer });
    const id = store.add({ channel: 'slack' });
    const { promise: claimed, resolve: onClaim } = deferred();
    const slowStore: typeof store = {
      ...store,
      async recordAttempt(settlement) {
        if (settlement.attempt.number === 1) await claimed;
        return store.recordAttempt(settlement);
      },
    };
    const worker = start({ slack }, { outbox: slowStore });
    await clock.settle();

    give(delivered());
    await clock.settle();
    clock.jump(8 * 3_600_000);
    worker.wake();
    await clock.settle();
    onClaim();
    await clock.settle();

    assert.equal(store.delivery(id).state, 'sent');
    assert.deepEqual(slack.ids(), [id]);
  });

  test('an outcome that the store gets after such a new claim, and before the worker knows of it, is written under it', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const { answer, give } = heldAnswers();
    const slack = channel({ answer });
    const id = store.add({ channel: 'slack' });
    const { promise: known, resolve: tellClaim } = deferred();
    const { promise: saved, resolve: endSave } = deferred();
    const slowStore: typeof store = {
      ...store,
      async claim(query) {
        const claims = await store.claim(query);
        if (claims.some(({ fence }) => fence > 1)) await known;
        return claims;
      },
      async saveChannelState(state) {
        await saved;
        return store.saveChannelState(state);
      },
    };
    const worker = start({ slack }, { outbox: slowStore });
    await clock.settle();

    clock.jump(8 * 3_600_000);
    worker.wake();
    await clock.settle();
    give(delivered());
    await clock.settle();
    tellClaim();
    await clock.settle();
    endSave();
    await clock.settle();

    assert.equal(store.delivery(id).state, 'sent');
    assert.deepEqual(slack.ids(), [id]);
  });

  test('a due time without a delivery does not cause a tight loop', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const misled: typeof store = { ...store, dueTimes: async () => new Map([['slack', 0]]) };
    const slack = channel();
    const worker = start({ slack }, { outbox: misled });
    await clock.advance(60_000);
    assert.ok(store.calls('claim') <= 61, `claimed ${store.calls('claim')} times`);

    const id = store.add({ channel: 'slack' });
    worker.wake();
    await clock.settle();
    assert.deepEqual(slack.ids(), [id]);
  });

  test('a delivery that is cancelled while it is sent counts as sent, and is sent once', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({
      answer: async ({ id }) => {
        await store.cancel(id);
        return delivered();
      },
    });
    const id = store.add({ channel: 'slack' });

    const worker = start({ slack });
    await clock.advance(60_000);

    assert.equal(store.delivery(id).state, 'sent');
    assert.equal(slack.sent.length, 1);
    assert.equal(worker.state()[0]?.inFlight, 0);
  });
});
