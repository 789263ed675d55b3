import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import { createLink, type RelayLink } from '../src/relay/link.ts';
import { makeToken, readToken, type RelayToken } from '../src/relay/token.ts';
import { hubHomes, type HubHomes } from '../test/support/hub-homes.ts';
import { sampleRecord } from '../test/support/store.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { memoryMb } from './support/process-figures.ts';
import { percentile } from './support/statistics.ts';

const MACHINES = 5_000;
const CALM = { perSecond: 200, seconds: 20 };
const BUSY = { perSecond: 1_000, seconds: 10 };

/** Two processes of a hub with 5,000 machines that keep their connections, all on this machine with the database. */
export const hub: Benchmark = {
  name: 'hub',
  async run() {
    const slowness = slownessOf(Array.from({ length: 20 }, () => nodeStartMs()));
    await using team = await hubHomes();
    for (const place of team.hubs) await place.start();
    const links = await connect(team, await enrolMany(team));
    try {
      const calm = await handIn(team, links, CALM);
      const busy = await handIn(team, links, BUSY);
      const memory = await Promise.all(
        team.hubs.map(async ({ paths }) => {
          const [pid] = (await readFile(paths.pidFile, 'utf8')).split(' ');
          return memoryMb(Number(pid), 'VmHWM');
        }),
      );
      return [
        {
          name: 'hub, event handed in until a worker has claimed it, 200 events/s, p95',
          value: percentile(calm.claimedMs, 95),
          unit: 'ms',
          bound: 250,
          better: 'lower',
          slowness,
          note: `p50 ${percentile(calm.claimedMs, 50).toFixed(1)} ms, ${MACHINES} machines connected to 2 processes`,
        },
        {
          name: 'hub, events committed per second of 1,000 handed in by 5,000 machines',
          value: busy.committed / busy.tookSeconds,
          unit: '/s',
          bound: 950,
          better: 'higher',
          slowness,
          note: `${busy.refused} refused for now, claimed after p95 ${percentile(busy.claimedMs, 95).toFixed(0)} ms`,
        },
        {
          name: 'hub, deliveries that still wait 2 s later',
          value: busy.left,
          unit: '',
          bound: 100,
          better: 'lower',
          slowness,
          note: `of ${busy.committed}`,
        },
        {
          name: 'hub, peak memory of a process',
          value: Math.max(...memory),
          unit: 'MB',
          bound: 300,
          better: 'lower',
          note: memory.map((mb) => `${mb.toFixed(0)} MB`).join(' and '),
        },
      ];
    } finally {
      for (const link of links) link.close();
    }
  },
};

/** Straight into the tables: 5,000 enrolments are not what is measured. */
async function enrolMany({ postgres }: HubHomes): Promise<readonly RelayToken[]> {
  const tokens = Array.from({ length: MACHINES }, (_, index) =>
    readToken(makeToken(`m${index}`, randomBytes(32))),
  ).filter((token) => token !== null);
  await postgres.run(
    `INSERT INTO people (email, source, added_at) SELECT 'p' || i || '@example.com', 'invite', 0 FROM generate_series(0, ${MACHINES - 1}) AS i`,
  );
  await postgres.run(
    `INSERT INTO machines (name, person, key, enrolled_at) VALUES ${tokens
      .map(({ machine, key }) => `('${machine}', 'p${machine.slice(1)}@example.com', '${key}', 0)`)
      .join(', ')}`,
  );
  // Each process reads them within a second.
  await delay(2_000);
  return tokens;
}

async function connect(
  { hubs }: HubHomes,
  tokens: readonly RelayToken[],
): Promise<readonly RelayLink[]> {
  const ports = await Promise.all(
    hubs.map(async ({ paths }) =>
      Number(/ port: (\d+)/.exec(await readFile(paths.config, 'utf8'))?.[1]),
    ),
  );
  const links = tokens.map((token, index) =>
    createLink({
      address: { type: 'url', secure: false, host: '127.0.0.1', port: ports[index % 2] ?? 0 },
      certificate: null,
      token,
      outbound: { isProxied: () => false, authorities: () => undefined, tunnel: refuse },
      now: Date.now,
    }),
  );
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  for (let at = 0; at < links.length; at += 50) {
    const greeted = await Promise.all(links.slice(at, at + 50).map((link) => link.greet(signal)));
    const bad = greeted.find(({ type }) => type !== 'ok');
    if (bad !== undefined) throw new Error(`Not connected: ${JSON.stringify(bad)}`);
  }
  return links;
}

function refuse(): never {
  throw new Error('No proxy is used');
}

/** Each machine hands in an event after the other has, at a steady rate. */
async function handIn(
  { postgres }: HubHomes,
  links: readonly RelayLink[],
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
) {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const total = perSecond * seconds;
  const first = `${perSecond}`;
  let committed = 0;
  let refused = 0;
  const startedAt = performance.now();
  const sends: Promise<void>[] = [];
  for (let count = 0; count < total; count += 1) {
    const dueAt = startedAt + (count / perSecond) * 1_000;
    const early = dueAt - performance.now();
    if (early > 1) await delay(early);
    sends.push(send(count));
  }
  await Promise.all(sends);
  const tookSeconds = (performance.now() - startedAt) / 1_000;
  await delay(2_000);
  const [left] = await postgres.run(
    "SELECT count(*)::int AS count FROM deliveries WHERE state = 'pending' AND channel = 'out'",
  );
  const rows = await postgres.run(
    `SELECT (started_at - events.at)::int AS ms FROM attempts
     JOIN deliveries ON deliveries.id = attempts.delivery_id JOIN events ON events.id = deliveries.event_id
     WHERE deliveries.channel = 'out' AND events.id LIKE '${first}-%' AND attempts.number = 1`,
  );
  return {
    committed,
    refused,
    tookSeconds,
    left: Number(left?.['count']),
    claimedMs: rows.map((row) => Number(row['ms'])),
  };

  /** Until it is taken, as the sender of a machine does. */
  async function send(count: number): Promise<void> {
    const record = sampleRecord(
      {
        id: `${first}-${String(count).padStart(16, '0')}`,
        at: Date.now(),
        facts: { agent: 'claude' },
      },
      JSON.stringify({
        hook_event_name: 'Notification',
        session_id: `s${count % links.length}`,
        message: `Claude needs your permission ${count}`,
        cwd: '/home/dev/shop',
      }),
    );
    for (;;) {
      const sent = await links[count % links.length]?.send([record], signal);
      if (sent?.type === 'ok') break;
      refused += 1;
      await delay(sent?.type === 'later' ? sent.afterMs : 1_000);
    }
    committed += 1;
  }
}
