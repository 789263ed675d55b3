import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { delivered, failed, retry } from '../../src/core/outcome.ts';
import { deliveryBench } from '../support/delivery-bench.ts';
import { heldAnswers, silence } from '../support/fake-channel.ts';

describe('worker', () => {
  test('sends what is due and records the reference and the attempt', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const desktop = channel({ answer: () => delivered({ ref: 'ref-1', note: '1 of 2 refused' }) });
    const id = store.add({ channel: 'desktop', event: { message: 'May I?' } });

    start({ desktop });
    await clock.settle();

    assert.equal(desktop.sent[0]?.notification.body.split('\n')[0], 'May I?');
    const { state, ref, reason, attempts, sentAt } = store.delivery(id);
    assert.deepEqual(
      { state, ref, reason, attempts, sentAt },
      { state: 'sent', ref: 'ref-1', reason: '1 of 2 refused', attempts: 1, sentAt: clock.now() },
    );
    assert.deepEqual(
      store.log(id).map(({ number, outcome }) => ({ number, outcome })),
      [{ number: 1, outcome: 'delivered' }],
    );
  });

  test('sleeps until the earliest delivery is due', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const desktop = channel();
    const later = store.add({ channel: 'desktop', delivery: { dueAt: clock.now() + 12_000 } });

    start({ desktop });
    await clock.advance(11_999);
    assert.deepEqual(desktop.ids(), []);

    await clock.advance(1);
    assert.deepEqual(desktop.ids(), [later]);
  });

  test('checks again immediately when it is woken', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const desktop = channel();
    const worker = start({ desktop });
    await clock.settle();

    const id = store.add({ channel: 'desktop' });
    worker.wake();
    await clock.settle();

    assert.deepEqual(desktop.ids(), [id]);
  });

  test('notices within 30 s that the clock was set or the machine slept (faults 7, 26)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const desktop = channel();
    const id = store.add({ channel: 'desktop', delivery: { dueAt: clock.now() + 3_600_000 } });
    start({ desktop });
    await clock.settle();

    clock.jump(3_600_000);
    await clock.advance(30_000);

    assert.deepEqual(desktop.ids(), [id]);
  });

  test('sends what it accepted by a clock that was a day ahead as soon as that is set back (fault 26)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const desktop = channel();
    const worker = start({ desktop });
    await clock.settle();
    clock.jump(86_400_000);
    await clock.advance(30_000);
    const id = store.add({ channel: 'desktop', delivery: { dueAt: clock.now() + 60_000 } });
    worker.wake();
    await clock.settle();

    clock.jump(-86_400_000);
    await clock.advance(30_000);

    assert.deepEqual(desktop.ids(), [id]);
  });

  test('looks at the store only when something happens', async () => {
    const { clock, store, channel, start } = deliveryBench();
    start({ desktop: channel() });

    await clock.advance(300_000);

    assert.equal(store.calls('dueTimes'), 1);
    assert.equal(store.calls('claim'), 0);
  });

  test('a hanging channel does not delay another one (fault 39)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({ answer: silence, concurrency: 1 });
    const desktop = channel();
    const worker = start({ slack, desktop });
    const stuck = store.add({ channel: 'slack' });
    worker.wake();
    await clock.advance(5_000);

    const id = store.add({ channel: 'desktop' });
    worker.wake();
    await clock.settle();

    assert.deepEqual(slack.ids(), [stuck]);
    assert.equal(store.delivery(id).sentAt, clock.now());
  });

  test('sends no more at a time than the channel allows', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const { answer, give } = heldAnswers();
    const slack = channel({ concurrency: 2, answer });
    for (const sessionKey of ['a', 'b', 'c'])
      store.add({ channel: 'slack', event: { sessionKey } });

    const worker = start({ slack });
    await clock.settle();
    assert.equal(slack.sent.length, 2);
    assert.equal(worker.state()[0]?.inFlight, 2);

    give(delivered());
    await clock.settle();
    assert.equal(slack.sent.length, 3);
  });

  test('many messages in flight do not look like a leak to Node', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const warnings: Error[] = [];
    const onWarning = (warning: Error): number => warnings.push(warning);
    process.on('warning', onWarning);
    const slack = channel({ concurrency: 16, answer: silence });
    for (let n = 0; n < 16; n += 1) store.add({ channel: 'slack', event: { sessionKey: `s${n}` } });

    start({ slack });
    await clock.settle();
    process.off('warning', onWarning);

    assert.equal(slack.sent.length, 16);
    assert.deepEqual(warnings, []);
  });

  test('sends a burst, then keeps the pace of the channel (P85)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({ burst: 3, refillMs: 1_000 });
    const begin = clock.now();
    for (const sessionKey of ['a', 'b', 'c', 'd', 'e']) {
      store.add({ channel: 'slack', event: { sessionKey } });
    }

    start({ slack });
    await clock.advance(10_000);

    assert.deepEqual(
      slack.sent.map(({ at }) => at - begin),
      [0, 0, 0, 1_000, 2_000],
    );
  });

  test('a later notification of a session waits while an earlier one is retried', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({ answer: () => retry('Not now') });
    const first = store.add({ channel: 'slack' });
    const second = store.add({ channel: 'slack', delivery: { dueAt: clock.now() + 1 } });
    const other = store.add({
      channel: 'slack',
      event: { sessionKey: 'other' },
      delivery: { dueAt: clock.now() + 2 },
    });

    start({ slack });
    await clock.advance(100);
    assert.deepEqual(slack.ids(), [first, other]);

    slack.answer(() => delivered());
    await clock.advance(60_000);
    assert.deepEqual(
      slack.ids().filter((id) => id !== other),
      [first, first, second],
    );
  });

  test('tries again after a backoff that doubles, and gives up after the last attempt (fault 65)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const id = 'delivery-2';
    const desktop = channel({
      answer: (sent) => (sent.id === id ? retry('No display') : delivered()),
      maxAttempts: 4,
    });
    store.add({ channel: 'desktop', event: { sessionKey: 'others' } });
    const worker = start({ desktop });
    await clock.settle();
    const begin = clock.now();
    store.add({ channel: 'desktop' });
    worker.wake();

    for (let second = 0; second < 60; second += 1) {
      await clock.advance(900);
      store.add({ channel: 'desktop', event: { sessionKey: 'others' } });
      worker.wake();
      await clock.advance(100);
    }

    const attempts = desktop.sent.filter((sent) => sent.id === id);
    assert.deepEqual(
      attempts.map(({ at, context }) => [at - begin, context.attempt]),
      [
        [0, 1],
        [1_000, 2],
        [3_000, 3],
        [7_000, 4],
      ],
    );
    assert.equal(store.delivery(id).state, 'dead');
    assert.equal(store.delivery(id).reason, 'Gave up after 4 attempts: No display');
  });

  test('a poison delivery becomes a dead letter while others go through (fault 65)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const poison = store.add({ channel: 'slack', event: { sessionKey: 'poison' } });
    const slack = channel({
      maxAttempts: 6,
      answer: ({ id }) => (id === poison ? retry('Cannot take this') : delivered()),
    });
    const others: string[] = [];

    const worker = start({ slack });
    for (let second = 0; second < 600; second += 1) {
      others.push(store.add({ channel: 'slack', event: { sessionKey: `session-${second}` } }));
      worker.wake();
      await clock.advance(1_000);
    }

    assert.equal(store.delivery(poison).state, 'dead');
    assert.ok(others.every((id) => store.delivery(id).state === 'sent'));
    const waits = others.map(
      (id) => (store.delivery(id).sentAt ?? 0) - store.delivery(id).createdAt,
    );
    assert.equal(Math.max(...waits), 0);
  });

  test('a final failure is a dead letter immediately', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const id = store.add({ channel: 'mail' });

    start({ mail: channel({ answer: () => failed('550 no such user') }) });
    await clock.advance(60_000);

    assert.equal(store.delivery(id).state, 'dead');
    assert.equal(store.delivery(id).reason, '550 no such user');
    assert.equal(store.delivery(id).attempts, 1);
  });

  test('hands what an attempt carried to the next one, also past an attempt that carried nothing', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const mail = channel({
      answer: ({ context }) =>
        context.attempt === 1
          ? retry('1 of 2 refused', { carry: 'b@example.com' })
          : retry('No connection'),
    });
    store.add({ channel: 'mail' });

    start({ mail });
    await clock.advance(5_000);

    assert.deepEqual(
      mail.sent.map(({ context }) => context.carry),
      [null, 'b@example.com', 'b@example.com'],
    );
  });

  test('a delivery of a channel that is missing waits 10 minutes, then is a dead letter (fault 47, A3)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const id = store.add({ channel: 'team' });
    const missing: string[] = [];

    start(
      { desktop: channel() },
      { onMissing: (name, isWaitedFor) => missing.push(`${name} ${isWaitedFor}`) },
    );
    await clock.advance(9 * 60_000);
    assert.equal(store.delivery(id).state, 'pending');
    assert.deepEqual(missing, ['team true']);
    await clock.advance(3 * 60_000);

    assert.equal(store.delivery(id).state, 'dead');
    assert.equal(
      store.delivery(id).reason,
      'Channel "team" has been missing from the configuration for 10 min',
    );
    assert.deepEqual(missing, ['team true', 'team false']);
  });

  test('a text that cannot be rendered is a dead letter and does not affect the channel', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'].map((sessionKey) =>
      store.add({ channel: 'desktop', event: { sessionKey } }),
    );

    const worker = start(
      { desktop: channel() },
      {
        render: () => {
          throw new TypeError('secret text');
        },
      },
    );
    await clock.settle();

    assert.ok(ids.every((id) => store.delivery(id).reason === 'Cannot render the notification'));
    assert.equal(worker.state()[0]?.circuit, 'closed');
  });
});
