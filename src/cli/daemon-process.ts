import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

import type { StatusView } from '../core/control.ts';
import { DaemonUnreachableError, FailedError } from '../core/errors.ts';
import { runStep } from '../setup/run-steps.ts';
import { fileExists } from '../setup/settings-file.ts';
import type { CommandContext } from './context.ts';
import { installedService } from './install-places.ts';
import type { WantedLaunch } from './record-launch.ts';
import { recordLaunch, wantedLaunch } from './record-launch.ts';

const READY_MS = 10_000;
const STOP_MS = 8_000;
const POLL_MS = 25;

/** The running daemon, or null when none answers. */
export async function findDaemon({ ask }: Pick<CommandContext, 'ask'>): Promise<StatusView | null> {
  try {
    return await ask('GET /v1/status', { timeoutMs: 2_000 });
  } catch (error) {
    if (error instanceof DaemonUnreachableError) return null;
    throw error;
  }
}

/**
 * Records the environment of this command as that of the daemon, starts it, through the service where one is installed,
 * and waits until it answers.
 *
 * @param program folder of the program whose daemon is started
 * @throws FailedError when it ends with an error before it answers, or does not answer within 10 s
 */
export async function startDaemon(context: CommandContext, program: string): Promise<StatusView> {
  const wanted = await wantedLaunch(context, program);
  recordLaunch(wanted);
  const child = (await startService(context)) ? null : spawnDaemon(wanted);
  const answer = await waitFor(
    async () => (await findDaemon(context)) ?? (hasFailed(child) ? 'failed' : null),
    READY_MS,
  );
  if (answer !== null && answer !== 'failed') return answer;
  const what =
    answer === 'failed'
      ? 'The daemon ended while it started'
      : `The daemon does not answer within ${READY_MS / 1_000} s`;
  throw new FailedError(what, {
    hint: `Its log says why: ${context.paths.log}; or run "hookbell daemon" to see it start`,
  });
}

/** In the same environment in which a hook would start it. */
function spawnDaemon({ options, environment }: WantedLaunch): ChildProcess {
  const child = spawn(options.node, [options.main], {
    detached: true,
    stdio: 'ignore',
    cwd: '/',
    env: environment,
  });
  child.unref();
  return child;
}

/** Stops a daemon that runs with another program or environment than the one installed now, so that it is started anew. */
export async function stopOutdatedDaemon(
  context: CommandContext,
  { programChanged }: { readonly programChanged: boolean },
): Promise<void> {
  const { isNew } = await wantedLaunch(context, context.paths.program);
  if (programChanged || isNew) await stopDaemon(context);
}

/** A daemon that finds another one running ends with 0: that one will answer. */
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
 * Stops the daemon and waits until it is gone.
 *
 * @returns its process id, or null when none was running
 */
export async function stopDaemon(
  context: Pick<CommandContext, 'ask' | 'paths'>,
): Promise<number | null> {
  const running = await findDaemon(context);
  if (running === null) return null;
  const { pid } = await context.ask('POST /v1/stop');
  const gone = await waitFor(() => Promise.resolve(isGone(pid) ? true : null), STOP_MS);
  if (gone !== null) return pid;
  throw new FailedError(`The daemon (pid ${pid}) does not end within ${STOP_MS / 1_000} s`, {
    hint: `Its log says why: ${context.paths.log}`,
  });
}

/** True when no process has this number, not even one that has ended and nobody waited for. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

/** Asks again and again until there is an answer; null when the time is over. */
export async function waitFor<Answer>(
  look: () => Promise<Answer | null>,
  timeoutMs: number,
): Promise<Answer | null> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await look();
    if (answer !== null || performance.now() > deadline) return answer;
    await delay(POLL_MS);
  }
}
