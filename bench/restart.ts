import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, watch } from 'node:fs';
import { basename, join } from 'node:path';

import { loadDriver } from '../src/store/sqlite/driver.ts';
import type { HookbellHome } from '../test/support/hookbell-home.ts';
import { hookbellHome, projectRoot, until } from '../test/support/hookbell-home.ts';
import type { Benchmark } from './support/benchmark.ts';
import { ratio } from './support/ratio.ts';
import { fillSpool } from './support/spool.ts';

const EVENTS = 1_000;
const PAYLOAD_BYTES = 1_500_000;

/** How long a start takes after SIGKILL with a history of 1.5 GB, beside one with next to none. */
export const restart: Benchmark = {
  name: 'restart',
  async run() {
    await using small = await homeWith(0);
    await using large = await homeWith(PAYLOAD_BYTES);
    const megabytes = (statSync(large.paths.database).size / 1e6).toFixed(0);
    return [
      await ratio({
        name: `start after SIGKILL, with ${megabytes} MB of history`,
        bound: 1.5,
        than: 'without',
        rounds: 10,
        ours: () => timeToReady(large),
        theirs: () => timeToReady(small),
      }),
    ];
  },
};

async function homeWith(payloadBytes: number): Promise<HookbellHome> {
  const place = await hookbellHome();
  await place.writeConfig('channels: {}\nhistory: { keep: 3650d, max_size: 100GB }\n');
  fillSpool(place.paths, EVENTS);
  const daemon = await place.start();
  await until(async () => (await place.ask('GET /v1/status')).events === EVENTS);
  const ended = once(daemon, 'exit');
  await place.ask('POST /v1/stop');
  await ended;
  if (payloadBytes > 0) {
    const driver = (await loadDriver())(place.paths.database);
    driver.exec(
      `PRAGMA synchronous = OFF; UPDATE payloads SET bytes = randomblob(${payloadBytes})`,
    );
    driver.close();
  }
  return place;
}

/** Ready is when the pid file of this process stands; then it is killed, so that the next one starts after a crash. */
async function timeToReady({ paths, env }: HookbellHome): Promise<number> {
  const watcher = watch(paths.state);
  const startedAt = performance.now();
  const daemon = spawn(process.execPath, [join(projectRoot, 'dist/program/daemon.js')], {
    env,
    stdio: 'ignore',
  });
  const ended = once(daemon, 'exit');
  await new Promise<void>((resolve) => {
    watcher.on('change', (_type, name) => {
      if (name === basename(paths.pidFile)) resolve();
    });
  });
  const ms = performance.now() - startedAt;
  watcher.close();
  daemon.kill('SIGKILL');
  await ended;
  return ms;
}
