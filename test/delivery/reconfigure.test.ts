import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { delivered, retry } from '../../src/core/outcome.ts';
import { deliveryBench } from '../support/delivery-bench.ts';
import { heldAnswers } from '../support/fake-channel.ts';

describe('worker.replaceChannels()', () => {
  test('sends through the new channel immediately, and resolves when the old one is no longer in use', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const { answer, give } = heldAnswers();
    const old = channel({ answer });
    const young = channel();
    const first = store.add({ channel: 'slack', event: { sessionKey: 'a' } });
    const worker = start({ slack: old });
    await clock.settle();

    let isOver = false;
    const replaced = worker.replaceChannels(new Map([['slack', young]])).then(() => {
      isOver = true;
      return isOver;
    });
    const second = store.add({ channel: 'slack', event: { sessionKey: 'b' } });
    worker.wake();
    await clock.settle();
    assert.deepEqual(young.ids(), [second]);
    assert.equal(isOver, false);

    give(delivered());
    await replaced;
    await clock.settle();
    assert.equal(store.delivery(first).state, 'sent');
  });

  test('failures of the old channel do not count for the new one', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const { answer, give } = heldAnswers();
    const old = channel({ concurrency: 8, answer });
    for (let n = 0; n < 8; n += 1) store.add({ channel: 'slack', event: { sessionKey: `s${n}` } });
    const worker = start({ slack: old });
    await clock.settle();

    const replaced = worker.replaceChannels(new Map([['slack', channel()]]));
    give(retry('Refused'));
    await replaced;
    await clock.settle();

    assert.equal(worker.state()[0]?.failures, 0);
  });

  test('a channel that was removed ends what it sends; the rest waits for it, over restarts, and is sent when it returns (A3)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const { answer, give } = heldAnswers();
    const slack = channel({ concurrency: 1, answer });
    const ids = ['a', 'b'].map((sessionKey) =>
      store.add({ channel: 'slack', event: { sessionKey } }),
    );
    const worker = start({ slack });
    await clock.settle();

    const replaced = worker.replaceChannels(new Map());
    give(delivered());
    await replaced;
    await clock.advance(5 * 60_000);
    await worker.stop({ graceMs: 0 });
    const young = channel();
    const again = start({});
    await clock.advance(3 * 60_000);
    clock.jump(25 * 3_600_000);
    await clock.advance(60_000);
    assert.deepEqual(
      ids.map((id) => store.delivery(id).state),
      ['sent', 'pending'],
    );

    await again.replaceChannels(new Map([['slack', young]]));
    await clock.settle();

    assert.deepEqual(young.ids(), ids.slice(1));
    assert.equal(store.channelState('slack')?.missingMs, 0);
  });

  test('how long a channel is missing is stored, also by a clock with fractions of a millisecond', async () => {
    const { clock, store, start } = deliveryBench();
    store.add({ channel: 'slack' });
    start({}, { monotonic: () => clock.monotonic() * 1.000_001 });

    await clock.advance(5 * 60_000);

    const missingMs = store.channelState('slack')?.missingMs ?? 0;
    assert.ok(missingMs >= 4 * 60_000, `${missingMs} ms`);
  });

  test('a channel that is configured again sends again', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const worker = start({});
    store.add({ channel: 'slack' });
    worker.wake();
    await clock.settle();
    const slack = channel();

    await worker.replaceChannels(new Map([['slack', slack]]));
    const id = store.add({ channel: 'slack' });
    worker.wake();
    await clock.settle();

    assert.deepEqual(slack.ids(), ['delivery-1', id]);
  });
});

describe('worker.worksAgain()', () => {
  test('immediately sends deliveries held by an open circuit or waiting for a retry (B9)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const desktop = channel({ concurrency: 1, answer: () => retry('No desktop') });
    const ids = ['a', 'b'].map((sessionKey) =>
      store.add({ channel: 'desktop', event: { sessionKey } }),
    );
    const worker = start({ desktop });
    await clock.advance(120_000);
    assert.equal(store.channelState('desktop')?.circuit, 'open');
    desktop.answer(() => delivered());
    const before = clock.now();

    worker.worksAgain('desktop');
    await clock.settle();
    await clock.settle();

    assert.equal(clock.now(), before);
    assert.deepEqual(
      ids.map((id) => store.delivery(id).state),
      ['sent', 'sent'],
    );
    assert.equal(store.channelState('desktop')?.circuit, 'closed');
  });

  test('a trial is tried once, as a test is (B9)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const desktop = channel({ answer: () => retry('No desktop') });
    const id = store.add({ channel: 'desktop', event: { sessionId: 'trial-0123abcd' } });
    start({ desktop });

    await clock.settle();

    const { state, reason } = store.delivery(id);
    assert.deepEqual([state, reason], ['cancelled', 'No desktop (a trial is attempted once)']);
  });
});
