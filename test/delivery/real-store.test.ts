import assert from 'node:assert/strict';
import { test } from 'node:test';

import { delivered, failed, retry } from '../../src/core/outcome.ts';
import { createRenderer } from '../../src/delivery/render.ts';
import type { ConfiguredChannel, Worker } from '../../src/delivery/worker.ts';
import { createWorker } from '../../src/delivery/worker.ts';
import { deferred } from '../support/deferred.ts';
import { fakeChannel } from '../support/fake-channel.ts';
import type { TestStore } from '../support/store.ts';
import { sampleDelivery, sampleEffects, sampleRecord, temporaryStore } from '../support/store.ts';

/** Accepts one event of a session, with a delivery of the same name for "team". */
async function accept({ store }: TestStore, id: string, sessionKey: string): Promise<void> {
  await store.events.accept([sampleRecord({ id, sessionKey })], () =>
    sampleEffects({ deliveries: [sampleDelivery({ id, channel: 'team', dueAt: Date.now() })] }),
  );
}

function startWorker({ store }: TestStore, team: ConfiguredChannel): Worker {
  const worker = createWorker({
    outbox: store.outbox,
    channels: new Map([['team', team]]),
    render: createRenderer().notification,
    now: Date.now,
    random: () => 0,
  });
  worker.start();
  return worker;
}

test('on SQLite, too, a later notification of a session waits while an earlier one is retried', async () => {
  await using opened = await temporaryStore({ now: Date.now });
  await accept(opened, 'first', 'a');
  await accept(opened, 'second', 'a');
  await accept(opened, 'other', 'b');
  const { promise: allSent, resolve: onAllSent } = deferred();
  const team = fakeChannel({
    now: Date.now,
    answer: ({ id, context }) => {
      if (id === 'second') onAllSent();
      return id === 'first' && context.attempt === 1 ? retry('Not now') : delivered();
    },
  });

  const worker = startWorker(opened, team);
  await allSent;
  await worker.stop({ graceMs: 5_000 });

  assert.deepEqual(team.ids(), ['first', 'other', 'first', 'second']);
  assert.equal((await opened.store.upkeep.counts()).deliveries.sent, 3);
});

test('on SQLite, too, a broken circuit outlives the daemon, and what waits is not lost', async () => {
  await using opened = await temporaryStore({ now: Date.now });
  await accept(opened, 'waiting', 'a');
  const { promise: refused, resolve: onRefused } = deferred();
  const revoked = fakeChannel({
    now: Date.now,
    answer: () => {
      onRefused();
      return failed('invalid_token', { channelBroken: true });
    },
  });
  const first = startWorker(opened, revoked);
  await refused;
  await first.stop({ graceMs: 5_000 });

  const [state] = await opened.store.outbox.channelStates();
  const [delivery] = await opened.store.queue.list({ limit: 1, states: ['retrying'] });
  assert.deepEqual([state?.circuit, state?.openUntil], ['open', null]);
  assert.equal(delivery?.reason, 'invalid_token');

  const { promise: sent, resolve: onSent } = deferred();
  const mended = fakeChannel({
    now: Date.now,
    answer: () => {
      onSent();
      return delivered();
    },
  });
  const second = startWorker(opened, mended);
  await sent;
  await second.stop({ graceMs: 5_000 });

  assert.equal((await opened.store.upkeep.counts()).deliveries.sent, 1);
  assert.equal((await opened.store.outbox.channelStates())[0]?.circuit, 'closed');
});
