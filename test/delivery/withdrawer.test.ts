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
    cause: 'over',
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
    finds,
    isHeld = () => false,
  }: {
    readonly abilities: Partial<Record<Ability, true>>;
    readonly answer?: () => Outcome | Promise<Outcome>;
    /** What the channel finds of a message without a reference; absent: it cannot look for one. */
    readonly finds?: Outcome;
    readonly isHeld?: () => boolean;
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
    ...(abilities['mark-acknowledged'] && {
      markAcknowledged: async (ref, { title, body }) => {
        done.push(`acknowledge ${ref}: ${title}: ${body}`);
        return answer();
      },
    }),
    ...(finds !== undefined && {
      find: async ({ title }) => {
        done.push(`find ${title}`);
        return finds;
      },
    }),
  };
  const limits = { timeoutMs: 1_000, concurrency: 1, burst: 1, refillMs: 0, maxAttempts: 1 };
  const withdrawer = createWithdrawer({
    shown: {
      async withdrawals() {
        taken += 1;
        return [...over];
      },
      async finishWithdrawals(finished) {
        for (const one of finished) over.splice(over.indexOf(one), 1);
      },
    },
    channels: () => new Map([['desktop', { channel, limits, can: abilities }]]),
    isHeld,
    original: (withdrawal) => createRenderer().notification({ ...withdrawal, also: [] }),
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
    'update pop-up 7: Over: shop is waiting for you: Answered before it was sent true',
  ]);
});

test('an acknowledged alert is shown as acknowledged where the channel can, and else withdrawn', async () => {
  const cause = 'acknowledged' as const;
  const reason = 'Acknowledged by a person';
  const marks = bench([shown({ cause, reason }), shown()], {
    abilities: { withdraw: true, 'mark-acknowledged': true },
  });
  const updates = bench([shown({ cause, reason })], { abilities: { update: true } });

  for (const { withdrawer, clock } of [marks, updates]) {
    withdrawer.wake();
    await clock.settle();
  }

  assert.deepEqual(marks.done, [
    'acknowledge pop-up 7: Acknowledged: shop is waiting for you: Acknowledged by a person',
    'withdraw pop-up 7',
  ]);
  assert.match(updates.done[0] ?? '', /^update pop-up 7: Acknowledged: .*by a person true$/);
});

test('a message without a reference is withdrawn if the channel finds it', async () => {
  const abilities = { withdraw: true } as const;
  const found = bench([shown({ ref: null })], { abilities, finds: delivered({ ref: 'r9' }) });
  const gone = bench([shown({ ref: null })], { abilities, finds: delivered() });
  const blind = bench([shown({ ref: null })], { abilities });

  for (const { withdrawer, clock } of [found, gone, blind]) {
    withdrawer.wake();
    await clock.settle();
  }

  const looked = 'find shop is waiting for you';
  assert.deepEqual([found.done, gone.done, blind.done], [[looked, 'withdraw r9'], [looked], []]);
});

test('a withdrawal that the daemon did not finish is left for the next one', async () => {
  const over = [shown()];
  const first = bench(over, {
    abilities: { withdraw: true },
    answer: () => retry('No connection'),
  });
  first.withdrawer.wake();
  await first.clock.settle();
  await first.withdrawer.stop();

  const second = bench(over, { abilities: { withdraw: true } });
  second.withdrawer.wake();
  await second.clock.settle();

  assert.deepEqual([first.done.length, second.done, over], [1, ['withdraw pop-up 7'], []]);
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

test('withdrawer leaves the message of a request that can still be decided, until it is', async () => {
  const over = [shown(), shown({ cause: 'acknowledged', ref: 'pop-up 8' })];
  let isHeld = true;
  const { withdrawer, clock, done } = bench(over, {
    abilities: { withdraw: true },
    isHeld: () => isHeld,
  });

  withdrawer.wake();
  await clock.settle();
  assert.deepEqual(done, ['withdraw pop-up 8']);
  isHeld = false;
  withdrawer.wake();
  await clock.settle();

  assert.deepEqual(done, ['withdraw pop-up 8', 'withdraw pop-up 7']);
  assert.deepEqual(over, []);
});

test('withdrawer asks nothing of the store for channels that cannot take anything back', async () => {
  const { withdrawer, taken } = bench([shown()], { abilities: { replace: true } });

  withdrawer.wake();
  await withdrawer.stop();

  assert.equal(taken(), 0);
});

test('withdrawer tries twenty times at most, and not again what failed for good', async () => {
  const busy = bench([shown()], { abilities: { withdraw: true }, answer: () => retry('Busy') });
  const gone = bench([shown()], { abilities: { withdraw: true }, answer: () => failed('Gone') });

  for (const { withdrawer, clock } of [busy, gone]) {
    withdrawer.wake();
    await clock.advance(3_600_000);
  }

  assert.deepEqual([busy.done.length, gone.done.length], [20, 1]);
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

test('a pause that the service asks for holds for all withdrawals, and does not count as a try', async () => {
  const over = Array.from({ length: 3 }, (_, index) => shown({ ref: `pop-up ${index}` }));
  const { clock, done, withdrawer } = bench(over, {
    abilities: { withdraw: true },
    answer: () =>
      done.length < 30 ? retry('Too many requests', { afterMs: 10_000 }) : delivered(),
  });

  withdrawer.wake();
  await clock.settle();
  assert.deepEqual(done, ['withdraw pop-up 0']);
  await clock.advance(3_600_000);

  assert.deepEqual([over, done.length], [[], 32]);
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
