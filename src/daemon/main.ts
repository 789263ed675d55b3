import { existsSync } from 'node:fs';
import { homedir } from 'node:os';

import { HookbellError } from '../platform/errors.ts';
import type { DaemonStarter } from '../control/contract-views.ts';
import { liftStopOrder, readStopOrder } from '../control/stop-order.ts';
import { removeUnsafeVariables, withSession } from '../core/launch-environment.ts';
import { resolvePaths } from '../core/paths.ts';
import { StoreError } from '../core/store-aging.ts';
import { ownVersion } from '../platform/program-files.ts';
import { systemClock } from '../platform/time.ts';
import { environmentFacts } from '../setup/install-recorder.ts';
import { readLaunchRecord } from '../setup/launch-script.ts';
import { isAlive, readPidFile } from '../../hooks/pid-file.ts';

void main();

async function main(): Promise<void> {
  removeUnsafeVariables(process.env);
  const isReset = process.argv.includes('--reset-secret');
  const isProof = process.argv.includes('--prove');
  const foreground = isReset || isProof || process.argv.includes('--foreground');
  const revived = process.argv.includes('--revived');
  const given = resolvePaths(process.env, process.platform, homedir());
  const recorded = readLaunchRecord(given.launch);
  const environment = recorded?.environment ?? null;
  // The daemon is the same whether a hook, a service or a person starts it. In the foreground a person sees what it does,
  // and may want to try another environment.
  if (environment !== null && !foreground) {
    replaceEnvironment(withSession(environment, process.env, environmentFacts));
  }
  const paths = resolvePaths(process.env, process.platform, homedir());

  if (isProof) return prove(paths);
  const startedBy = foreground ? 'terminal' : starter();
  const order = readStopOrder(paths, systemClock());
  // Hooks that find no daemon start one each; all but the first must exit before they load anything.
  const running = readPidFile(paths.pidFile);
  const isTaken = running !== null && isAlive(running);
  if (!foreground && order !== null && !(startedBy === 'service' && order.endsAtLogin)) {
    // For the journal of the service manager.
    process.stdout.write(`hookbell: stopped by ${order.by}, see "hookbell status"\n`);
  } else if (isTaken && (isReset || !(await replaceOther(paths, startedBy)))) {
    process.exitCode = sayAnotherRuns(foreground);
  } else if (paths.state.startsWith(homedir()) && !existsSync(homedir())) {
    // Root would create it, for a service user that is not meant to have one.
    process.stderr.write(
      `hookbell: Cannot start: the home directory "${homedir()}" does not exist. Set HOOKBELL_STATE_DIR to a directory that does\n`,
    );
    process.exitCode = 1;
  } else {
    try {
      if (isReset) {
        const { resetSecret } = await import('./hub/reset-secret.ts');
        process.stdout.write(`${await resetSecret(paths, process.env)}\n`);
        return;
      }
      liftStopOrder(paths);
      const { runDaemon } = await import('./run-daemon.ts');
      const options = { foreground, recorded, startedBy, revived, version: ownVersion() };
      const ended = await runDaemon(paths, options).finally(endSoon);
      process.exitCode = ended ?? sayAnotherRuns(foreground);
    } catch (error) {
      const words = wordsOf(error);
      // Of a service, the one is kept for "hookbell status", and the other is for the manager's journal.
      process.stderr.write(words);
      if (startedBy === 'service') process.stdout.write(words);
      process.exitCode = 1;
    }
  }
}

/** Only a person reads it. @returns the exit code */
function sayAnotherRuns(foreground: boolean): number {
  if (!foreground) return 0;
  const next = 'Run "hookbell stop" first, or set HOOKBELL_STATE_DIR to run a separate one';
  process.stderr.write(`hookbell: A daemon is already running\n  ${next}\n`);
  return 1;
}

/** For a command that would replace the daemon that runs. */
async function prove(paths: ReturnType<typeof resolvePaths>): Promise<void> {
  process.exitCode = 1;
  // The connection to a database alone would not.
  const stayAlive = setInterval(() => {}, 60_000);
  try {
    const { proveStart } = await import('./prove-start.ts');
    await proveStart(paths, process.env);
    process.exitCode = 0;
  } catch (error) {
    process.stderr.write(wordsOf(error));
  } finally {
    clearInterval(stayAlive);
    endSoon();
  }
}

function wordsOf(error: unknown): string {
  const isExpected = error instanceof HookbellError || error instanceof StoreError;
  const hint = error instanceof HookbellError && error.hint !== null ? `\n  ${error.hint}` : '';
  return `hookbell: ${isExpected ? error.message : String(error)}${hint}\n`;
}

/** What hangs, such as a connection to a database, must not keep a process that no longer serves. */
function endSoon(): void {
  setTimeout(() => process.exit(), 1_000).unref();
}

function starter(): DaemonStarter {
  if (process.argv.includes('--service')) return 'service';
  return process.argv.includes('--by-hook') ? 'hook' : 'command';
}

/**
 * Ends a daemon that serves this state directory in the place of this one: one daemon runs, and it is that of the service
 * manager, or of a person's own supervisor. A hook may have started the other after a log-out, or after a kill.
 *
 * @returns whether none runs now
 */
async function replaceOther(
  paths: ReturnType<typeof resolvePaths>,
  startedBy: DaemonStarter,
): Promise<boolean> {
  if (startedBy !== 'service' && startedBy !== 'terminal') return false;
  const { replaceDaemon } = await import('./replace-daemon.ts');
  return replaceDaemon(paths, startedBy);
}

function replaceEnvironment(next: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (!(name in next)) delete process.env[name];
  Object.assign(process.env, next);
}
