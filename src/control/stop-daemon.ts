import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';

import { type ProcessIdentity, isAlive, readPidFile } from '../../hooks/pid-file.ts';
import type { Paths } from '../core/paths.ts';
import { DaemonUnreachableError, FailedError } from '../platform/errors.ts';
import { processExists } from '../platform/process-table.ts';
import { programFile } from '../platform/program-files.ts';
import { pollUntil } from '../platform/time.ts';
import type { ControlAnswers, StatusView } from './contract.ts';
import type { ControlCall } from './control-client.ts';

const STOP_MS = 8_000;
/** How long to wait for a hung daemon after SIGTERM, and after SIGKILL, ms. */
const TERM_MS = 10_000;
const KILL_MS = 2_000;

type Ask = <Name extends keyof ControlAnswers>(
  name: Name,
  call?: ControlCall,
) => Promise<ControlAnswers[Name]>;

/** Returns the status of the running daemon, or null if it does not answer. */
export async function findDaemon({ ask }: { readonly ask: Ask }): Promise<StatusView | null> {
  try {
    return await ask('GET /v1/status', { timeoutMs: 2_000 });
  } catch (error) {
    if (error instanceof DaemonUnreachableError) return null;
    throw error;
  }
}

export interface StopOptions {
  readonly ask: Ask;
  readonly paths: Pick<Paths, 'pidFile'>;
  /** Called for each signal that the daemon gets. */
  readonly complain?: (text: string) => void;
  /** Keeps a service manager from starting a daemon that has to be killed again. */
  readonly stopManager?: () => Promise<void>;
}

/**
 * Stops the daemon, whether it is ready yet or not, and waits until it is gone. If it does not answer or end, it gets
 * SIGTERM, and SIGKILL 10 s later: only the process that "daemon.pid" identifies by boot and start time, not another one
 * with that number. Takes at most 25 s.
 *
 * @returns its process id, or null when none was running
 * @throws FailedError when it refuses, or is still there afterwards
 */
export async function stopDaemon(options: StopOptions): Promise<number | null> {
  const { ask, paths, complain = () => {}, stopManager = () => Promise.resolve() } = options;
  const written = readPidFile(paths.pidFile);
  const asked = await askToStop(ask);
  if (asked !== null) {
    const gone = await pollUntil(() => Promise.resolve(!processExists(asked) || null), STOP_MS);
    if (gone === true) {
      await stopManager();
      return asked;
    }
  }
  await stopManager();
  const daemon = written ?? readPidFile(paths.pidFile);
  if (daemon === null || !isAlive(daemon)) return asked;
  await endProcess(daemon, complain);
  return daemon.pid;
}

/** Returns the process that will end; null if none answers. */
async function askToStop(ask: Ask): Promise<number | null> {
  try {
    return (await ask('POST /v1/stop', { timeoutMs: 2_000 })).pid;
  } catch (error) {
    if (error instanceof DaemonUnreachableError) return null;
    throw error;
  }
}

/** @throws FailedError if the process cannot be ended, or another process may have its number now */
async function endProcess(
  daemon: ProcessIdentity,
  complain: (text: string) => void,
): Promise<void> {
  const { pid, start } = daemon;
  // Without a start time, as on macOS, another program may have the number by now. Windows: see `heldFile`.
  const isSure = start !== '-' || process.platform === 'win32';
  if (!isSure && !(await isDaemonProgram(pid))) return;
  const isOver = (): Promise<true | null> => Promise.resolve(isAlive(daemon) ? null : true);
  complain(`The daemon (pid ${pid}) does not answer or end: sending it SIGTERM`);
  sendSignal(pid, 'SIGTERM');
  if ((await pollUntil(isOver, TERM_MS)) !== null) return;
  complain(`The daemon (pid ${pid}) did not end within ${TERM_MS / 1_000} s: sending it SIGKILL`);
  sendSignal(pid, 'SIGKILL');
  if ((await pollUntil(isOver, KILL_MS)) !== null) return;
  throw new FailedError(`Cannot end the daemon (pid ${pid}): it survived SIGKILL`, {
    hint: 'It may wait for a disk or a network drive: see "ps -o stat,wchan" for this process',
  });
}

async function isDaemonProgram(pid: number): Promise<boolean> {
  const words = ['-o', 'command=', '-p', String(pid)];
  const ps = promisify(execFile)('ps', words, { timeout: 2_000 });
  const { stdout } = await ps.catch(() => ({ stdout: '' }));
  return stdout.includes(basename(programFile('daemon')));
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile, or is not ours: the next check finds out.
  }
}
