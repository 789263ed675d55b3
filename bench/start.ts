import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, watch } from 'node:fs';
import { basename, join } from 'node:path';

import type { HookbellHome } from '../test/support/hookbell-home.ts';
import { hookbellHome, projectRoot } from '../test/support/hookbell-home.ts';
import { pause, systemTimer } from '../src/platform/time.ts';
import type { Benchmark, Figure } from './support/benchmark.ts';
import { nodeStartMs } from './support/machine.ts';
import { ratio } from './support/ratio.ts';
import { median } from './support/statistics.ts';

const BARE_NODE = 'node -e 0';

/** How long people, and hooks that find no daemon, wait for hookbell to start. */
export const start: Benchmark = {
  name: 'start',
  async run() {
    await using place = await hookbellHome();
    mkdirSync(place.paths.state, { recursive: true, mode: 0o700 });
    return [
      await ratio({
        name: 'daemon, start to ready',
        bound: 8,
        than: BARE_NODE,
        rounds: 40,
        ours: () => timeToReady(place),
        theirs: () => nodeStartMs(),
      }),
      await ratio({
        name: 'hookbell --version',
        bound: 1.5,
        than: BARE_NODE,
        rounds: 60,
        ours: () => nodeStartMs([join(projectRoot, 'dist/program/cli.js'), '--version']),
        theirs: () => nodeStartMs(),
      }),
      await lineOfBar(place),
      await ratio({
        name: 'hookbell install --dry-run, with every agent',
        bound: 1.3,
        than: 'with one',
        rounds: 10,
        ours: () => installMs(place, '--all'),
        theirs: () => installMs(place, '--agent', 'claude'),
      }),
    ];
  },
};

/** A bar reads a file: that the command takes longer is why the file is there. */
async function lineOfBar(place: HookbellHome): Promise<Figure> {
  const daemon = await place.start();
  const file = join(place.paths.state, 'line', 'plain');
  while (!existsSync(file)) await pause(20, systemTimer);
  const cli = join(projectRoot, 'dist/program/cli.js');
  const command = median(Array.from({ length: 10 }, () => nodeStartMs([cli, 'line'], place.env)));
  const figure = await ratio({
    name: 'the line of a bar, by its file',
    bound: 1.5,
    than: BARE_NODE,
    rounds: 40,
    ours: () => {
      const startedAt = performance.now();
      execFileSync('cat', [file]);
      return performance.now() - startedAt;
    },
    theirs: () => nodeStartMs(),
  });
  daemon.kill();
  await once(daemon, 'exit');
  return { ...figure, note: `${figure.note}; "hookbell line": ${command.toFixed(0)} ms` };
}

/** What installation costs beside copying the program grows with the agents. */
function installMs({ env }: HookbellHome, ...agents: readonly string[]): number {
  const cli = join(projectRoot, 'dist/program/cli.js');
  return nodeStartMs([cli, 'install', '--dry-run', '--no-service', ...agents], env);
}

/** Ready is when the pid file is written again, which is the last thing the daemon does: its socket stands by then. */
async function timeToReady(place: HookbellHome): Promise<number> {
  const { paths, env } = place;
  const watcher = watch(paths.state);
  const startedAt = performance.now();
  const daemon = spawn(process.execPath, [join(projectRoot, 'dist/program/daemon.js')], {
    env,
    stdio: 'ignore',
  });
  const ended = once(daemon, 'exit');
  const ready = new Promise<void>((resolve) => {
    watcher.on('change', (_type, name) => {
      if (name === basename(paths.pidFile) && existsSync(paths.socket)) resolve();
    });
  });
  const isReady = await Promise.race([ready.then(() => true), ended.then(() => false)]);
  const ms = performance.now() - startedAt;
  watcher.close();
  if (!isReady) throw new Error('The daemon ended before it was ready');
  await place.ask('POST /v1/stop');
  await ended;
  return ms;
}
