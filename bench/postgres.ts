import { randomUUID } from 'node:crypto';

import { Client } from 'pg';

import { traitsOf } from '../src/agents/registry.ts';
import { decide } from '../src/alerts/decide.ts';
import { type Policy, unknownPresence } from '../src/core/policy.ts';
import type { Decide, Store } from '../src/core/store.ts';
import { openServerStore } from '../src/store/postgres/open-server-store.ts';
import { claim, settlement } from '../test/support/claims.ts';
import { samplePolicy } from '../test/support/decisions.ts';
import { freePort } from '../test/support/free-port.ts';
import { type Postgres, startPostgres } from '../test/support/postgres.ts';
import { NOW, sampleRecord, tell } from '../test/support/store.ts';
import { startTcpProxy } from '../test/support/tcp-proxy.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';

const EVENTS = 10_000;
const BATCH = 50;
const SESSIONS = 200;
const WRITERS = 4;
const SENDERS = 2;
const HOUR_MS = 3_600_000;
/** To the server and back. */
const AWAY_MS = 2;

/** Rows like those of an event, its session and its delivery, by three statements for a batch. */
const TABLES = `
CREATE TABLE plain_events (id text PRIMARY KEY, session_key text, payload text);
CREATE TABLE plain_sessions (key text PRIMARY KEY, last_event_id text);
CREATE TABLE plain_deliveries (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_id text, due_at bigint, state text, claimed_until bigint
);
CREATE INDEX plain_due ON plain_deliveries (due_at, seq) WHERE state = 'pending';
`;

/** How fast two processes take in and send on PostgreSQL, beside plain batches of `pg` on the same server. */
export const postgres: Benchmark = {
  name: 'postgres',
  async run() {
    const port = await freePort();
    await using server = await startPostgres(["listen_addresses = '127.0.0.1'", `port = ${port}`]);
    const opened = await Promise.all(
      Array.from({ length: SENDERS }, () => openServerStore({ url: server.url, now: () => NOW })),
    );
    const stores = opened.map(({ store }) => store);
    await server.run(TABLES);
    const clients = Array.from({ length: WRITERS }, () => new Client(server.url));
    await Promise.all(clients.map((client) => client.connect()));
    try {
      const plainIn = await rateOf(() => insertPlainly(clients));
      const takenIn = await rateOf(() => takeIn(stores));
      const plainOut = await rateOf(() => drainPlainly(clients.slice(0, SENDERS)));
      const sent = await rateOf(() => drain(stores));
      const decided = await rateOf(() => takeInDecided(stores));
      const removed = await removalRate(server, port);
      const common = {
        unit: '×',
        bound: 2,
        better: 'lower',
        slowness: slownessOf(Array.from({ length: 20 }, () => nodeStartMs())),
      } as const;
      return [
        {
          ...common,
          name: 'PostgreSQL, plain inserts to events taken in',
          value: plainIn / takenIn,
          note: `${Math.round(plainIn)} to ${Math.round(takenIn)} events/s, ${BATCH} a transaction, ${WRITERS} at once`,
        },
        {
          ...common,
          name: 'PostgreSQL, events decided and committed',
          value: decided,
          unit: '/s',
          bound: 1_000,
          better: 'higher',
          note: `with sessions, alerts and waits: prompt, request, answer and end of a turn in ${SESSIONS} sessions, ${BATCH} a transaction`,
        },
        {
          ...common,
          name: 'PostgreSQL, plain claims to deliveries sent',
          value: plainOut / sent,
          note: `${Math.round(plainOut)} to ${Math.round(sent)} deliveries/s, claims of ${BATCH}, ${SENDERS} processes, a channel that does nothing`,
        },
        {
          ...common,
          name: 'PostgreSQL, old events removed',
          value: removed,
          unit: '/s',
          bound: 1_000,
          better: 'higher',
          note: `with ${AWAY_MS} ms to the server and back`,
        },
      ];
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await Promise.all(stores.map((store) => store.close()));
    }
  },
};

/** Removes all that the others have left over a way with a delay. Returns events per second. */
async function removalRate(server: Pick<Postgres, 'run'>, port: number): Promise<number> {
  await using proxy = await startTcpProxy(port, AWAY_MS / 2);
  const { store } = await openServerStore({
    url: `postgres://hookbell@127.0.0.1:${proxy.port}/hookbell`,
    now: () => NOW,
  });
  try {
    await server.run("UPDATE alerts SET state = 'resolved'");
    await server.run("UPDATE deliveries SET state = 'sent' WHERE state IN ('pending', 'retrying')");
    await store.upkeep.countElapsedTime(NOW);
    await store.upkeep.countElapsedTime(NOW + 2 * HOUR_MS);
    const startedAt = performance.now();
    const removed = await store.upkeep.prune({
      keepMs: HOUR_MS,
      before: NOW,
      maxBytes: Number.MAX_SAFE_INTEGER,
    });
    return (removed / (performance.now() - startedAt)) * 1_000;
  } finally {
    await store.close();
  }
}

/** Events per second. */
async function rateOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (EVENTS / (performance.now() - startedAt)) * 1_000;
}

function batches(): string[][] {
  const ids = Array.from({ length: EVENTS }, (_, index) => `event-${index}`);
  return Array.from({ length: EVENTS / BATCH }, (_, at) => ids.slice(at * BATCH, (at + 1) * BATCH));
}

function sessionOf(id: string): string {
  return `claude:${Number(id.slice('event-'.length)) % SESSIONS}`;
}

async function insertPlainly(clients: readonly Client[]): Promise<void> {
  const left = batches();
  await Promise.all(
    clients.map(async (client) => {
      for (let ids = left.shift(); ids !== undefined; ids = left.shift()) {
        const keys = ids.map(sessionOf).toSorted();
        await client.query('BEGIN');
        await client.query(
          "INSERT INTO plain_events SELECT id, key, '{}' FROM unnest($1::text[], $2::text[]) AS row (id, key) ON CONFLICT DO NOTHING",
          [ids, keys],
        );
        await client.query(
          "INSERT INTO plain_sessions SELECT DISTINCT key, 'event' FROM unnest($1::text[]) AS key ORDER BY key ON CONFLICT (key) DO UPDATE SET last_event_id = excluded.last_event_id",
          [keys],
        );
        await client.query(
          "INSERT INTO plain_deliveries (event_id, due_at, state) SELECT id, 1, 'pending' FROM unnest($1::text[]) AS id",
          [ids],
        );
        await client.query('COMMIT');
      }
    }),
  );
}

async function drainPlainly(clients: readonly Client[]): Promise<void> {
  await Promise.all(
    clients.map(async (client) => {
      for (;;) {
        const { rows } = await client.query<{ readonly seq: string }>(
          `UPDATE plain_deliveries SET claimed_until = 2, due_at = 2 WHERE seq IN (
            SELECT seq FROM plain_deliveries WHERE state = 'pending' AND due_at <= 1
            ORDER BY due_at, seq LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
          ) RETURNING seq`,
        );
        if (rows.length === 0) return;
        const seqs = rows.map(({ seq }) => seq);
        await client.query(
          "UPDATE plain_deliveries SET state = 'sent' WHERE seq = ANY ($1::bigint[])",
          [seqs],
        );
      }
    }),
  );
}

async function takeIn(stores: readonly Store[]): Promise<void> {
  const left = batches();
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, index) => {
      const store = stores[index % stores.length];
      for (let ids = left.shift(); ids !== undefined; ids = left.shift()) {
        const records = ids.map((id) =>
          sampleRecord({ id, sessionKey: sessionOf(id), duplicate: { key: id, windowMs: null } }),
        );
        await store?.events.accept(records, tell('desktop'));
      }
    }),
  );
}

const KINDS = ['prompt', 'needs.permission', 'tool.done', 'turn.done'] as const;

/** By the decisions of the daemon. */
async function takeInDecided(stores: readonly Store[]): Promise<void> {
  const left = batches();
  const policy: Policy = {
    ...samplePolicy,
    noise: { ...samplePolicy.noise, burst: { atOnce: 5, windowMs: 60_000 } },
  };
  const deciding: Decide = (memory, event) =>
    decide(memory, event, {
      agents: traitsOf,
      policy,
      now: NOW,
      presence: unknownPresence,
      newId: randomUUID,
    });
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, index) => {
      const store = stores[index % stores.length];
      for (let ids = left.shift(); ids !== undefined; ids = left.shift()) {
        const records = ids.map((name) => {
          const place = Number(name.slice('event-'.length));
          const id = `decided-${place}`;
          const kind = KINDS[Math.floor(place / SESSIONS) % KINDS.length] ?? 'prompt';
          const sessionKey = `claude:decided-${place % SESSIONS}`;
          return sampleRecord({ id, kind, sessionKey, duplicate: { key: id, windowMs: 60_000 } });
        });
        await store?.events.accept(records, deciding);
      }
    }),
  );
}

async function drain(stores: readonly Store[]): Promise<void> {
  let sent = 0;
  await Promise.all(
    stores.map(async (store) => {
      while (sent < EVENTS) {
        const claims = await claim(store, { limit: BATCH, leaseMs: 60_000 });
        sent += claims.length;
        await Promise.all(claims.map((claimed) => store.outbox.settle(settlement(claimed))));
      }
    }),
  );
}
