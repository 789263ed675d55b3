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

/** Enough for the processes to be warm, as those of a hub are. */
const EVENTS = part(20_000);
const PROCESSES = 2;
const HOUR_MS = 3_600_000;
/** To the server and back, where old events are removed. */
const AWAY_MS = 2;

const program = fileURLToPath(new URL('../support/store-process.js', import.meta.url));

/** How fast two processes take in and send on one PostgreSQL. */
export const throughput: Benchmark = {
  name: 'postgres',
  async run() {
    const port = await freePort();
    await using server = await startPostgres(["listen_addresses = '127.0.0.1'", `port = ${port}`]);
    const { store } = await openServerStore({ url: server.url });
    const slowness = slownessOf(Array.from({ length: 20 }, () => nodeStartMs()));
    try {
      await rateOf('hub-in', server.url);
      const sent = await rateOf('hub-out', server.url);
      const [left] = await server.run(
        "SELECT count(*)::int AS count FROM deliveries WHERE state <> 'sent'",
      );
      if (left?.['count'] !== 0) throw new Error(`${String(left?.['count'])} were not sent`);
      const decided = await rateOf('hub-decided', server.url);
      const removed = await removalRate(server, port);
      const common = { unit: '/s', better: 'higher', slowness } as const;
      return [
        {
          ...common,
          name: 'PostgreSQL, events decided and committed',
          value: decided,
          bound: 1_000,
          note: 'with sessions, alerts and waits: prompt, request, answer and end of a turn in 200 sessions, 50 a transaction, two processes',
        },
        {
          ...common,
          name: 'PostgreSQL, deliveries sent',
          value: sent,
          bound: 1_000,
          note: 'claims of 50, two processes, a channel that does nothing',
        },
        {
          ...common,
          name: 'PostgreSQL, old events removed',
          value: removed,
          bound: 1_000,
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
