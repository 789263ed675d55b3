import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { delivered, failed, retry } from '../../src/core/outcome.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { deliveryBench } from '../support/delivery-bench.ts';
import { heldAnswers } from '../support/fake-channel.ts';

const SECRET = 'xoxb-123456789012-abcdefghijkl';

describe('a channel that misbehaves (fault 9)', () => {
  test('is aborted at its deadline, and its outcome counts', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const slack = channel({
      timeoutMs: 3_000,
      answer: ({ context: { signal } }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(retry('No answer in time')));
        }),
    });
    const id = store.add({ channel: 'slack' });

    start({ slack });
    await clock.advance(2_999);
    assert.deepEqual(store.log(id), []);
    await clock.advance(1);

    assert.equal(store.delivery(id).state, 'retrying');
    assert.equal(store.delivery(id).possibleDuplicate, false);
    assert.deepEqual(store.log(id), [
      {
        number: 1,
        startedAt: clock.now() - 3_000,
        durationMs: 3_000,
        outcome: 'retry',
        reason: 'No answer in time',
      },
    ]);
  });

  test('is abandoned when it ignores its deadline; its late answer is ignored', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const { answer, give } = heldAnswers();
    const slack = channel({ timeoutMs: 3_000, answer });
    const id = store.add({ channel: 'slack' });

    start({ slack });
    await clock.advance(4_000);
    give(delivered({ ref: 'late' }));
    await clock.settle();

    assert.equal(store.delivery(id).state, 'retrying');
    assert.equal(store.delivery(id).ref, null);
    assert.equal(store.delivery(id).possibleDuplicate, true);
    assert.equal(store.log(id)[0]?.outcome, 'unknown');

    slack.answer(() => delivered());
    await clock.advance(60_000);
    assert.equal(store.delivery(id).state, 'sent');
    assert.equal(slack.sent[1]?.notification.possibleDuplicate, true);
  });

  const throws: readonly (readonly [string, () => Promise<Outcome>])[] = [
    ['rejects', () => Promise.reject(new RangeError(`Cannot post ${SECRET}`))],
    [
      'throws',
      () => {
        throw new RangeError(`Cannot post ${SECRET}`);
      },
    ],
  ];
  for (const [how, answer] of throws) {
    test(`${how}: the delivery is retried, and only the name of the error is reported`, async () => {
      const { clock, store, channel, start } = deliveryBench();
      const id = store.add({ channel: 'slack' });
      const desktopId = store.add({ channel: 'desktop' });

      start({ slack: channel({ answer }), desktop: channel() });
      await clock.settle();

      assert.equal(store.delivery(id).state, 'retrying');
      assert.equal(store.delivery(id).reason, 'Channel bug: RangeError');
      assert.equal(store.delivery(id).possibleDuplicate, true);
      assert.equal(store.delivery(desktopId).state, 'sent');
    });
  }

  test('does not return an outcome, which is also a bug', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const id = store.add({ channel: 'slack' });
    // What a channel written without types may do.
    const nothing: Outcome = JSON.parse('null');

    start({ slack: channel({ answer: () => nothing }) });
    await clock.settle();

    assert.equal(store.delivery(id).reason, 'Channel bug: TypeError');
  });

  test('returns a secret or pages of text: the reason is redacted, one line and cut (T11, T12)', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const reason = `Refused\n${SECRET} \u001b[31m${'because '.repeat(100)}`;
    const again = store.add({ channel: 'again' });
    const dead = store.add({ channel: 'dead' });
    const noted = store.add({ channel: 'noted' });

    const worker = start({
      again: channel({ answer: () => retry(reason) }),
      dead: channel({ answer: () => failed(reason) }),
      noted: channel({ answer: () => delivered({ note: reason }) }),
    });
    await clock.settle();

    for (const id of [again, dead, noted]) {
      const stored = store.delivery(id).reason ?? '';
      assert.match(stored, /^Refused \[redacted:slack-token\] because .*…$/);
      assert.ok(stored.length <= 300);
      assert.equal(store.log(id)[0]?.reason, stored);
    }
    const told = JSON.stringify([worker.state(), store.channelState('again')]);
    assert.ok(!told.includes(SECRET));
  });
});
