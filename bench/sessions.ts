import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { envelopeBytes } from '../test/support/envelopes.ts';
import type { HookbellHome } from '../test/support/hookbell-home.ts';
import { hookbellHome } from '../test/support/hookbell-home.ts';
import type { Benchmark } from './support/benchmark.ts';
import { memoryMb } from './support/process-figures.ts';
import { ratio } from './support/ratio.ts';

const MANY = 5_000;
const FEW = 50;
const EVENTS = 10_000;

/** Whether many sessions that all wait for an answer cost more than few. */
export const sessions: Benchmark = {
  name: 'sessions',
  async run() {
    await using few = await busyHome(FEW);
    await using many = await busyHome(MANY);
    const peakMb = memoryMb(many.pid, 'VmHWM');
    const status = await ratio({
      name: '5,000 waiting sessions, status',
      bound: 2,
      than: '50 sessions',
      rounds: 60,
      ours: () => timeOf(many),
      theirs: () => timeOf(few),
    });
    return [
      {
        name: '5,000 waiting sessions, rate beside 50',
        value: many.perSecond / few.perSecond,
        unit: '×',
        bound: 0.5,
        better: 'higher',
        note: `${many.perSecond.toFixed(0)}/s; of 50: ${few.perSecond.toFixed(0)}/s`,
      },
      status,
      {
        name: '5,000 waiting sessions, memory at its peak',
        value: peakMb,
        unit: 'MB',
        bound: 150,
        better: 'lower',
        note: 'resident',
      },
    ];
  },
};

interface BusyHome extends HookbellHome {
  readonly pid: number;
  readonly perSecond: number;
}

/** A daemon that has taken in the same number of prompts and questions, from `count` sessions. */
async function busyHome(count: number): Promise<BusyHome> {
  const place = await hookbellHome();
  await place.writeConfig('channels: {}\n');
  mkdirSync(place.paths.spool, { recursive: true, mode: 0o700 });
  let last = '';
  for (let index = 0; index < EVENTS; index += 1) {
    const round = Math.floor(index / count);
    last = join(place.paths.spool, randomUUID());
    const name = last.slice(-36);
    const payload = round % 2 === 0 ? prompt(index % count) : question(index % count, round);
    writeFileSync(last, envelopeBytes(name, JSON.stringify(payload), { agent: 'claude' }));
  }
  const startedAt = performance.now();
  const daemon = await place.start();
  while (existsSync(last)) await delay(5);
  const perSecond = EVENTS / ((performance.now() - startedAt) / 1_000);
  const { waiting } = (await place.ask('GET /v1/status')).sessions;
  if (waiting !== count) throw new Error(`${waiting} of ${count} sessions wait`);
  // Sending all these questions is work that few sessions do not cause.
  while ((await place.ask('GET /v1/status')).deliveries.pending > 0) await delay(50);
  return {
    ...place,
    pid: daemon.pid ?? 0,
    perSecond,
    async [Symbol.asyncDispose]() {
      const ended = once(daemon, 'exit');
      await place.ask('POST /v1/stop');
      await ended;
      await place[Symbol.asyncDispose]();
    },
  };
}

function prompt(session: number): object {
  return {
    hook_event_name: 'UserPromptSubmit',
    session_id: `session-${session}`,
    cwd: '/home/dev/shop',
    prompt: 'Make the parser keep the order of the keys',
  };
}

function question(session: number, round: number): object {
  return {
    hook_event_name: 'Notification',
    session_id: `session-${session}`,
    cwd: '/home/dev/shop',
    notification_type: 'permission_prompt',
    message: `Claude needs your permission to use Bash (${round})`,
  };
}

async function timeOf(place: HookbellHome): Promise<number> {
  const startedAt = performance.now();
  await place.ask('GET /v1/status');
  return performance.now() - startedAt;
}
