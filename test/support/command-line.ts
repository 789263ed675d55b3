import { spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';

import { silentLog } from '../../src/platform/log.ts';
import type { Paths } from '../../src/core/paths.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import { programFile } from '../../src/platform/program-files.ts';
import type { ControlRoutes } from '../../src/control/control-server.ts';
import { listenForControl } from '../../src/control/control-server.ts';
import type { Finished } from './run-process.ts';
import { runProcess } from './run-process.ts';
import { temporaryDirectory } from './temporary-directory.ts';

interface CommandOptions {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** The command line as real processes, in a temporary home directory. */
export interface CommandLine extends AsyncDisposable {
  readonly home: string;
  readonly paths: Paths;
  readonly env: Readonly<Record<string, string>>;
  run(words: readonly string[], options?: CommandOptions): Promise<Finished>;
  /** Starts a command that runs until it is stopped. */
  start(
    words: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): ChildProcessByStdio<null, Readable, Readable>;
  write(path: string, content: string): Promise<string>;
  /** Serves these routes as the daemon. */
  serve(routes: Partial<ControlRoutes>): Promise<void>;
}

/** @param main the program; the bundled one that people run by default */
export async function commandLine(main = programFile('commandLine')): Promise<CommandLine> {
  const directory = await temporaryDirectory();
  const home = directory.path;
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    HOOKBELL_STATE_DIR: join(home, 's'),
    TZ: 'UTC',
    NO_COLOR: '1',
  };
  const paths = resolvePaths(env, process.platform, home);
  const stops: (() => Promise<void>)[] = [];
  return {
    home,
    paths,
    env,
    run: (words, { env: more = {}, ...options } = {}) =>
      runProcess(process.execPath, [main, ...words], {
        env: { ...env, ...more },
        cwd: home,
        ...options,
      }),
    start(words, more = {}) {
      const child = spawn(process.execPath, [main, ...words], {
        env: { ...env, ...more },
        cwd: home,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      stops.unshift(() => end(child));
      return child;
    },
    async write(path, content) {
      const place = join(home, path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, content);
      return place;
    },
    async serve(routes) {
      await mkdir(paths.runtime, { recursive: true, mode: 0o700 });
      const server = await listenForControl({ ...paths, routes, log: silentLog });
      stops.push(() => server.close());
    },
    async [Symbol.asyncDispose]() {
      for (const stop of stops) await stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
