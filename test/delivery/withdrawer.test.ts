import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Ability } from '../../src/core/ability.ts';
import type { Channel } from '../../src/core/channel.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { delivered, failed, retry } from '../../src/core/outcome.ts';
import type { Withdrawal } from '../../src/core/outbox.ts';
import { createRenderer } from '../../src/delivery/render.ts';
import { createWithdrawer } from '../../src/delivery/withdrawer.ts';
import { manualClock } from '../support/manual-clock.ts';
import { deliveryStore } from '../support/delivery-store.ts';

/** Something that was shown on "desktop" and is over. */
function shown(fields: Partial<Withdrawal> = {}): Withdrawal {
  const store = deliveryStore(manualClock());
  const id = store.add({ channel: 'desktop' });
  return {
    delivery: store.delivery(id),
    ref: 'pop-up 7',
    event: store.event(id),
    session: null,
    reason: 'Answered before it was sent',
    succeeded: false,
    ...fields,
  };
}

/** A withdrawer for one channel with these abilities, which answers so. */
function bench(
  over: Withdrawal[],
  {
    abilities,
    answer = () => delivered(),
  }: {
    readonly abilities: Partial<Record<Ability, true>>;
    readonly answer?: () => Outcome | Promise<Outcome>;
  },
) {
  const clock = manualClock();
  const done: string[] = [];
  let taken = 0;
  const channel: Channel = {
    send: async () => delivered(),
    check: async () => ({ ok: true, summary: 'Works' }),
    close: async () => {},
    ...(abilities.withdraw && {
      withdraw: async (ref) => {
        done.push(`withdraw ${ref}`);
        return answer();
      },
    }),
    ...(abilities.update && {
      update: async (ref, { title, body, quietly }) => {
        done.push(`update ${ref}: ${title}: ${body} ${quietly}`);
        return answer();
      },
    }),
  };
  const limits = { timeoutMs: 1_000, concurrency: 1, burst: 1, refillMs: 0, maxAttempts: 1 };
  const withdrawer = createWithdrawer({
    shown: {
      async takeWithdrawals() {
        taken += 1;
        return over.splice(0);
      },
    },
    channels: () => new Map([['desktop', { channel, limits, can: abilities }]]),
    render: createRenderer().over,
    startTimer: clock.startTimer,
  });
  return { clock, done, withdrawer, taken: () => taken };
}

test('withdrawer takes back what is over, once', async () => {
  const { clock, done, withdrawer } = bench([shown()], { abilities: { withdraw: true } });

  withdrawer.wake();
  await clock.settle();
  withdrawer.wake();
  await clock.settle();

  assert.deepEqual(done, ['withdraw pop-up 7']);
});

test('withdrawer changes the message where it cannot be taken back', async () => {
  const { clock, done, withdrawer } = bench([shown()], { abilities: { update: true } });

  withdrawer.wake();
  await clock.settle();

  assert.deepEqual(done, [
    'update pop-up 7: Over: shop: Claude Code is waiting for your answer: Answered before it was sent true',
  ]);
});

test('withdrawer leaves a message that a newer one of its session has replaced', async () => {
  const replaced = bench([shown({ succeeded: true })], {
    abilities: { withdraw: true, replace: true },
  });
  const beside = bench([shown({ succeeded: true })], { abilities: { withdraw: true } });

  for (const { withdrawer, clock } of [replaced, beside]) {
    withdrawer.wake();
    await clock.settle();
  }

  assert.deepEqual([replaced.done, beside.done], [[], ['withdraw pop-up 7']]);
});

test('withdrawer asks nothing of the store for channels that cannot take anything back', async () => {
  const { withdrawer, taken } = bench([shown()], { abilities: { replace: true } });

  withdrawer.wake();
  await withdrawer.stop();

  assert.equal(taken(), 0);
});

test('withdrawer tries five times at most, and not again what failed for good', async () => {
  const busy = bench([shown()], { abilities: { withdraw: true }, answer: () => retry('Busy') });
  const gone = bench([shown()], { abilities: { withdraw: true }, answer: () => failed('Gone') });

  for (const { withdrawer, clock } of [busy, gone]) {
    withdrawer.wake();
    await clock.advance(600_000);
  }

  assert.deepEqual([busy.done.length, gone.done.length], [5, 1]);
});

test('withdrawer waits as long as the service asks, at most a minute', async () => {
  for (const [afterMs, waitMs] of [
    [5_000, 5_000],
    [3_600_000, 60_000],
  ] as const) {
    const outcomes: Outcome[] = [retry('Too many requests', { afterMs }), delivered()];
    const { clock, done, withdrawer } = bench([shown()], {
      abilities: { withdraw: true },
      answer: () => outcomes.shift() ?? failed('Unexpected'),
    });

    withdrawer.wake();
    await clock.advance(waitMs - 1);
    assert.equal(done.length, 1);
    await clock.advance(1);
    assert.equal(done.length, 2);
  }
});

test('withdrawer does not wait for a channel that never answers, and its stop ends', async () => {
  const { clock, done, withdrawer } = bench([shown(), shown({ ref: 'pop-up 8' })], {
    abilities: { withdraw: true },
    answer: () => new Promise(() => {}),
  });

  withdrawer.wake();
  await clock.advance(4_000);
  assert.deepEqual(done.slice(0, 2), ['withdraw pop-up 7', 'withdraw pop-up 8']);
  const stopped = withdrawer.stop();
  await clock.advance(2_000);

  await stopped;
});
