import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { ControlAnswers } from '../../src/control/contract.ts';
import { liftStopOrder } from '../../src/control/stop-order.ts';
import type { Paths } from '../../src/core/paths.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import type { ControlCall } from '../../src/control/control-client.ts';
import { callDaemon } from '../../src/control/control-client.ts';
import { DaemonUnreachableError } from '../../src/platform/errors.ts';
import { isAlive } from './is-alive.ts';
import type { Finished } from './run-process.ts';
import { runProcess } from './run-process.ts';
import { mountSmall } from './small-file-system.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The compiled project: tests run from `dist/test/…`. */
export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));

/** On a machine that is busy with other tests, ms. */
const START_MS = 60_000;

/** How often to look for a change: after a tenth of the time that it has taken so far, within these bounds, ms. */
const [POLL_MS, LONGEST_POLL_MS] = [15, 100];

export interface HookbellHome extends AsyncDisposable {
  readonly home: string;
  readonly paths: Paths;
  readonly env: Record<string, string>;
  /** Requests notify immediately unless it has a section `alerts`. */
  writeConfig(yaml: string): Promise<void>;
  /**
   * Starts the daemon and waits until it answers; ends it with the home.
   *
   * @param nodeWords options of Node itself
   * @param root of another build of the project
   */
  start(nodeWords?: readonly string[], root?: string): Promise<ChildProcess>;
  /** Runs the real hook with a payload on standard input. */
  hook(payload: unknown, words?: readonly string[]): Promise<Finished>;
  /** With exactly these bytes. */
  handOver(input: string | Uint8Array, words?: readonly string[]): Promise<Finished>;
  /** Runs the command line. */
  cli(...words: readonly string[]): Promise<Finished>;
  ask<Name extends keyof ControlAnswers>(
    name: Name,
    call?: ControlCall,
  ): Promise<ControlAnswers[Name]>;
  /** Kills whatever daemon serves this home, as a crash would. */
  killDaemon(): Promise<void>;
}

export interface HomeOptions {
  /** What the directory is called; its parent's name is left to chance. */
  readonly folder?: string;
  /** Where the directory is made, such as on a file system in memory; that of temporary files if left out. */
  readonly parent?: string;
  /** Puts it on a separate file system of this size; only root can. */
  readonly megabytes?: number;
}

/** A temporary home directory with hookbell's real hook, daemon and command line, isolated from the machine's settings. */
export async function hookbellHome({
  folder = 'home',
  parent,
  megabytes,
}: HomeOptions = {}): Promise<HookbellHome> {
  const directory = await temporaryDirectory(parent);
  const home = join(directory.path, folder);
  await mkdir(home, { recursive: true, mode: 0o700 });
  const disk = megabytes === undefined ? null : await mountSmall(home, megabytes);
  const env = { HOME: home, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' };
  const paths = resolvePaths(env, process.platform, home);
  const ask: HookbellHome['ask'] = (name, call) => callDaemon(paths, name, call);
  const children = new Set<ChildProcess>();

  function handOver(input: string | Uint8Array, words: readonly string[] = []): Promise<Finished> {
    // As registered: without --state a hook starts no daemon but that of the user database's home directory.
    const hook = join(projectRoot, 'hooks/hookbell-hook');
    return runProcess(hook, ['--state', paths.state, ...words], { env, input });
  }

  async function endDaemon(signal: NodeJS.Signals): Promise<void> {
    const text = await readFile(paths.pidFile, 'utf8').catch(() => '');
    const pid = Number(text.split(' ')[0]);
    if (!Number.isInteger(pid) || pid <= 1) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    await until(() => !isAlive(pid));
  }
  const killDaemon = (): Promise<void> => endDaemon('SIGKILL');

  return {
    home,
    paths,
    env,
    ask,
    killDaemon,
    async writeConfig(yaml) {
      await mkdir(dirname(paths.config), { recursive: true });
      await writeFile(paths.config, withoutSettling(yaml), { mode: 0o600 });
    },
    async start(nodeWords = [], root = projectRoot) {
      // As `hookbell start` does.
      liftStopOrder(paths);
      const main = join(root, 'dist/program/daemon.js');
      const child = spawn(process.execPath, [...nodeWords, main], {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      children.add(child);
      child.once('exit', () => children.delete(child));
      await until(
        () =>
          ask('GET /v1/agents').then(
            () => true,
            () => false,
          ),
        START_MS,
      );
      return child;
    },
    hook: (payload, words) => handOver(JSON.stringify(payload), words),
    handOver,
    cli: (...words) =>
      runProcess(process.execPath, [join(projectRoot, 'dist/program/cli.js'), ...words], { env }),
    async [Symbol.asyncDispose]() {
      // The shells that would start another daemon go first.
      for (const pid of launchShells(paths.launch, 'watch')) process.kill(pid, 'SIGKILL');
      // V8 writes what was covered when a process exits by itself.
      if (process.env['NODE_V8_COVERAGE'] !== undefined) await endDaemon('SIGTERM').catch(() => {});
      for (const child of children) child.kill('SIGKILL');
      await killDaemon();
      // A hook that found no daemon may have asked for one that comes only now.
      await until(() => launchShells(paths.launch, 'start').length === 0);
      for (const pid of launchShells(paths.launch, 'watch')) process.kill(pid, 'SIGKILL');
      await killDaemon();
      await disk?.[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** Most tests are about which events notify and not when, so they need not wait for it. */
function withoutSettling(yaml: string): string {
  const isBlock = /^[\w]+:/m.test(yaml);
  return !isBlock || /^alerts:/m.test(yaml) ? yaml : `${yaml.trimEnd()}\nalerts: { settle: 0 }\n`;
}

/** The shells that run a launch script in this way; none without /proc. */
export function launchShells(launch: string, mode: 'start' | 'watch'): readonly number[] {
  const pids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids.map(Number).filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return (
        words.includes(launch) &&
        (mode === 'start' ? !words.includes('watch') : words.includes('watch'))
      );
    } catch {
      return false;
    }
  });
}

/**
 * Waits until something holds; gives up after 30 s by default, which fails the test that waits. A daemon that does not
 * answer in time, on a machine that is busy with other tests, is asked again.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  patienceMs = 30_000,
): Promise<void> {
  const begun = Date.now();
  const deadline = begun + patienceMs;
  async function isTrue(): Promise<boolean> {
    try {
      return await holds();
    } catch (error) {
      if (error instanceof DaemonUnreachableError && Date.now() <= deadline) return false;
      throw error;
    }
  }
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`It did not come true within ${patienceMs} ms`);
    // What it waits for needs the processor, too.
    await delay(Math.min(Math.max((Date.now() - begun) / 10, POLL_MS), LONGEST_POLL_MS));
  }
}
