import { spawn } from 'node:child_process';
import { lstatSync, rmSync, truncateSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import type { DaemonStarter } from '../control/contract-views.ts';
import type { Log } from '../platform/log.ts';
import type { Paths } from '../core/paths.ts';
import { programFile } from '../platform/program-files.ts';
import { type LaunchRecord, writeLaunchScript } from '../setup/launch-script.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import { watchQuietDirectory } from '../platform/watch-files.ts';
import { writePidFile } from './lock.ts';
import type { Pulse } from './pulse.ts';

/** Why a daemon runs. */
export interface DaemonOrigin {
  /** How every daemon of this state directory is started; null if no command has recorded it. */
  readonly recorded: Pick<LaunchRecord, 'environment' | 'manager'> | null;
  readonly startedBy: DaemonStarter;
  /** The previous daemon was killed. */
  readonly revived: boolean;
}

/** Lets hooks detect that a daemon serves this state directory, and how to start one, until it stops. */
export function announce({
  paths,
  recorded,
  startedBy,
  revived,
  lock,
  log,
  lifecycle,
  pulse,
  requestRestart,
}: DaemonOrigin & {
  readonly paths: Paths;
  /** The file of the daemon's lock. */
  readonly lock: string;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  readonly pulse: Pick<Pulse, 'onBeat'>;
  /** The daemon cannot continue: a file by which others find it was removed. */
  readonly requestRestart: (reason: string) => void;
}): void {
  writeLaunchScript({
    node: process.execPath,
    main: programFile('daemon'),
    stateDirectory: paths.state,
    home: homedir(),
    environment: recorded?.environment ?? null,
    manager: recorded?.manager ?? null,
  });
  writePidFile(paths.pidFile);
  forgetFailures(paths);
  // A manager starts it again by itself.
  if (startedBy !== 'service') {
    lifecycle.onStop('successor', startSuccessor(paths.launch, { revived, log }));
  }
  // A pipe of Windows cannot be deleted.
  const socket = process.platform === 'win32' ? [] : [paths.socket];
  const checkFiles = ownFilesCheck({
    files: [lock, paths.token, ...socket, paths.launch, paths.pidFile],
    log,
    onLost: (file) => requestRestart(`"${file}" was deleted or replaced`),
  });
  // Those of the station are older, and may have been deleted since.
  checkFiles();
  pulse.onBeat('own files', checkFiles);
  lifecycle.onStop('own files', watchQuietDirectory(paths.runtime, checkFiles));
}

/** What an earlier start wrote is over, and so is the notice of it. */
function forgetFailures({ lastWords, state }: Pick<Paths, 'lastWords' | 'state'>): void {
  for (const name of ['bell', 'told']) rmSync(join(state, name), { force: true });
  // Not removed: what this process says later belongs there.
  if (lstatSync(lastWords, { throwIfNoEntry: false })?.isFile() === true) truncateSync(lastWords);
}

/**
 * Starts a shell that waits for this process to end: a hook that ran a moment before saw a running daemon and started
 * none, and its event must not wait for the next hook. A service manager could do this, but not every machine has one.
 *
 * @returns notifies the shell of an orderly end
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
  child.on('error', (err) =>
    log.warn({ err }, 'Cannot start the shell that waits for the daemon to end'),
  );
  child.stdin.on('error', () => {});
  child.unref();
  // This pipe is a socket, which would keep the process running.
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return () => void child.stdin.end('stopped\n');
}

interface OwnFilesOptions {
  /** Files that this daemon created, or opened and must not lose. */
  readonly files: readonly string[];
  readonly log: Log;
  /** Called once, with the first file that is missing or was replaced. */
  readonly onLost: (file: string) => void;
}

/**
 * Checks whether files were replaced: once the state directory is deleted or replaced, this daemon's lock no longer keeps
 * others out, and its socket cannot be found.
 */
function ownFilesCheck({ files, log, onLost }: OwnFilesOptions): () => void {
  const before = new Map(files.map((file) => [file, identityOf(file)]));
  let isLost = false;
  return () => {
    if (isLost) return;
    const lost = files.find((file) => {
      const identity = identityOf(file);
      return identity === null || identity !== before.get(file);
    });
    if (lost === undefined) return;
    isLost = true;
    log.error({ file: lost }, 'A file of this daemon was deleted or replaced');
    onLost(lost);
  };
}

function identityOf(file: string): string | null {
  try {
    const { dev, ino } = lstatSync(file);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
