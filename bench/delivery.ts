import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { StatusView } from '../src/core/control.ts';
import { envelopeBytes } from '../test/support/envelopes.ts';
import { readLines } from '../test/support/file-channel-home.ts';
import type { HookbellHome } from '../test/support/hookbell-home.ts';
import { hookbellHome, until } from '../test/support/hookbell-home.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { memoryMb } from './support/process-figures.ts';

const LINES = 5_000;
const REQUESTS = 2_000;
/** As many shells hand in at the same time: so many messages may be on their way without one overtaking another. */
const SESSIONS = 8;
const PATIENCE_MS = 120_000;

/** How fast channels that programs read get what waited for them during an outage. */
export const delivery: Benchmark = {
  name: 'delivery',
  async run() {
    const file = await toFile();
    const webhook = await toWebhook();
    const slowness = slownessOf(Array.from({ length: 20 }, () => nodeStartMs()));
    return [
      {
        name: 'delivery to a file',
        value: file.perSecond,
        unit: 'lines/s',
        bound: 2_000,
        better: 'higher',
        slowness,
        note: `${LINES} of ${SESSIONS} sessions, in their order`,
      },
      {
        name: 'delivery to a local webhook',
        value: webhook.perSecond,
        unit: '/s',
        bound: 500,
        better: 'higher',
        slowness,
        note: `${REQUESTS} of ${SESSIONS} sessions, in their order`,
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

interface Delivered {
  readonly perSecond: number;
  readonly peakMb: number;
}

/** The file cannot be written, as its name is that of a folder, until all events are in. */
async function toFile(): Promise<Delivered> {
  await using place = await hookbellHome();
  const path = join(dirname(place.home), 'out.jsonl');
  mkdirSync(path);
  await place.writeConfig(configuration(`{ type: file, path: ${path} }`));
  const pid = await takeIn(place, LINES);

  rmdirSync(path);
  const startedAt = performance.now();
  await place.ask('POST /v1/reload', { timeoutMs: PATIENCE_MS });
  await untilSent(place, LINES);
  const seconds = (performance.now() - startedAt) / 1_000;

  const lines = await readLines(path);
  checkOrder(
    lines.map(({ body }) => body),
    LINES,
  );
  if (statSync(path).size === 0) throw new Error('Nothing was written');
  return { perSecond: LINES / seconds, peakMb: memoryMb(pid, 'VmHWM') };
}

/** The server refuses everything until all events are in. */
async function toWebhook(): Promise<Delivered> {
  await using place = await hookbellHome();
  const bodies: string[] = [];
  let isDown = true;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (!isDown) bodies.push(Buffer.concat(parts).toString());
      response.writeHead(isDown ? 503 : 204).end();
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
  const pid = await takeIn(place, REQUESTS);

  isDown = false;
  const startedAt = performance.now();
  await place.ask('POST /v1/reload', { timeoutMs: PATIENCE_MS });
  await untilSent(place, REQUESTS);
  const seconds = (performance.now() - startedAt) / 1_000;

  checkOrder(bodies, REQUESTS);
  const peakMb = memoryMb(pid, 'VmHWM');
  server.close();
  server.closeAllConnections();
  return { perSecond: REQUESTS / seconds, peakMb };
}

function configuration(channel: string): string {
  return `channels:\n  out: ${channel}\nroutes:\n  - { match: {}, notify: out }\n`;
}

/** Starts a daemon that finds so many events in its spool, and waits until it has committed them; returns its number. */
async function takeIn(place: HookbellHome, count: number): Promise<number> {
  mkdirSync(place.paths.spool, { recursive: true, mode: 0o700 });
  for (let number = 0; number < count; number += 1) {
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

/** Those of the inbox count as well. */
async function untilSent(place: HookbellHome, count: number): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const deliveries = (await statusOf(place))?.deliveries;
    if (deliveries?.pending === 0 && deliveries.sent >= count) return;
    if (performance.now() > giveUpAt) throw new Error(`${deliveries?.pending} still wait`);
    await delay(20);
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
