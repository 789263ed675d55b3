import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parseRetryAfter } from '../../src/platform/retry.ts';
import { delivered, type Outcome, retry } from '../../src/core/outcome.ts';
import { deliveryBench } from '../support/delivery-bench.ts';
import type { Answer } from '../support/fake-channel.ts';

/** A far side that answers 429 with this header to the first request, and takes the others. */
function limitedOnce(header: string | null, now: () => number): Answer {
  let count = 0;
  return (): Outcome => {
    count += 1;
    if (count > 1) return delivered();
    const afterMs = parseRetryAfter(header, now());
    return retry('It answered 429', afterMs === null ? {} : { afterMs });
  };
}

describe('a channel that asks for a pause', () => {
  test('waits as a whole, then goes on in order, and no other channel is delayed (fault 28)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({
      answer: limitedOnce('7', clock.now),
      concurrency: 1,
      burst: 3,
      refillMs: 1_000,
    });
    const desktop = channel();
    const begin = clock.now();
    const ids = ['a', 'b', 'c', 'd'].map((sessionKey) =>
      store.add({ channel: 'slack', event: { sessionKey } }),
    );
    start({ slack, desktop });
    await clock.advance(1_000);
    const other = store.add({ channel: 'desktop' });
    await clock.advance(60_000);

    assert.deepEqual(slack.ids(), [ids[0], ...ids]);
    assert.deepEqual(
      slack.sent.map(({ at }) => at - begin),
      [0, 7_000, 8_000, 9_000, 10_000],
    );
    assert.ok((store.delivery(other).sentAt ?? Infinity) - begin <= 30_000);
    assert.ok(ids.every((id) => store.delivery(id).state === 'sent'));
  });

  const headers: readonly (readonly [string | null, number, number])[] = [
    // Header, and between which waits (ms) the second attempt may come; chance says "half".
    [null, 1_000, 1_000],
    ['0', 1_000, 1_000],
    ['-1', 1_000, 1_000],
    ['abc', 1_000, 1_000],
    ['99999', 3_600_000, 3_600_000],
    ['7', 7_000, 7_000],
    [new Date(1_700_000_020_000).toUTCString(), 20_000, 20_000],
    [new Date(1_600_000_000_000).toUTCString(), 1_000, 1_000],
  ];
  for (const [header, atLeast, atMost] of headers) {
    test(`Retry-After ${JSON.stringify(header)} neither makes a tight loop nor silences it for days (fault 29)`, async () => {
      const { clock, store, channel, start } = deliveryBench();
      const slack = channel({ answer: limitedOnce(header, clock.now) });
      const id = store.add({ channel: 'slack' });
      const begin = clock.now();

      start({ slack });
      await clock.advance(4_000_000);

      const waited = (slack.sent[1]?.at ?? 0) - begin;
      assert.ok(waited >= atLeast && waited <= atMost, `waited ${waited} ms`);
      assert.equal(store.delivery(id).state, 'sent');
    });
  }

  for (const afterMs of [Number.NaN, -5, 0, Infinity, 10 ** 12]) {
    test(`a wait of ${afterMs} ms is brought into bounds, whatever channel says so (fault 29)`, async () => {
      const { clock, store, channel, start } = deliveryBench();
      let isFirst = true;
      const slack = channel({
        answer: () => {
          if (!isFirst) return delivered();
          isFirst = false;
          return retry('Later', { afterMs });
        },
      });
      const id = store.add({ channel: 'slack' });

      start({ slack });
      await clock.advance(999);
      assert.equal(slack.sent.length, 1);
      await clock.advance(3_600_000);

      assert.equal(store.delivery(id).state, 'sent');
    });
  }

  test('the pause outlives a restart', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({ answer: limitedOnce('600', clock.now) });
    store.add({ channel: 'slack' });
    const before = start({ slack });
    await clock.advance(1_000);
    await before.stop({ graceMs: 5_000 });

    start({ slack });
    await clock.advance(598_000);
    assert.equal(slack.sent.length, 1);

    await clock.advance(1_000);
    assert.equal(slack.sent.length, 2);
  });

  test('an hour of 429 makes one request per window, loses nothing, and exhausts no attempts (fault 30)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({
      answer: () => retry('It answered 429', { afterMs: 60_000 }),
      concurrency: 1,
      maxAttempts: 3,
    });
    const ids = Array.from({ length: 50 }, (_, n) =>
      store.add({ channel: 'slack', event: { sessionKey: `session-${n}` } }),
    );
    start({ slack });
    await clock.advance(3_600_000);
    assert.ok(slack.sent.length <= 61);

    slack.answer(() => delivered());
    await clock.advance(3_600_000);

    assert.ok(ids.every((id) => store.delivery(id).state === 'sent'));
  });

  test('answers to messages that were under way already do not open the circuit', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({
      answer: () => retry('It answered 429', { afterMs: 2_000 }),
      concurrency: 8,
    });
    for (let n = 0; n < 8; n += 1) {
      store.add({ channel: 'slack', event: { sessionKey: `session-${n}` } });
    }

    const worker = start({ slack });
    await clock.settle();

    assert.equal(slack.sent.length, 8);
    assert.equal(worker.state()[0]?.circuit, 'closed');
  });
});
