import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { delivered, retry } from '../../src/core/outcome.ts';
import { deferred } from '../support/deferred.ts';
import { deliveryBench } from '../support/delivery-bench.ts';
import { heldAnswers, silence } from '../support/fake-channel.ts';

describe('worker.stop() (fault 6)', () => {
  test('lets a send in flight end, and claims nothing more', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const { answer, give } = heldAnswers();
    const slack = channel({ concurrency: 1, answer });
    const ids = ['a', 'b'].map((sessionKey) =>
      store.add({ channel: 'slack', event: { sessionKey } }),
    );
    const worker = start({ slack });
    await clock.advance(1_000);

    const stopped = worker.stop({ graceMs: 5_000 });
    await clock.advance(3_000);
    give(delivered());
    await stopped;

    assert.deepEqual(
      ids.map((id) => store.delivery(id).state),
      ['sent', 'pending'],
    );
    assert.equal(slack.sent.length, 1);
    assert.equal(clock.pending, 0);
  });

  test('aborts a send that takes longer, which keeps its place in the queue', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({
      maxAttempts: 1,
      answer: ({ context: { signal } }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () =>
            resolve(retry('Stopped', { possibleDuplicate: true })),
          );
        }),
    });
    const id = store.add({ channel: 'slack' });
    const { dueAt } = store.delivery(id);
    const worker = start({ slack });
    await clock.advance(1_000);

    const stopped = worker.stop({ graceMs: 5_000 });
    await clock.advance(4_000);
    await stopped;

    const { state, reason, possibleDuplicate } = store.delivery(id);
    assert.deepEqual(
      { state, reason, possibleDuplicate, dueAt: store.delivery(id).dueAt },
      { state: 'retrying', reason: 'Stopped', possibleDuplicate: true, dueAt },
    );
    assert.equal(store.channelState('slack')?.failures ?? 0, 0);
  });

  test('does not wait for a channel that ignores the abort: its delivery is a possible duplicate', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const id = store.add({ channel: 'slack' });
    const worker = start({ slack: channel({ answer: silence }) });
    await clock.advance(1_000);

    const stopped = worker.stop({ graceMs: 5_000 });
    await clock.advance(5_000);
    await stopped;

    assert.equal(store.delivery(id).state, 'retrying');
    assert.equal(store.delivery(id).possibleDuplicate, true);
    assert.equal(store.log(id)[0]?.outcome, 'unknown');
  });

  test('gives back what was being claimed', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel();
    const id = store.add({ channel: 'slack' });
    const { promise: allowed, resolve: allow } = deferred();
    const slowStore: typeof store = {
      ...store,
      async claim(query) {
        await allowed;
        return store.claim(query);
      },
    };
    const worker = start({ slack }, { outbox: slowStore });
    await clock.settle();

    const stopped = worker.stop({ graceMs: 5_000 });
    allow();
    await stopped;

    assert.equal(slack.sent.length, 0);
    assert.equal(store.calls('release'), 1);
    assert.equal((await store.dueTimes()).get('slack'), store.delivery(id).dueAt);
  });

  test('works twice, and before the start', async () => {
    const { start, channel } = deliveryBench();
    const worker = start({ slack: channel() });

    await Promise.all([worker.stop({ graceMs: 1_000 }), worker.stop({ graceMs: 1_000 })]);
  });

  test('a worker that starts later goes on where it ended', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({ concurrency: 1, burst: 10, refillMs: 50 });
    const ids = Array.from({ length: 200 }, (_, n) =>
      store.add({ channel: 'slack', event: { sessionKey: `session-${n}` } }),
    );
    const first = start({ slack });
    await clock.advance(3_000);
    const stopped = first.stop({ graceMs: 5_000 });
    await clock.advance(5_000);
    await stopped;
    const sentBefore = slack.sent.length;
    assert.ok(sentBefore > 0 && sentBefore < 200);

    start({ slack });
    await clock.advance(20_000);

    assert.deepEqual(slack.ids(), ids);
  });
});
