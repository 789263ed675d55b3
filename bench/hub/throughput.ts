import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { openServerStore } from '../../src/store/postgres/open-server-store.ts';
import { freePort } from '../../test/support/free-port.ts';
import { type Postgres, startPostgres } from '../../test/support/postgres.ts';
import { NOW } from '../../test/support/store.ts';
import { startTcpProxy } from '../../test/support/tcp-proxy.ts';
import type { Benchmark } from '../support/benchmark.ts';
import { nodeStartMs, slownessOf } from '../support/machine.ts';
import { part } from '../support/part.ts';
import { copyTables, rowCounts } from '../support/same-tables.ts';

/** Enough for the processes to be warm, as those of a hub are. */
const EVENTS = part(20_000);
const PROCESSES = 2;
const HOUR_MS = 3_600_000;
/** To the server and back, where old events are removed. */
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

const program = fileURLToPath(new URL('../support/store-process.js', import.meta.url));

/**
 * How fast two processes take in and send on PostgreSQL, beside two processes with plain batches of `pg` on the same server:
 * into three narrow tables, and into tables with the columns, indexes and rows of hookbell's.
 */
export const throughput: Benchmark = {
  name: 'postgres',
  async run() {
    const port = await freePort();
    await using server = await startPostgres(["listen_addresses = '127.0.0.1'", `port = ${port}`]);
    const { store } = await openServerStore({ url: server.url });
    await server.run(TABLES);
    const slowness = slownessOf(Array.from({ length: 20 }, () => nodeStartMs()));
    try {
      const rate = (work: string): Promise<number> => rateOf(work, server.url);
      const plainIn = await rate('plain-in');
      const before = await rowCounts(server);
      const takenIn = await rate('hub-in');
      const tables = await copyTables(server, before);
      const sameIn = await rate('same-in');
      const plainOut = await rate('plain-out');
      const sameOut = await rate('same-out');
      const sent = await rate('hub-out');
      const [left] = await server.run(
        "SELECT count(*)::int AS count FROM deliveries WHERE state <> 'sent'",
      );
      if (left?.['count'] !== 0) throw new Error(`${String(left?.['count'])} were not sent`);
      const decided = await rate('hub-decided');
      const removed = await removalRate(server, port);
      const common = { unit: '×', bound: 2, better: 'lower', slowness } as const;
      return [
        {
          ...common,
          name: 'PostgreSQL, plain inserts to events taken in',
          value: plainIn / takenIn,
          note: `${Math.round(plainIn)} to ${Math.round(takenIn)} events/s, 50 a transaction, two processes of two connections`,
        },
        {
          ...common,
          name: 'PostgreSQL, plain inserts of the same rows to events taken in',
          value: sameIn / takenIn,
          note: `${Math.round(sameIn)} to ${Math.round(takenIn)} events/s: ${tables.join(', ')} with their columns and indexes`,
        },
        {
          ...common,
          name: 'PostgreSQL, events decided and committed',
          value: decided,
          unit: '/s',
          bound: 1_000,
          better: 'higher',
          note: 'with sessions, alerts and waits: prompt, request, answer and end of a turn in 200 sessions, 50 a transaction',
        },
        {
          ...common,
          name: 'PostgreSQL, plain claims of the same rows to deliveries sent',
          value: sameOut / sent,
          note: `${Math.round(sameOut)} to ${Math.round(sent)} deliveries/s: with the event, the attempt and all indexes`,
        },
        {
          ...common,
          name: 'PostgreSQL, plain claims to deliveries sent',
          value: plainOut / sent,
          note: `${Math.round(plainOut)} to ${Math.round(sent)} deliveries/s, claims of 50, two processes, a channel that does nothing`,
        },
        {
          ...common,
          name: 'PostgreSQL, old events removed',
          value: removed,
          unit: '/s',
          bound: 1_000,
          better: 'higher',
          note: `with ${AWAY_MS} ms to the server and back, while nothing else is written`,
        },
      ];
    } finally {
      await store.close();
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

/** Events per second of all processes together, from the moment when all are ready until all are done. */
async function rateOf(work: string, url: string): Promise<number> {
  const children = Array.from({ length: PROCESSES }, (_, share) =>
    fork(program, [work, url, String(share), String(PROCESSES), String(EVENTS)]),
  );
  const next = (): Promise<unknown> =>
    Promise.all(
      children.map(async (child) => {
        const ended = once(child, 'exit').then(([code]) => {
          throw new Error(`The process for "${work}" ended with ${String(code)}`);
        });
        ended.catch(() => {});
        await Promise.race([once(child, 'message'), ended]);
      }),
    );
  try {
    await next();
    const startedAt = performance.now();
    const done = next();
    for (const child of children) child.send('go');
    await done;
    return (EVENTS / (performance.now() - startedAt)) * 1_000;
  } finally {
    for (const child of children) child.kill();
  }
}
