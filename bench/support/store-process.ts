// One of several processes that work on a database of PostgreSQL, as a process of a hub does: `store-process.js WORK URL SHARE SHARES EVENTS`.
// It prepares, says "ready" to its parent, waits for a message, works, and says "done".
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

import { traitsOf } from '../../src/agents/registry.ts';
import { decide } from '../../src/alerts/decide.ts';
import { type Policy, unknownPresence } from '../../src/core/policy.ts';
import type { Decide, Store } from '../../src/core/store.ts';
import { openServerStore } from '../../src/store/postgres/open-server-store.ts';
import { claim, settlement } from '../../test/support/claims.ts';
import { samplePolicy } from '../../test/support/decisions.ts';
import { NOW, sampleRecord, sampleSession, tell } from '../../test/support/store.ts';

const BATCH = 50;
const SESSIONS = 200;
/** Batches that a process has in flight. */
const WRITERS = 2;

const KINDS = ['prompt', 'needs.permission', 'tool.done', 'turn.done'] as const;

const [, , work = '', url = '', share = '', shares = '', events = ''] = process.argv;
const own = Array.from({ length: Number(events) }, (_, index) => index).filter(
  (index) => Math.floor(index / BATCH) % Number(shares) === Number(share),
);

const prepared = await prepare();
process.send?.('ready');
await once(process, 'message');
await prepared.run();
process.send?.('done');
await prepared.close();
if (process.connected) process.disconnect();

interface Prepared {
  run(): Promise<unknown>;
  close(): Promise<unknown>;
}

async function prepare(): Promise<Prepared> {
  switch (work) {
    case 'hub-decided':
      return byStore((store) => inBatches(twice(store), takeInDecided));
    case 'hub-in':
      return byStore((store) => inBatches(twice(store), takeIn));
    case 'hub-out':
      return byStore(drain);
    default:
      throw new Error(`Unknown work "${work}"`);
  }
}

async function byStore(run: (store: Store) => Promise<unknown>): Promise<Prepared> {
  const { store } = await openServerStore({ url, now: () => NOW });
  return { run: () => run(store), close: () => store.close() };
}

function twice(store: Store): readonly Store[] {
  return Array.from({ length: WRITERS }, () => store);
}

/** Each writer takes the next batch of this process, until there is none. */
async function inBatches<Writer>(
  writers: readonly Writer[],
  write: (writer: Writer, batch: readonly number[]) => Promise<unknown>,
): Promise<void> {
  const left = Array.from({ length: Math.ceil(own.length / BATCH) }, (_, at) =>
    own.slice(at * BATCH, (at + 1) * BATCH),
  );
  await Promise.all(
    writers.map(async (writer) => {
      for (let batch = left.shift(); batch !== undefined; batch = left.shift()) {
        await write(writer, batch);
      }
    }),
  );
}

/** With its session and a delivery. */
async function takeIn(store: Store, batch: readonly number[]): Promise<void> {
  const records = batch.map((place) => {
    const id = `event-${place}`;
    const sessionKey = `claude:${place % SESSIONS}`;
    return sampleRecord({ id, sessionKey, duplicate: { key: id, windowMs: null } });
  });
  const notify = tell('desktop');
  await store.events.accept(records, (memory, event) => ({
    ...notify(memory, event),
    session: sampleSession({ key: event.sessionKey, lastEventId: event.id }),
  }));
}

/** By the decisions of the daemon. */
async function takeInDecided(store: Store, batch: readonly number[]): Promise<void> {
  const policy: Policy = {
    ...samplePolicy,
    noise: { ...samplePolicy.noise, burst: { atOnce: 5, windowMs: 60_000 } },
  };
  const deciding: Decide = (memory, event) =>
    decide(memory, event, {
      policy,
      agents: traitsOf,
      now: NOW,
      presence: unknownPresence,
      newId: randomUUID,
    });
  const records = batch.map((place) => {
    const id = `decided-${place}`;
    const kind = KINDS[Math.floor(place / SESSIONS) % KINDS.length] ?? 'prompt';
    const sessionKey = `claude:decided-${place % SESSIONS}`;
    return sampleRecord({ id, kind, sessionKey, duplicate: { key: id, windowMs: 60_000 } });
  });
  await store.events.accept(records, deciding);
}

async function drain(store: Store): Promise<void> {
  for (;;) {
    const claims = await claim(store, { limit: BATCH, leaseMs: 60_000, perSession: BATCH });
    if (claims.length === 0) return;
    await Promise.all(claims.map((claimed) => store.outbox.recordAttempt(settlement(claimed))));
  }
}
