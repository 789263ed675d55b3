import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { channelCatalog } from '../../src/channels/registry.ts';
import type { ChannelState } from '../../src/core/delivery.ts';
import { delivered, failed, retry } from '../../src/core/outcome.ts';
import { deliveryBench } from '../support/delivery-bench.ts';

const channelDefinitions = await channelCatalog.load();

const HOUR_MS = 3_600_000;

describe('the circuit of a channel', () => {
  test('opens after 5 failed attempts in a row, for 30 s doubling to 15 min, and probes with one delivery', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({ answer: () => retry('Refused') });
    for (let n = 0; n < 40; n += 1) {
      store.add({ channel: 'slack', event: { sessionKey: `session-${n}` } });
    }
    const begin = clock.now();

    start({ slack });
    await clock.advance(2 * HOUR_MS);

    // Four in parallel, of which the first to fail makes room for the fifth; that one and those in flight open it.
    const probes = slack.sent.map(({ at }) => at - begin).filter((at) => at > 0);
    const pauses = probes.map((at, index) => at - (probes[index - 1] ?? 0));
    assert.ok(slack.sent.length - probes.length <= 8);
    assert.deepEqual(
      pauses.slice(0, 7),
      [30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000],
    );
  });

  test('closes when a probe gets through, and everything that waited goes out', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({ answer: () => retry('Refused') });
    const ids = Array.from({ length: 20 }, (_, n) =>
      store.add({ channel: 'slack', event: { sessionKey: `session-${n}` } }),
    );
    const worker = start({ slack });
    await clock.advance(29_999);
    assert.equal(worker.state()[0]?.circuit, 'open');

    slack.answer(() => delivered());
    await clock.advance(1);
    assert.equal(worker.state()[0]?.circuit, 'closed');

    await clock.advance(60_000);
    assert.ok(ids.every((id) => store.delivery(id).state === 'sent'));
  });

  test('an outage of hours kills nothing that waits (faults 34, 36)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({ answer: () => retry('No network'), maxAttempts: 6 });
    const ids = ['a', 'b'].map((sessionKey) =>
      store.add({ channel: 'slack', event: { sessionKey } }),
    );
    start({ slack });
    await clock.advance(20 * HOUR_MS);

    slack.answer(() => delivered());
    await clock.advance(HOUR_MS / 2);

    assert.deepEqual(
      ids.map((id) => store.delivery(id).state),
      ['sent', 'sent'],
    );
  });

  const lengths = [18_000, 20 * 60_000];
  // One alone makes all the attempts that open the circuit.
  const waiting = [['a'], ['a', 'a', 'b', 'c', 'd', 'e']];
  const outages = channelDefinitions.flatMap(({ type, limits }) =>
    lengths.flatMap((ms) => waiting.map((sessions) => ({ type, limits, ms, sessions }))),
  );
  for (const { type, limits, ms, sessions } of outages) {
    test(`an outage of ${ms / 1_000} s kills none of ${sessions.length} messages on a channel of type "${type}", not even what opens the circuit (A1)`, async () => {
      const { clock, store, channel, start } = deliveryBench();
      const fake = channel({ ...limits, answer: () => delivered() });
      store.add({ channel: 'c', event: { sessionKey: 'before' } });
      const worker = start({ c: fake });
      await clock.advance(1_000);

      fake.answer(() => retry('No way through'));
      for (const sessionKey of sessions) {
        store.add({ channel: 'c', event: { sessionKey } });
      }
      worker.wake();
      await clock.advance(ms);
      assert.ok(store.deliveries().every(({ state }) => state !== 'dead'));
      fake.answer(() => delivered());
      await clock.advance(16 * 60_000);

      assert.deepEqual(new Set(store.deliveries().map(({ state }) => state)), new Set(['sent']));
      const first = fake.ids().filter((id) => id === 'delivery-2').length;
      assert.ok(first >= 2, 'the first one was hit by the outage');
    });
  }

  test('messages of a session that failed together in a batch arrive in their order after the outage', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const arrived: string[] = [];
    const limits = { batch: 8, pipelined: true, concurrency: 8 };
    const file = channel({ ...limits, answer: () => retry('No space left') });
    const ids = Array.from({ length: 20 }, () => store.add({ channel: 'file' }));
    start({ file });
    await clock.advance(20 * 60_000);

    file.answer(({ id }) => {
      arrived.push(id);
      return delivered();
    });
    await clock.advance(20 * 60_000);

    assert.deepEqual(arrived, ids);
  });

  test('what waits over 25 h of sleep, or a clock set forward, is sent when its channel is back (A4)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const webhook = channel({ answer: () => retry('No network') });
    for (let n = 0; n < 20; n += 1) {
      store.add({ channel: 'webhook', event: { sessionKey: `session-${n}` } });
    }
    start({ webhook });
    await clock.advance(18_000);
    assert.ok(store.deliveries().some(({ attempts }) => attempts === 0));

    clock.jump(25 * HOUR_MS);
    webhook.answer(() => delivered());
    await clock.advance(HOUR_MS / 2);

    assert.deepEqual(new Set(store.deliveries().map(({ state }) => state)), new Set(['sent']));
  });

  test('what waited a day is tried once more before it is given up, and sent where that works (A4)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const webhook = channel({ answer: () => retry('No network') });
    for (let n = 0; n < 20; n += 1) {
      store.add({ channel: 'webhook', event: { sessionKey: `session-${n}` } });
    }
    start({ webhook });
    await clock.advance(23.9 * HOUR_MS);

    webhook.answer(() => delivered());
    await store.addAwakeTime(HOUR_MS);
    await clock.advance(HOUR_MS);

    assert.deepEqual(new Set(store.deliveries().map(({ state }) => state)), new Set(['sent']));
  });

  test('what waited a day is given up with the reason of the outage', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({ answer: () => retry('No network') });
    const ids = Array.from({ length: 150 }, (_, n) =>
      store.add({ channel: 'slack', event: { sessionKey: `session-${n}` } }),
    );
    start({ slack });

    await clock.advance(25 * HOUR_MS);

    const ends = ids.map((id) => store.delivery(id));
    assert.ok(ends.every(({ state }) => state === 'dead'));
    assert.ok(ends.every(({ reason }) => reason === 'Gave up after 24 h: No network'));
  });

  test('a delivery that is itself the trouble is not the probe each time', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const poison = store.add({ channel: 'slack', event: { sessionKey: 'poison' } });
    const slack = channel({
      answer: ({ id }) => (id === poison ? retry('Cannot take this') : delivered()),
    });
    const worker = start({ slack });
    await clock.advance(20_000);
    assert.equal(worker.state()[0]?.circuit, 'open');

    const other = store.add({ channel: 'slack', event: { sessionKey: 'other' } });
    await clock.advance(60_000);

    assert.equal(store.delivery(other).state, 'sent');
    assert.equal(worker.state()[0]?.circuit, 'closed');
  });

  test('a broken channel is not asked again; what waits is sent once the configuration is mended (fault 35)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const revoked = channel({ answer: () => failed('invalid_token', { channelBroken: true }) });
    const ids = ['a', 'b', 'c'].map((sessionKey) =>
      store.add({ channel: 'slack', event: { sessionKey } }),
    );
    const changes: string[] = [];
    const onChange = (after: ChannelState): void => {
      changes.push(`${after.circuit}: ${after.lastReason}`);
    };
    const worker = start(
      { slack: { ...revoked, limits: { ...revoked.limits, concurrency: 1 } } },
      { onChange },
    );
    await clock.advance(12 * HOUR_MS);

    assert.equal(revoked.sent.length, 1);
    assert.deepEqual(changes, ['open: invalid_token']);
    assert.equal(store.channelState('slack')?.openUntil, null);
    assert.deepEqual(
      ids.map((id) => store.delivery(id).state),
      ['retrying', 'pending', 'pending'],
    );
    assert.equal(store.delivery(ids[0] ?? '').reason, 'invalid_token');

    const mended = channel();
    await worker.replaceChannels(new Map([['slack', mended]]));
    await clock.settle();
    assert.deepEqual(mended.ids(), ids);
    assert.equal(store.channelState('slack')?.circuit, 'closed');
  });

  test('a dead letter that a person revives is tried, however old it is', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({ answer: () => failed('invalid_token', { channelBroken: true }) });
    store.add({ channel: 'slack' });
    const worker = start({ slack });
    await clock.advance(48 * HOUR_MS);
    const old = store.add({
      channel: 'slack',
      delivery: { createdAt: clock.now() - 48 * HOUR_MS, attempts: 3 },
    });

    slack.answer(() => delivered());
    await worker.replaceChannels(new Map([['slack', slack]]));
    await clock.settle();

    assert.equal(store.delivery(old).state, 'sent');
  });

  test('a broken channel gives up after a day what waits for it', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({ answer: () => failed('invalid_token', { channelBroken: true }) });
    const ids = ['a', 'b', 'c'].map((sessionKey) =>
      store.add({ channel: 'slack', event: { sessionKey } }),
    );
    start({ slack });
    await clock.advance(23 * HOUR_MS);
    const young = store.add({ channel: 'slack' });

    await clock.advance(HOUR_MS + 60_000);

    for (const id of ids) {
      assert.equal(store.delivery(id).state, 'dead');
      assert.equal(store.delivery(id).reason, 'Gave up after 24 h: invalid_token');
    }
    assert.equal(store.delivery(young).state, 'pending');
  });

  test('an open circuit outlives a restart; a broken channel gets one probe', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const outage = channel({ answer: () => retry('Refused') });
    const revoked = channel({ answer: () => failed('invalid_token', { channelBroken: true }) });
    for (const sessionKey of ['a', 'b', 'c', 'd', 'e', 'f']) {
      store.add({ channel: 'outage', event: { sessionKey } });
      store.add({ channel: 'revoked', event: { sessionKey } });
    }
    const before = start({ outage, revoked });
    await clock.advance(1_000);
    await before.stop({ graceMs: 5_000 });
    const sentBefore = { outage: outage.sent.length, revoked: revoked.sent.length };

    start({ outage, revoked });
    await clock.advance(20_000);

    assert.equal(outage.sent.length, sentBefore.outage);
    assert.equal(revoked.sent.length, sentBefore.revoked + 1);
  });

  test('a clock that was set back does not keep it open', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({ answer: () => retry('Refused') });
    const dueAt = clock.now() - 13 * HOUR_MS;
    for (let n = 0; n < 10; n += 1) {
      store.add({ channel: 'slack', event: { sessionKey: `session-${n}` }, delivery: { dueAt } });
    }
    const worker = start({ slack });
    await clock.settle();
    assert.equal(worker.state()[0]?.circuit, 'open');

    clock.jump(-12 * HOUR_MS);
    slack.answer(() => delivered());
    await clock.advance(30_000);

    assert.equal(worker.state()[0]?.circuit, 'closed');
  });
});
