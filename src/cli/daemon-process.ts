import { type ChildProcess, spawn } from 'node:child_process';
import { basename } from 'node:path';

import { execa } from 'execa';

import { processExists } from '../platform/process-table.ts';
import { pollUntil } from '../platform/time.ts';
import { isAlive, type ProcessIdentity, readPidFile } from '../../hooks/pid-file.ts';
import type { StatusView } from '../control/contract.ts';
import { DaemonUnreachableError, FailedError } from '../platform/errors.ts';
import { programFile } from '../platform/program-files.ts';
import { refuseNewerDatabase } from '../setup/upgrade/newer-database.ts';
import { runStep } from '../setup/run-steps.ts';
import { fileExists } from '../setup/settings-file.ts';
import type { CommandContext } from './context.ts';
import {
  installedService,
  recordLaunch,
  type WantedLaunch,
  wantedLaunch,
} from './install-places.ts';

const READY_MS = 10_000;
const STARTING_MS = 5_000;
const STOP_MS = 8_000;
/** How long to wait for a hung daemon after SIGTERM, and after SIGKILL, ms. */
const TERM_MS = 10_000;
const KILL_MS = 2_000;

/** Returns the status of the running daemon, or null if it does not answer. */
export async function findDaemon({ ask }: Pick<CommandContext, 'ask'>): Promise<StatusView | null> {
  try {
    return await ask('GET /v1/status', { timeoutMs: 2_000 });
  } catch (error) {
    if (error instanceof DaemonUnreachableError) return null;
    throw error;
  }
}

/**
 * Records the environment of this command as that of the daemon, starts the daemon (through the service if one is
 * installed) and waits until it answers. An existing daemon that does not answer gets 5 s, in case it has just been
 * started, and is then ended as by `stopDaemon`.
 *
 * @param program folder of the program whose daemon is started
 * @throws FailedError if it exits with an error before it answers, such as at a database of a newer hookbell, or does not
 *   answer within 10 s
 */
export async function startDaemon(context: CommandContext, program: string): Promise<StatusView> {
  const waiting = readPidFile(context.paths.pidFile);
  if (waiting !== null && isAlive(waiting)) {
    const found = await pollUntil(
      async () => (await findDaemon(context)) ?? (isAlive(waiting) ? null : 'gone'),
      STARTING_MS,
    );
    if (found !== null && found !== 'gone') return found;
    if (found === null) await stopDaemon(context);
  }
  const wanted = await wantedLaunch(context, program);
  recordLaunch(wanted);
  const child = (await startService(context)) ? null : spawnDaemon(wanted);
  const answer = await pollUntil(
    async () => (await findDaemon(context)) ?? (hasFailed(child) ? 'failed' : null),
    READY_MS,
  );
  if (answer !== null && answer !== 'failed') return answer;
  await refuseNewerDatabase(context.paths);
  const what =
    answer === 'failed'
      ? 'The daemon exited during startup'
      : `The daemon did not answer within ${READY_MS / 1_000} s`;
  throw new FailedError(what, {
    hint: `See its log, ${context.paths.log}, or run "hookbell daemon" to watch it start`,
  });
}

/** Uses the environment in which a hook would start it. */
function spawnDaemon({ options, environment }: WantedLaunch): ChildProcess {
  // A core dump would hold secrets and texts of events. Node cannot set the limit for itself.
  const [first, ...words] =
    process.platform === 'win32'
      ? ([options.node, options.main] as const)
      : (['/bin/sh', '-c', 'ulimit -c 0; exec "$0" "$@"', options.node, options.main] as const);
  const child = spawn(first, words, {
    detached: true,
    stdio: 'ignore',
    cwd: '/',
    env: environment,
  });
  child.unref();
  return child;
}

/** Stops a daemon whose program or environment differs from the installed one, so that it is started again. */
export async function stopOutdatedDaemon(
  context: CommandContext,
  { programChanged }: { readonly programChanged: boolean },
): Promise<void> {
  const { isNew } = await wantedLaunch(context, context.paths.program);
  const running = await findDaemon(context);
  // A program that runs from a checkout changes without being copied.
  const isOther = running !== null && running.version !== context.version;
  if (programChanged || isNew || isOther) await stopDaemon(context);
}

/** A daemon that finds another one running exits with 0: the other one will answer. */
function hasFailed(child: ChildProcess | null): boolean {
  return child !== null && ((child.exitCode ?? 0) !== 0 || child.signalCode !== null);
}

async function startService(context: CommandContext): Promise<boolean> {
  const service = installedService(context);
  if (service === null || !(await fileExists(service.files[0].path))) return false;
  if (!(await runStep(service.probe)).ok) return false;
  for (const argv of service.restart) if (!(await runStep(argv)).ok) return false;
  return true;
}

/**
 * Stops the daemon and waits until it is gone. If it does not answer or end, it gets SIGTERM, and SIGKILL 10 s later: only
 * the process that "daemon.pid" identifies by boot and start time, not another one with that number. Takes at most 25 s.
 *
 * @returns its process id, or null when none was running
 * @throws FailedError when it is still there afterwards
 */
export async function stopDaemon(
  context: Pick<CommandContext, 'ask' | 'paths'> & Partial<Pick<CommandContext, 'output'>>,
): Promise<number | null> {
  const written = readPidFile(context.paths.pidFile);
  const running = await findDaemon(context);
  if (running !== null) {
    const isAsked = await context.ask('POST /v1/stop', { timeoutMs: 2_000 }).then(
      () => true,
      () => false,
    );
    const { pid } = running;
    const gone =
      isAsked && (await pollUntil(() => Promise.resolve(!processExists(pid) || null), STOP_MS));
    if (gone === true) return pid;
  }
  const daemon = written ?? readPidFile(context.paths.pidFile);
  if (daemon === null || !isAlive(daemon)) return running === null ? null : running.pid;
  await endProcess(daemon, (text) => context.output?.complain(text));
  return daemon.pid;
}

/** @throws FailedError if the process cannot be ended, or another process may have its number now */
async function endProcess(
  daemon: ProcessIdentity,
  complain: (text: string) => void,
): Promise<void> {
  const { pid, start } = daemon;
  // Without a start time, as on macOS, another program may have the number by now.
  if (start === '-' && !(await isDaemonProgram(pid))) return;
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
  const { stdout } = await execa('ps', ['-o', 'command=', '-p', String(pid)], {
    reject: false,
    timeout: 2_000,
  });
  return stdout.includes(basename(programFile('daemon')));
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile, or is not ours: the next check finds out.
  }
}
