import assert from 'node:assert/strict';
import test from 'node:test';

import { freshState } from '../../../src/delivery/channel-health.ts';
import { createLimitedClaims } from '../../../src/delivery/jobs.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { needsPostgres, type Postgres, startPostgres } from '../../support/postgres.ts';
import { NOW, sampleRecord, tell } from '../../support/store.ts';

const skip = needsPostgres();

/** As two processes have them. */
async function twoStores(postgres: Postgres, now?: () => number) {
  const opened = await Promise.all(
    [1, 2].map(() => openServerStore({ url: postgres.url, ...(now !== undefined && { now }) })),
  );
  return {
    outboxes: opened.map(({ store }) => store.outbox),
    events: opened[0]!.store.events,
    now: opened[0]!.now,
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map(({ store }) => store.close()));
    },
  };
}

const rate = { channel: 'team', burst: 5, refillMs: 100, wanted: 1 };

test('two processes together keep to the rate of a channel', { skip }, async () => {
  await using postgres = await startPostgres();
  await using stores = await twoStores(postgres);

  const from = stores.now();
  let granted = 0;
  await Promise.all(
    stores.outboxes.map(async ({ takeTokens }) => {
      while (stores.now() - from < 5_000) {
        const taken = await takeTokens!(rate);
        granted += taken.granted;
      }
    }),
  );
  const seconds = (stores.now() - from) / 1_000;

  const expected = 5 + seconds * 10;
  assert.ok(granted <= expected + 1.5, `${granted} of ${expected}`);
  // Tokens that no one takes in time are lost once five are there, as on a machine that stands still meanwhile.
  assert.ok(granted >= expected * 0.7, `${granted} of ${expected}`);
});

test(
  'a pause that one process was asked for holds for the other, and is not ended by it',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await using stores = await twoStores(postgres);
    const [one, other] = stores.outboxes;
    const notBefore = stores.now() + 60_000;

    await one!.saveChannelState({ ...freshState('team'), notBefore });
    await other!.saveChannelState({ ...freshState('team'), lastOutcome: 'delivered' });
    const paused = await other!.takeTokens!(rate);

    assert.equal(paused.granted, 0);
    assert.ok(paused.waitMs > 50_000 && paused.waitMs <= 60_000, `${paused.waitMs}`);
    const openUntil = stores.now() + 30_000;
    await one!.saveChannelState({ ...freshState('mail'), circuit: 'open', openUntil });
    assert.equal((await other!.takeTokens!({ ...rate, channel: 'mail', refillMs: 0 })).granted, 0);
  },
);

test('a claim takes as many tokens as it finds messages', { skip }, async () => {
  await using postgres = await startPostgres();
  await using stores = await twoStores(postgres, () => NOW);
  const limits = { burst: 5, refillMs: 3_600_000 };
  const query = { channel: 'team', now: NOW, leaseMs: 60_000, limit: 50 };
  const claims = stores.outboxes.map((outbox) => createLimitedClaims(outbox));
  const accept = (from: number, count: number) =>
    stores.events.accept(
      Array.from({ length: count }, (_, index) => {
        const id = `event-${from + index}`;
        return sampleRecord({
          id,
          sessionKey: `claude:${id}`,
          duplicate: { key: id, windowMs: null },
        });
      }),
      tell('team'),
    );

  await accept(0, 2);
  const first = await claims[0]!.claim(limits, query);
  await accept(2, 10);
  const second = await claims[1]!.claim(limits, query);
  const third = await claims[0]!.claim(limits, query);

  assert.deepEqual([first.length, second.length, third.length], [2, 3, 0]);
  assert.equal(claims[0]!.pauseMs(1_000), 1_000);
});
