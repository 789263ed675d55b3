import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';

import { traitsOf } from '../../../src/agents/registry.ts';
import { decide } from '../../../src/alerts/decide.ts';
import { unknownPresence } from '../../../src/core/policy.ts';
import type { Decide, Store } from '../../../src/core/store.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { claim, settlement } from '../../support/claims.ts';
import { samplePolicy } from '../../support/decisions.ts';
import { needsPostgres, type Postgres, startPostgres } from '../../support/postgres.ts';
import { NOW, sampleRecord, sampleSession, tell } from '../../support/store.ts';

const skip = needsPostgres();

const BACKLOG = 800;
const BATCH = 50;

/** Takes in events that notify the desktop, each of another session. */
async function fill(store: Store, name: string, count: number): Promise<void> {
  const notify = tell('desktop');
  for (let at = 0; at < count; at += BATCH) {
    const records = Array.from({ length: Math.min(BATCH, count - at) }, (_, index) => {
      const id = `${name}-${at + index}`;
      return sampleRecord({ id, sessionKey: `claude:${id}` });
    });
    await store.events.accept(records, (memory, event) => ({
      ...notify(memory, event),
      session: sampleSession({ key: event.sessionKey, lastEventId: event.id }),
    }));
  }
}

/** Sends up to `most` messages, as the worker of a channel with batches does. */
async function send(store: Store, most: number): Promise<void> {
  for (let sent = 0; sent < most; sent += BATCH) {
    const claims = await claim(store, { limit: BATCH, leaseMs: 60_000, perSession: 64 });
    await Promise.all(claims.map((one) => store.outbox.recordAttempt(settlement(one))));
  }
}

/** The budget of a channel without settings: a decision reads so many of its messages at most. */
const policy = { ...samplePolicy, noise: { ...samplePolicy.noise, perChannelAnHour: 120 } };

/** As a daemon decides: alerts and waits of requests stay open. */
const deciding: Decide = (memory, event) =>
  decide(memory, event, {
    policy,
    agents: traitsOf,
    now: NOW,
    presence: unknownPresence,
    newId: randomUUID,
  });

async function ask(store: Store, name: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += BATCH) {
    const records = Array.from({ length: Math.min(BATCH, count - at) }, (_, index) => {
      const id = `${name}-${at + index}`;
      const duplicate = { key: id, windowMs: 60_000 };
      return sampleRecord({ id, kind: 'needs.permission', sessionKey: `claude:${id}`, duplicate });
    });
    await store.events.accept(records, deciding);
  }
}

/** How many rows and index entries have been read so far, by table, of connections that have ended. */
async function rowsRead(postgres: Postgres): Promise<ReadonlyMap<string, number>> {
  const rows = await postgres.run(
    `SELECT relname AS table, seq_tup_read + coalesce((
      SELECT sum(idx_tup_read) FROM pg_stat_user_indexes AS own WHERE own.relid = tables.relid
    ), 0) AS count FROM pg_stat_user_tables AS tables`,
  );
  return new Map(rows.map((row) => [String(row['table']), Number(row['count'])]));
}

test(
  'a message costs no more to send in a backlog whose plans were made when the tables were almost empty',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    const { store } = await openServerStore({ url: postgres.url, now: () => NOW });
    // The plans of these connections are made for one session with one message, again and again.
    for (let count = 0; count < 8; count += 1) {
      await fill(store, `early-${count}`, 1);
      await send(store, 1);
    }
    await postgres.run('ANALYZE');
    for (let count = 0; count < 8; count += 1) {
      await fill(store, `again-${count}`, 1);
      await send(store, 1);
    }
    await fill(store, 'backlog', BACKLOG);

    await send(store, BACKLOG);
    const due = await store.outbox.dueTimes();
    await store.close();

    assert.equal(due.size, 0);
    const perMessage = ((await rowsRead(postgres)).get('deliveries') ?? 0) / BACKLOG;
    // By the index of all that wait for a channel, it would be half of the backlog.
    assert.ok(perMessage < 50, `${perMessage.toFixed(0)} rows were read for a message`);
  },
);

test(
  'an event costs no more to take in while thousands of requests are open, with plans made for a few',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    const { store } = await openServerStore({ url: postgres.url, now: () => NOW });
    for (let count = 0; count < 8; count += 1) await ask(store, `early-${count}`, 1);
    await postgres.run('ANALYZE');
    for (let count = 0; count < 8; count += 1) await ask(store, `again-${count}`, 1);

    await ask(store, 'open', BACKLOG);
    await store.close();

    const [{ open } = { open: 0 }] = await postgres.run(
      "SELECT count(*)::int AS open FROM alerts WHERE state = 'open'",
    );
    assert.ok(Number(open) >= BACKLOG, `${String(open)} alerts are open`);
    const read = await rowsRead(postgres);
    const perEvent = [...read].map(
      ([table, count]) => [table, Math.round(count / BACKLOG)] as const,
    );
    // By an index of all that are open, it would be half of the backlog.
    assert.deepEqual(
      perEvent.filter(([, count]) => count > 150),
      [],
    );
  },
);
