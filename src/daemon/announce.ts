import { spawn } from 'node:child_process';
import { lstatSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';

import type { Log } from '../platform/log.ts';
import type { Paths } from '../core/paths.ts';
import { programFile } from '../core/program-files.ts';
import { type LaunchRecord, writeLaunchScript } from '../setup/launch-script.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import { writePidFile } from './pid-file.ts';

/** How it came that a daemon runs. */
export interface Origin {
  /** The environment that was recorded for every daemon of this state directory; null: none was. A daemon records none itself. */
  readonly recorded: LaunchRecord['environment'];
  /** The daemon before this one was killed. */
  readonly revived: boolean;
}

/** Lets hooks know that a daemon serves this state directory and how to start one, until it stops. */
export function announce({
  paths,
  recorded,
  revived,
  lock,
  log,
  lifecycle,
  requestRestart,
}: Origin & {
  readonly paths: Paths;
  /** The file of the daemon's lock. */
  readonly lock: string;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  /** It cannot go on as it is: somebody took a file away that others find it by. */
  readonly requestRestart: (reason: string) => void;
}): void {
  writeLaunchScript({
    node: process.execPath,
    main: programFile('daemon'),
    stateDirectory: paths.state,
    home: homedir(),
    environment: recorded,
  });
  // A hook that finds a process with this working directory knows without reading more that it is the daemon.
  process.chdir(paths.state);
  writePidFile(paths.pidFile);
  lifecycle.onStop('pid file', () => rmSync(paths.pidFile, { force: true }));
  lifecycle.onStop('successor', startSuccessor(paths.launch, { revived, log }));
  const stopWatching = watchOwnFiles({
    files: [lock, paths.token, paths.socket, paths.launch, paths.pidFile],
    log,
    onLost: (file) => requestRestart(`"${file}" was deleted or replaced`),
  });
  lifecycle.onStop('own files', stopWatching);
}

/**
 * Starts a shell that waits for the end of this process: a hook that ran a moment before has seen a daemon alive and
 * started none, and its event must not wait for the next hook. A service manager would do, but not everybody has one.
 *
 * @returns tells it that this is an orderly end
 */
function startSuccessor(
  launch: string,
  { revived, log }: { readonly revived: boolean; readonly log: Log },
): () => void {
  if (process.platform === 'win32') return () => {};
  const child = spawn('/bin/sh', [launch, 'watch', revived ? 'slowly' : 'at-once'], {
    env: {},
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', (err) => log.warn({ err }, 'Cannot start the shell that waits for my end'));
  child.stdin.on('error', () => {});
  child.unref();
  // A pipe is a socket here, which would keep the process running.
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return () => void child.stdin.end('stopped\n');
}

interface OwnFilesOptions {
  /** Files that this daemon made, or opened and must not lose. */
  readonly files: readonly string[];
  readonly log: Log;
  /** Called once, with the first of them that is gone or has become another file. */
  readonly onLost: (file: string) => void;
  readonly everyMs?: number;
}

/**
 * Looks whether files are still the ones they are now: when somebody deletes or replaces the state directory, the lock
 * of this daemon keeps nobody away any more, and nobody finds its socket. Answers how to stop.
 */
function watchOwnFiles({ files, log, onLost, everyMs = 1_000 }: OwnFilesOptions): () => void {
  const before = new Map(files.map((file) => [file, identityOf(file)]));
  const timer = setInterval(() => {
    const lost = files.find((file) => identityOf(file) !== before.get(file));
    if (lost === undefined) return;
    clearInterval(timer);
    log.error({ file: lost }, 'A file of this daemon was deleted or replaced');
    onLost(lost);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

function identityOf(file: string): string | null {
  try {
    const { dev, ino } = lstatSync(file);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
