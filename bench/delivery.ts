import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { StatusView } from '../src/control/contract.ts';
import { envelopeBytes } from '../test/support/envelopes.ts';
import { readLines } from '../test/support/file-channel-home.ts';
import type { HookbellHome } from '../test/support/hookbell-home.ts';
import { hookbellHome, until } from '../test/support/hookbell-home.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { cpuMs, memoryMb } from './support/process-figures.ts';

const LINES = 5_000;
const REQUESTS = 2_000;
/** Shells that send in parallel, and so messages that may be in flight without one overtaking another. */
const SESSIONS = 8;
const PATIENCE_MS = 120_000;
const TICK_MS = 5;
/** Seldom: each look takes time from the daemon. */
const POLL_MS = 200;

/** How fast channels that programs read get what waits for them when all events of a backlog are committed. */
export const delivery: Benchmark = {
  name: 'delivery',
  async run() {
    const file = await toFile();
    const webhook = await toWebhook();
    return [
      {
        name: 'delivery to a file',
        value: file.perSecond,
        unit: 'lines/s',
        bound: 2_000,
        better: 'higher',
        slowness: file.slowness,
        note: noteOn(file),
      },
      {
        name: 'delivery to a local webhook',
        value: webhook.perSecond,
        unit: '/s',
        bound: 500,
        better: 'higher',
        slowness: webhook.slowness,
        note: noteOn(webhook),
      },
      {
        name: 'delivery, memory at its peak',
        value: Math.max(file.peakMb, webhook.peakMb),
        unit: 'MB',
        bound: 150,
        better: 'lower',
        note: 'resident',
      },
    ];
  },
};

function noteOn({ perCpuSecond }: Delivered): string {
  return `${SESSIONS} sessions, each in order; ${perCpuSecond.toFixed(0)} in a second of processor time`;
}

interface Delivered {
  readonly perSecond: number;
  /** Messages in a second of the daemon's processor time: what is left where others take the machine. */
  readonly perCpuSecond: number;
  readonly slowness: number;
  readonly peakMb: number;
}

async function toFile(): Promise<Delivered> {
  await using place = await hookbellHome();
  const path = join(dirname(place.home), 'out.jsonl');
  await place.writeConfig(configuration(`{ type: file, path: ${path} }`));
  return await deliver(place, LINES, {
    // Only counted: parsing the whole file at each look would take the machine from the daemon.
    count: async () => (await readFile(path, 'utf8').catch(() => '')).split('\n').length - 1,
    bodies: async () => (await readLines(path)).map(({ body }) => body),
  });
}

async function toWebhook(): Promise<Delivered> {
  await using place = await hookbellHome();
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      bodies.push(Buffer.concat(parts).toString());
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const url = `http://127.0.0.1:${port}/`;
  await place.writeConfig(
    configuration(`{ type: webhook, url: "${url}", allow_http: true, allow_private: true }`),
  );
  const delivered = await deliver(place, REQUESTS, {
    count: () => Promise.resolve(bodies.length),
    bodies: () => Promise.resolve(bodies),
  });
  server.close();
  server.closeAllConnections();
  return delivered;
}

/** What has come out at the far end. */
interface Arrivals {
  readonly count: () => Promise<number>;
  /** In their order. */
  readonly bodies: () => Promise<readonly string[]>;
}

async function deliver(place: HookbellHome, count: number, arrivals: Arrivals): Promise<Delivered> {
  const pid = await takeIn(place, count);
  const starts = Array.from({ length: 5 }, () => nodeStartMs());
  const left = count - (await arrivals.count());
  const cpuBefore = cpuMs(pid);
  const startedAt = performance.now();
  await until(async () => (await arrivals.count()) >= count, PATIENCE_MS);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuSeconds = (cpuMs(pid) - cpuBefore) / 1_000;
  starts.push(...Array.from({ length: 10 }, () => nodeStartMs()));
  await untilSent(place, count);
  checkOrder(await arrivals.bodies(), count);
  return {
    perSecond: left / seconds,
    perCpuSecond: left / cpuSeconds,
    slowness: slownessOf(starts),
    peakMb: memoryMb(pid, 'VmHWM'),
  };
}

function configuration(channel: string): string {
  return `channels:\n  out: ${channel}\nroutes:\n  - { match: {}, notify: out }\n`;
}

/** Starts a daemon with `count` events in its spool, and waits until it has committed them; returns its process id. */
async function takeIn(place: HookbellHome, count: number): Promise<number> {
  mkdirSync(place.paths.spool, { recursive: true, mode: 0o700 });
  for (let number = 0; number < count; number += 1) {
    // Files made within one tick of the kernel's clock have no order.
    if (number % SESSIONS === 0) await delay(TICK_MS);
    const name = randomUUID();
    const payload = {
      session_id: `s${number % SESSIONS}`,
      hook_event_name: 'Notification',
      message: `event-${number % SESSIONS}-${Math.floor(number / SESSIONS)}.`,
      cwd: '/home/dev/shop',
    };
    const bytes = envelopeBytes(name, JSON.stringify(payload), { agent: 'claude' });
    writeFileSync(join(place.paths.spool, name), bytes, { mode: 0o600 });
  }
  await place.start();
  await until(async () => (await statusOf(place))?.events === count, PATIENCE_MS);
  return (await statusOf(place))?.pid ?? 0;
}

/** A daemon that is busy may answer late. */
async function statusOf(place: HookbellHome): Promise<StatusView | null> {
  return place.ask('GET /v1/status', { timeoutMs: PATIENCE_MS }).catch(() => null);
}

/** Deliveries to the inbox count too. */
async function untilSent(place: HookbellHome, count: number): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const deliveries = (await statusOf(place))?.deliveries;
    if (deliveries?.pending === 0 && deliveries.sent >= count) return;
    if (performance.now() > giveUpAt) throw new Error(`${deliveries?.pending} still wait`);
    await delay(POLL_MS);
  }
}

/** @throws Error when a message is missing, came twice, or overtook another one of its session */
function checkOrder(bodies: readonly string[], count: number): void {
  if (bodies.length !== count) throw new Error(`${bodies.length} arrived, expected ${count}`);
  const next = new Map<string, number>();
  for (const body of bodies) {
    const [, session = '', number = ''] = /event-(\d+)-(\d+)\./.exec(body) ?? [];
    if (Number(number) !== (next.get(session) ?? 0)) throw new Error(`Out of order: ${body}`);
    next.set(session, Number(number) + 1);
  }
}
