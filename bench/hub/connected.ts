import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { Report, ReportedQuestion } from '../../src/relay/exchange-wire.ts';
import type { HookRecord } from '../../src/core/hook-event.ts';
import { hubHomes, type HubHomes } from '../../test/support/hub-homes.ts';
import { sampleRecord } from '../../test/support/store.ts';
import type { Figure } from '../support/benchmark.ts';
import {
  enrolMany,
  insist,
  linksTo,
  type MachineLink,
  portsOf,
  requestEvent,
} from '../../test/support/hub-machines.ts';
import { part } from '../support/part.ts';
import { memoryMb } from '../support/process-figures.ts';
import { percentile } from '../support/statistics.ts';

const MACHINES = part(500);
/** Machines with a request that is held, and a request to the hub that waits for its answer. */
const HELD = part(100);
/** Rates for the quiet machine; a slower one gets as much less. A team of 500 makes 10 events/s in its busy hour. */
const WARM_UP = { perSecond: part(100), seconds: 20 };
const CALM = { perSecond: part(100), seconds: 20 };
const BUSY = { perSecond: part(200), seconds: 30 };
const SAMPLE_MS = 1_000;

/** Two processes of a hub with 500 machines that keep their connections, all on this machine with the database. */
export async function connected(slowness: number): Promise<readonly Figure[]> {
  await using team = await hubHomes({ isDirect: true, config: '  answers: {}\n' });
  for (const place of team.hubs) await place.start();
  const ports = await portsOf(team);
  const tokens = await enrolMany(team, MACHINES);
  const scaled = ({ perSecond, seconds }: Pick<Load, 'perSecond' | 'seconds'>) => ({
    perSecond: Math.max(1, Math.round(perSecond / slowness)),
    seconds,
    ports,
  });
  const held = new Set(tokens.slice(0, HELD).map((_, index) => heldId(index)));
  const links = linksTo(ports, tokens, { held: (id) => held.has(id) });
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  try {
    for (let at = 0; at < links.length; at += 50) {
      const greeted = await Promise.all(
        links.slice(at, at + 50).map((link) => link.greet(over.signal)),
      );
      const bad = greeted.find(({ type }) => type !== 'ok');
      if (bad !== undefined) throw new Error(`Not connected: ${JSON.stringify(bad)}`);
    }
    const polls = await hold(links, over.signal);
    await sendAtRate(team, links, { ...scaled(WARM_UP), name: 'warm' });
    const calm = await sendAtRate(team, links, { ...scaled(CALM), name: 'calm' });
    const busy = await sendAtRate(team, links, { ...scaled(BUSY), name: 'busy' });
    const memory = await Promise.all(
      team.hubs.map(async ({ paths }) => {
        const [pid] = (await readFile(paths.pidFile, 'utf8')).split(' ');
        return memoryMb(Number(pid), 'VmHWM');
      }),
    );
    const [open] = await team.postgres.run(
      'SELECT count(*)::int AS count FROM questions WHERE closed_at IS NULL',
    );
    if (open?.['count'] !== HELD) throw new Error(`${String(open?.['count'])} requests are held`);
    const calmRate = scaled(CALM).perSecond;
    const busyRate = scaled(BUSY).perSecond;
    const scene = `${MACHINES} machines connected to 2 processes, ${HELD} of them with a held request`;
    return [
      {
        name: `hub, event sent until a worker has claimed it, ${calmRate} events/s, p95`,
        value: percentile(calm.claimedMs, 95),
        unit: 'ms',
        bound: 250,
        better: 'lower',
        slowness,
        note: `p50 ${percentile(calm.claimedMs, 50).toFixed(1)} ms, ${scene}`,
      },
      {
        name: `hub, events committed per second of ${busyRate} sent`,
        value: busy.committed / busy.tookSeconds,
        unit: '/s',
        bound: 0.95 * busyRate,
        better: 'higher',
        note: `for ${BUSY.seconds} s, ${scene}, ${busy.refused} refused for now, claimed after p95 ${percentile(busy.claimedMs, 95).toFixed(0)} ms`,
      },
      {
        name: 'hub, fewest connections open meanwhile',
        value: busy.connections,
        unit: '',
        bound: MACHINES,
        better: 'higher',
        note: `${polls.open()} polls were open at the end, ${polls.failed()} failed`,
      },
      {
        name: 'hub, growth of the queue, the last third beside the second one',
        value: busy.growth,
        unit: '/s',
        bound: 0.01 * busyRate,
        better: 'lower',
        note: `of ${busyRate} events/s; ${busy.most} waited at most, ${busy.left} 2 s after the end`,
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
    over.abort();
    for (const link of links) link.close();
  }
}

function heldId(index: number): string {
  return `held-${String(index).padStart(16, '0')}`;
}

/** Sends a request of each of the first machines, reports it as held, and keeps asking for answers. */
async function hold(links: readonly MachineLink[], signal: AbortSignal) {
  let open = 0;
  let failed = 0;
  async function poll(link: MachineLink): Promise<void> {
    while (!signal.aborted) {
      open += 1;
      const report: Report = { version: 1, waitMs: 25_000, at: Date.now(), outcomes: [] };
      const { type } = await link.exchange(report, signal);
      open -= 1;
      if (type === 'ok' || signal.aborted) continue;
      failed += 1;
      await delay(1_000);
    }
  }
  for (const [index, link] of links.slice(0, HELD).entries()) {
    const id = heldId(index);
    const payload = {
      hook_event_name: 'PermissionRequest',
      session_id: id,
      tool_name: 'Bash',
      tool_input: { command: 'npm publish' },
      cwd: '/home/dev/shop',
    };
    const record = sampleRecord(
      { id, at: Date.now(), facts: { agent: 'claude' } },
      JSON.stringify(payload),
    );
    await insist(link, [record]);
    const questions = [questionOf(id)];
    const report: Report = { version: 1, waitMs: 0, at: Date.now(), questions, outcomes: [] };
    const told = await link.exchange(report, signal);
    if (told.type !== 'ok') throw new Error(`Not held: ${JSON.stringify(told)}`);
    void poll(link);
  }
  return { open: () => open, failed: () => failed };
}

function questionOf(id: string): ReportedQuestion {
  return {
    id,
    agent: 'claude',
    agentId: null,
    tool: 'Bash',
    requestHash: createHash('sha256').update(id).digest('hex'),
    callHash: null,
    hold: 'open',
    choices: ['allow', 'deny'],
    state: 'held',
    openedAt: Date.now(),
    deadline: Date.now() + 3_600_000,
    answer: null,
    closedAt: null,
    reason: null,
  };
}

interface Load {
  readonly perSecond: number;
  readonly seconds: number;
  readonly ports: readonly number[];
  /** The events are named after it. */
  readonly name: string;
}

/** Each machine sends an event after the other has, at a steady rate. */
async function sendAtRate(
  { postgres }: HubHomes,
  links: readonly MachineLink[],
  { perSecond, seconds, ports, name }: Load,
) {
  const total = perSecond * seconds;
  const waiting: number[] = [];
  const connections: number[] = [];
  const queues = new Map<MachineLink, HookRecord[]>();
  let refused = 0;
  let committed = 0;
  const startedAt = performance.now();
  const sampling = setInterval(() => void sample(), SAMPLE_MS);
  const sends: Promise<void>[] = [];
  for (let count = 0; count < total; count += 1) {
    const early = startedAt + (count / perSecond) * 1_000 - performance.now();
    if (early > 1) await delay(early);
    sends.push(send(count));
  }
  await Promise.all(sends);
  clearInterval(sampling);
  const tookSeconds = (performance.now() - startedAt) / 1_000;
  await delay(2_000);
  const rows = await postgres.run(
    `SELECT (started_at - events.at)::int AS ms FROM attempts
     JOIN deliveries ON deliveries.id = attempts.delivery_id JOIN events ON events.id = deliveries.event_id
     WHERE deliveries.channel = 'out' AND events.id LIKE '${name}-%' AND attempts.number = 1`,
  );
  if (rows.length === 0) throw new Error(`No event of "${name}" was claimed`);
  // A connection that is not used for 30 s is closed: each machine has to have sent once.
  const settled = connections.slice(Math.min(links.length / perSecond, connections.length - 1));
  const third = Math.floor(waiting.length / 3);
  const grown = mean(waiting.slice(2 * third)) - mean(waiting.slice(third, 2 * third));
  return {
    refused,
    committed,
    tookSeconds,
    left: await pending(),
    most: Math.max(...waiting),
    growth: Math.max(0, grown / Math.max(1, (third * SAMPLE_MS) / 1_000)),
    connections: Math.min(...settled),
    claimedMs: rows.map((row) => Number(row['ms'])),
  };

  async function pending(): Promise<number> {
    const [row] = await postgres.run(
      "SELECT count(*)::int AS count FROM deliveries WHERE state = 'pending' AND channel = 'out'",
    );
    return Number(row?.['count']);
  }

  async function sample(): Promise<void> {
    connections.push(connectionsTo(ports));
    waiting.push(await pending());
  }

  /** As the sender of a machine does: one request at a time, with all that is waiting by then. */
  async function send(count: number): Promise<void> {
    const link = links[count % links.length];
    if (link === undefined) return;
    const queued = queues.get(link);
    // In a new session: a further request of one that waits already would notify no one.
    const record = requestEvent(`${name}-${String(count).padStart(16, '0')}`);
    if (queued !== undefined) return void queued.push(record);
    let batch = [record];
    while (batch.length > 0) {
      const next: HookRecord[] = [];
      queues.set(link, next);
      refused += await insist(link, batch);
      committed += batch.length;
      batch = next;
    }
    queues.delete(link);
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** Established connections that a process with one of these ports has accepted. */
function connectionsTo(ports: readonly number[]): number {
  const ends = new Set(ports.map((port) => port.toString(16).toUpperCase().padStart(4, '0')));
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => state === '01' && ends.has(local.slice(-4))).length;
}
