import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { writePidFile } from '../src/daemon/lock.ts';
import { permissionRequest, startAsking } from '../test/support/asking-hook.ts';
import { type HookbellHome, hookbellHome, projectRoot } from '../test/support/hookbell-home.ts';
import { startNotificationServer } from '../test/support/notification-server.ts';
import type { Benchmark, Figure } from './support/benchmark.ts';
import { interleave } from './support/interleave.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { memoryMb } from './support/process-figures.ts';
import { percentile } from './support/statistics.ts';

const HELD = 200;
/** Until all are held, and the `sleep` that each hook starts is over, ms. */
const SLEEP_IS_OVER_MS = 15_000;

/** What it costs to answer a request from elsewhere: the hook that waits, and the way from a click to the agent. */
export const answers: Benchmark = {
  name: 'answers',
  async run() {
    return [await untilItWaits(), ...(await clicks()), ...(await manyHeld())];
  },
};

/** The hook that waits beside the silent one, both without a daemon. */
async function untilItWaits(): Promise<Figure> {
  const state = mkdtempSync(join(tmpdir(), 'hookbell-bench-'));
  try {
    for (const name of ['spool', 'asks']) mkdirSync(join(state, name), { mode: 0o700 });
    // To the hooks this process is the daemon, so they start none.
    const workingDirectory = process.cwd();
    process.chdir(state);
    writePidFile(join(state, 'daemon.pid'));
    const [silent = [], waiting = [], starts = []] = await interleave(
      [() => timeOf('hookbell-hook', state), () => timeOf('hookbell-ask', state), nodeStart],
      { rounds: 100 },
    );
    process.chdir(workingDirectory);
    const [silentMs, waitingMs] = [percentile(silent, 50), percentile(waiting, 50)];
    return {
      name: 'hook that waits for an answer, beyond the silent one, p50',
      value: waitingMs - silentMs,
      unit: 'ms',
      bound: 6,
      better: 'lower',
      slowness: slownessOf(starts),
      note: `${waitingMs.toFixed(1)} and ${silentMs.toFixed(1)} ms`,
    };
  } finally {
    rmSync(state, { recursive: true });
  }
}

const nodeStart = (): Promise<number> => Promise.resolve(nodeStartMs());

/** Milliseconds until a hook has ended, or reads from its FIFO. */
async function timeOf(name: 'hookbell-hook' | 'hookbell-ask', state: string): Promise<number> {
  const startedAt = performance.now();
  const hook = spawn(join(projectRoot, 'hooks', name), ['--state', state], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, CLAUDE_PID: String(process.pid) },
  });
  const ended = once(hook, 'exit');
  hook.stdin.end(JSON.stringify(permissionRequest));
  if (name === 'hookbell-hook') {
    await ended;
    return performance.now() - startedAt;
  }
  while (!readsFifo(hook.pid ?? 0)) await delay(0);
  const ms = performance.now() - startedAt;
  const asks = join(state, 'asks');
  for (const fifo of readdirSync(asks)) {
    const file = openSync(join(asks, fifo), constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(file, '\n');
    closeSync(file);
  }
  await ended;
  return ms;
}

/** Whether the system call in which a process waits is a read of a FIFO below "asks". */
function readsFifo(pid: number): boolean {
  try {
    const [call, file] = readFileSync(`/proc/${pid}/syscall`, 'utf8').split(' ');
    return call === '0' && readlinkSync(`/proc/${pid}/fd/${Number(file)}`).includes('/asks/');
  } catch {
    return false;
  }
}

async function clicks(): Promise<readonly Figure[]> {
  await using server = await startNotificationServer(['actions', 'body']);
  await using home = await homeWith('{ type: desktop, backend: dbus }', server.address);
  async function click(): Promise<number> {
    using asking = startAsking(home, { ...permissionRequest, session_id: randomUUID() });
    const call = await server.nextCall();
    const startedAt = performance.now();
    server.click(call.id, call.actions[call.actions.indexOf('Allow') - 1]);
    const { printed } = await asking.ended;
    if (!printed.includes('"allow"')) throw new Error(`The hook printed "${printed}"`);
    return performance.now() - startedAt;
  }
  const [times = [], starts = []] = await interleave([click, nodeStart], { rounds: 60 });
  const bounds = [
    { percent: 50, bound: 100 },
    { percent: 95, bound: 250 },
  ];
  return bounds.map(({ percent, bound }) => ({
    name: `click on Allow until the agent has the answer, p${percent}`,
    value: percentile(times, percent),
    unit: 'ms',
    bound,
    better: 'lower',
    slowness: slownessOf(starts, percent),
    note: `${times.length} clicks`,
  }));
}

async function manyHeld(): Promise<readonly Figure[]> {
  await using home = await homeWith('{ type: file, path: out.jsonl }', null);
  const { pid = 0 } = await home.start();
  const requests = Array.from({ length: HELD }, (_, index) =>
    startAsking(home, { ...permissionRequest, session_id: `session-${index}` }),
  );
  try {
    await delay(SLEEP_IS_OVER_MS);
    // The daemon removes the name of each FIFO that it has opened.
    const isHeld = requests.every(({ hook }) => hook.exitCode === null);
    if (!isHeld || readdirSync(home.paths.asks).length > 0) {
      throw new Error(`Not all of the ${HELD} requests are held`);
    }
    const shares = requests.map(({ hook }) => proportionalMb(hook.pid ?? 0));
    return [
      {
        name: `daemon that holds ${HELD} requests, resident memory`,
        value: memoryMb(pid, 'VmRSS'),
        unit: 'MB',
        bound: 100,
        better: 'lower',
        note: `${memoryMb(pid, 'VmHWM').toFixed(0)} MB at most since its start`,
      },
      {
        name: 'a hook that waits, proportional memory',
        value: percentile(shares, 95),
        unit: 'MB',
        bound: 2,
        better: 'lower',
        note: `p95 of ${HELD}`,
      },
    ];
  } finally {
    for (const request of requests) request[Symbol.dispose]();
  }
}

/** Memory of a process, with what it shares divided among its users (proc_pid_smaps(5)). */
function proportionalMb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss: +(\d+) kB$/m.exec(text)?.[1]) / 1_024;
}

async function homeWith(channel: string, bus: string | null): Promise<HookbellHome> {
  const home = await hookbellHome();
  await home.writeConfig(`
channels: { here: ${channel} }
noise: { burst: { at_once: 1000, window: 1ms }, per_channel: 1000 }
routes: [{ match: {}, notify: [here] }]
`);
  if (bus !== null) {
    home.env['DBUS_SESSION_BUS_ADDRESS'] = bus;
    await home.start();
  }
  return home;
}
