import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

import { isAlive, isStarting, readPidFile } from '../../hooks/pid-file.ts';
import type { StatusView } from '../control/contract.ts';
import { lastWordsIn, readLastWords } from '../control/last-words.ts';
import { findDaemon, stopDaemon } from '../control/stop-daemon.ts';
import { liftStopOrder, readStopOrder, type StopOrder } from '../control/stop-order.ts';
import { DaemonUnreachableError, FailedError, HookbellError } from '../platform/errors.ts';
import { runProgram } from '../platform/run-program.ts';
import { pollUntil, within } from '../platform/time.ts';
import { refuseNewerDatabase } from '../setup/upgrade/newer-database.ts';
import { runStep } from '../setup/run-steps.ts';
import type { ServiceManager } from '../setup/services/service-manager.ts';
import { fileExists } from '../setup/settings-file.ts';
import { displayLine } from '../text/sanitize.ts';
import type { CommandContext } from './context.ts';
import {
  recordLaunch,
  recordedService,
  startingService,
  type WantedLaunch,
  wantedLaunch,
} from './install-places.ts';

const READY_MS = 10_000;
const STARTING_MS = 5_000;
/** The database alone gets 10 s. */
const PROOF_MS = 15_000;

/**
 * Ends what `hookbell stop` ordered, records the environment of this command as that of the daemon, starts the daemon
 * (through the service manager if one has it) and waits until it answers. An existing daemon that does not answer gets 5 s,
 * in case it has just been started, and is then ended as by `stopDaemon`.
 *
 * @param program folder of the program whose daemon is started
 * @throws FailedError if it exits with an error before it answers, such as at a database of a newer hookbell, is stopped
 *   meanwhile, or does not answer within 10 s
 */
export async function startDaemon(context: CommandContext, program: string): Promise<StatusView> {
  liftStopOrder(context.paths);
  const waiting = readPidFile(context.paths.pidFile);
  if (waiting !== null && isAlive(waiting)) {
    const found = await pollUntil(
      async () => (await findDaemon(context)) ?? (isAlive(waiting) ? null : 'gone'),
      STARTING_MS,
    );
    if (found !== null && found !== 'gone') return found;
    if (found === null && isStarting(context.paths.pidFile)) throw await stillStarting(context);
    if (found === null) await stopHere(context);
  }
  const wanted = await wantedLaunch(context, program);
  recordLaunch(wanted);
  const service = await startingService(context);
  const isManaged = service !== null && (await startService(service));
  const child = isManaged ? null : spawnDaemon(wanted, context.paths.lastWords);
  const stopped = (): StopOrder | null => readStopOrder(context.paths, Date.now());
  const answer = await pollUntil(async () => {
    const isOver = stopped() !== null || hasFailed(child, context.paths);
    return (await findDaemon(context)) ?? (isOver ? 'failed' : null);
  }, READY_MS);
  if (answer !== null && answer !== 'failed') return answer;
  const order = stopped();
  if (order !== null) {
    throw new FailedError(`The daemon was stopped by ${order.by} while it started`, {
      hint: 'Run "hookbell start" again to start it',
    });
  }
  await refuseNewerDatabase(context.paths);
  const words = readLastWords(context.paths);
  const what =
    answer === 'failed'
      ? `The daemon exited during startup${words === null ? '' : `: ${words.text}`}`
      : `The daemon did not answer within ${READY_MS / 1_000} s`;
  throw new FailedError(what, {
    hint: `See its log, ${context.paths.log}, or run "hookbell daemon" to watch it start`,
  });
}

/** A start may migrate a large database, or wait for one. */
async function stillStarting({ ask, paths }: CommandContext): Promise<FailedError> {
  const why = await ask('GET /v1/status', { timeoutMs: 2_000 }).then(
    () => null,
    (error: unknown) => (error instanceof HookbellError ? error.message : null),
  );
  return new FailedError(why ?? 'The daemon is starting', {
    hint: `See its log, ${paths.log}, or run "hookbell stop" first`,
  });
}

/**
 * Proves that a daemon of a program would start, before the one that runs is stopped: the running one takes the
 * configuration file as it is now, and the program can load itself, that file and the store. Without a running one, there
 * is nothing to lose.
 *
 * @throws FailedError with the reason; the running daemon goes on
 */
export async function proveDaemon(context: CommandContext, program: string): Promise<void> {
  const running = readPidFile(context.paths.pidFile);
  if (running === null || !isAlive(running)) return;
  const wanted = await wantedLaunch(context, program);
  // One with an earlier environment may lack a secret that the next one has.
  const refusal = wanted.isNew ? null : await whyConfigRefused(context);
  const reason = refusal ?? (await whyNotStarting(wanted));
  if (reason === null) return;
  throw new FailedError(`A new daemon could not start: ${reason}`, {
    hint: `Nothing was changed: the running daemon (pid ${running.pid}) goes on`,
  });
}

/** Without a file, the running daemon keeps what it had, and the next one uses the defaults. One that hangs does not answer. */
async function whyConfigRefused({ ask, paths }: CommandContext): Promise<string | null> {
  if (!(await fileExists(paths.config))) return null;
  try {
    const { ok, problems } = await ask('POST /v1/reload', { timeoutMs: PROOF_MS });
    return ok ? null : `Cannot use the configuration: ${displayLine(problems[0] ?? '')}`;
  } catch (error) {
    if (error instanceof DaemonUnreachableError) return null;
    throw error;
  }
}

async function whyNotStarting({ options, environment }: WantedLaunch): Promise<string | null> {
  const call = {
    program: options.node,
    arguments: [options.main, '--prove'],
    env: environment,
    cwd: '/',
    timeoutMs: PROOF_MS,
  };
  // A process that waits for a file system may survive SIGKILL.
  const proof = await within(runProgram(call), PROOF_MS + 1_000);
  if (proof?.ok === true) return null;
  const words = lastWordsIn(proof?.stderr ?? '');
  return words === '' ? `"${options.main}" ${proof?.reason ?? 'does not end'}` : words;
}

/** Uses the environment in which a hook would start it. */
function spawnDaemon({ options, environment }: WantedLaunch, lastWords: string): ChildProcess {
  // A core dump would hold secrets and texts of events. Node cannot set the limit for itself.
  const [first, ...words] =
    process.platform === 'win32'
      ? ([options.node, options.main] as const)
      : (['/bin/sh', '-c', 'ulimit -c 0; exec "$0" "$@"', options.node, options.main] as const);
  const errors = openSync(lastWords, 'w', 0o600);
  const child = spawn(first, words, {
    detached: true,
    stdio: ['ignore', 'ignore', errors],
    cwd: '/',
    env: environment,
    windowsHide: true,
  });
  closeSync(errors);
  child.unref();
  return child;
}

/**
 * Stops a daemon whose program or environment differs from the installed one, so that it is started again.
 *
 * @throws FailedError as `proveDaemon`
 */
export async function stopOutdatedDaemon(
  context: CommandContext,
  { programChanged }: { readonly programChanged: boolean },
): Promise<void> {
  const { isNew } = await wantedLaunch(context, context.paths.program);
  const running = await findDaemon(context);
  // A program that runs from a checkout changes without being copied.
  const isOther = running !== null && running.version !== context.version;
  if (!programChanged && !isNew && !isOther) return;
  await proveDaemon(context, context.paths.program);
  await stopHere(context);
}

/**
 * A daemon that finds another one running exits with 0: the other one will answer. Only the manager knows the process that
 * it started.
 */
function hasFailed(child: ChildProcess | null, paths: CommandContext['paths']): boolean {
  if (child !== null) return (child.exitCode ?? 0) !== 0 || child.signalCode !== null;
  const written = readPidFile(paths.pidFile);
  return readLastWords(paths) !== null && (written === null || !isAlive(written));
}

/** Returns whether the manager has accepted it. */
async function startService({ start, prepare }: ServiceManager): Promise<boolean> {
  if (!(await runStep(start.known)).ok) return false;
  for (const argv of prepare) await runStep(argv);
  let isAccepted = false;
  for (const argv of start.start) isAccepted = (await runStep(argv)).ok;
  return isAccepted;
}

/** Stops the daemon of this state directory as `stopDaemon` does, and keeps its service manager from starting another. */
export function stopHere(
  context: Pick<CommandContext, 'ask' | 'paths' | 'output'>,
): Promise<number | null> {
  return stopDaemon({
    ...context,
    complain: (text) => context.output.complain(text),
    async stopManager() {
      const service = await recordedService(context);
      for (const argv of service?.stop ?? []) await runStep(argv);
    },
  });
}
