import { spawn } from 'node:child_process';
import { closeSync, lstatSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { isAlive, readPidFile } from './pid-file.ts';

const START_EVERY_MS = 2000;

/** Starts the daemon according to `launch.json`, unless it runs; neither awaited nor bound to this process. */
export function startDaemon(state: string): void {
  const daemon = readPidFile(join(state, 'daemon.pid'));
  if (daemon !== null && isAlive(daemon)) return;
  if (isStopped(join(state, 'stopped'))) return;
  const launch = readLaunch(join(state, 'launch.json'));
  if (launch === null || !claimStart(join(state, 'launching.stamp'))) return;
  // Elsewhere the script also asks a service manager.
  const isAsked = launch.manager !== null && process.platform !== 'win32';
  const [command, words] = isAsked
    ? ['/bin/sh', [join(state, 'launch')]]
    : [launch.command, [...launch.args, '--by-hook']];
  const child = spawn(command, words, {
    cwd: state,
    // Without this environment: a repository can set it. Node itself adds the variables that Windows requires.
    env: { ...launch.environment },
    stdio: ['ignore', 'ignore', openLastWords(join(state, 'last-words'))],
    detached: true,
    windowsHide: true,
  });
  child.on('error', () => {});
  child.unref();
}

/** `hookbell stop` holds until a time in seconds, or ("-") until `hookbell start`. */
function isStopped(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const [until = ''] = readFileSync(path, 'utf8').split(/\s/);
  return until === '-' || (/^\d+$/.test(until) && Date.now() < Number(until) * 1_000);
}

/** Keeps what a daemon says that cannot start. */
function openLastWords(path: string): number | 'ignore' {
  try {
    return openSync(path, 'w', 0o600);
  } catch {
    return 'ignore';
  }
}

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly manager: object | null;
}

function readLaunch(path: string): Launch | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isOurs = process.geteuid === undefined || found?.uid === process.geteuid();
  if (found?.isFile() !== true || !isOurs) return null;
  const launch: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return isLaunch(launch) ? launch : null;
}

function isLaunch(value: unknown): value is Launch {
  return (
    typeof value === 'object' &&
    value !== null &&
    'command' in value &&
    typeof value.command === 'string' &&
    'args' in value &&
    Array.isArray(value.args) &&
    'environment' in value &&
    typeof value.environment === 'object' &&
    'manager' in value &&
    typeof value.manager === 'object'
  );
}

/** Saves work when many hooks find no daemon at the same time; the lock prevents two daemons. */
function claimStart(stamp: string): boolean {
  const last = statSync(stamp, { throwIfNoEntry: false });
  if (last !== undefined) {
    // A clock that was set back must not forbid starts for long, so the distance counts in both directions.
    if (Math.abs(Date.now() - last.mtimeMs) < START_EVERY_MS) return false;
    rmSync(stamp, { force: true });
  }
  try {
    closeSync(openSync(stamp, 'wx', 0o600));
    return true;
  } catch {
    return false;
  }
}
