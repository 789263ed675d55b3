import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { constants } from 'node:os';
import { basename } from 'node:path';

import { InvalidArgumentError } from 'commander';

import { tmuxPaneOf } from '../../core/facts.ts';
import { programEvents } from '../../core/hand-made.ts';
import { askProgram } from '../../platform/ask-program.ts';
import { errorCode } from '../../platform/errors.ts';
import { isInForeground, stateOfProcess } from '../../platform/process-table.ts';
import { systemTimer, within } from '../../platform/time.ts';
import { tmuxServer } from '../../platform/tmux.ts';
import { shellWord } from '../../text/escape.ts';
import { parseDuration } from '../../text/duration.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { handToHook } from '../trigger-event.ts';

/** The exit statuses of a shell for a command that it cannot run. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
/** A status above it means a signal. */
const BY_SIGNAL = 128;
/** The notification may cost the command this much of its time, ms. */
const PATIENCE_MS = 1_000;

/** Sent to this process alone, or to the whole job: a command that gets one twice has been asked twice to end. */
const forwarded = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGCONT'] as const;
/** A terminal sends them to the whole job. */
const ofTerminal = ['SIGINT', 'SIGQUIT', 'SIGTSTP'] as const;
/** With these a process leaves a picture of its memory, and this one has none that anyone wants. */
const dumping = /^SIG(?:QUIT|ABRT|SEGV|BUS|FPE|ILL|TRAP|SYS)$/;

/** `hookbell run -- COMMAND…`: runs a command as if hookbell were not there, and notifies when it ends if it took long. */
export const defineRun: DefineCommand = (program, run) => {
  program
    .command('run', { hidden: true })
    .argument('<command...>', 'the command and its arguments, after "--"')
    .description('run a command, and notify when it ends if it took long')
    .option(
      '--longer-than <duration>',
      'only if it took longer (default: commands.longer_than)',
      readLength,
    )
    .action(run(runCommand));
};

function readLength(value: string): number {
  const ms = parseDuration(value === '0' ? '0s' : value);
  if (ms !== null) return ms;
  throw new InvalidArgumentError('expected a duration such as 30s, or 0 for every command');
}

async function runCommand(
  context: CommandContext,
  [program = '', ...words]: readonly string[],
  { longerThan }: { readonly longerThan?: number },
): Promise<void> {
  const cwd = process.cwd();
  const startedAt = performance.now();
  const child = start(context, program, words);
  const limit = longerThan ?? longest(context);
  const ended = once(child, 'exit').catch((error: unknown) => error);
  passSignals(child);
  const end: unknown = await ended;
  if (!Array.isArray(end)) return leave(cannotRun(program, end));
  const code = typeof end[0] === 'number' ? end[0] : null;
  const signal = typeof end[1] === 'string' ? end[1] : undefined;
  const tookMs = Math.round(performance.now() - startedAt);
  // A person who has pressed Ctrl-C is there.
  const isStopped = signal === 'SIGINT' || code === BY_SIGNAL + constants.signals.SIGINT;
  if (!isStopped && tookMs > (await limit)) {
    const line = [program, ...words].map(shellWord).join(' ');
    const telling = tell(context, {
      cwd,
      tool_name: basename(program),
      tool_input: { command: line },
      status: signal ?? String(code),
      duration_ms: tookMs,
    });
    await within(telling, PATIENCE_MS, systemTimer).catch(() => null);
  }
  leave(code ?? endOf(signal));
}

/** The configured time; whatever is wrong with the configuration, the command does not suffer. */
async function longest({ paths }: CommandContext): Promise<number> {
  const { DEFAULT_LONG_MS } = await import('../../config/command-schema.ts');
  try {
    const { loadFullConfig } = await import('../read-config.ts');
    const loaded = await loadFullConfig(paths.config);
    return loaded.ok ? loaded.config.commands.longerThanMs : DEFAULT_LONG_MS;
  } catch {
    return DEFAULT_LONG_MS;
  }
}

/** With what this process was given: its terminal, descriptors, variables and mask. */
function start(
  { asStarted, env }: CommandContext,
  program: string,
  words: readonly string[],
): ChildProcess {
  const own = process.umask(asStarted?.umask ?? process.umask());
  try {
    return spawn(program, words, { stdio: 'inherit', env: { ...env, ...asStarted?.env } });
  } finally {
    process.umask(own);
  }
}

/** The command decides what a signal means; this process ends with it, and stops when it stops, so that the shell notices. */
function passSignals(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  for (const signal of ofTerminal) {
    process.on(signal, () => {
      if (!isInForeground()) child.kill(signal);
    });
  }
  process.on('SIGCHLD', () => {
    if (stateOfProcess(pid) === 'T') process.kill(process.pid, 'SIGSTOP');
  });
}

function cannotRun(program: string, error: unknown): number {
  const isMissing = errorCode(error) === 'ENOENT';
  process.stderr.write(
    `hookbell: ${program}: ${isMissing ? 'command not found' : `cannot be run (${errorCode(error) ?? String(error)})`}\n`,
  );
  return isMissing ? NOT_FOUND : NOT_EXECUTABLE;
}

/** Ends this process by the same signal, so that the caller sees the same end. */
function endOf(name: string | undefined): number {
  const [signal] = Object.entries(constants.signals).find(([one]) => one === name) ?? [];
  if (!isSignal(signal)) return 1;
  if (!dumping.test(signal)) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  return BY_SIGNAL + constants.signals[signal];
}

function isSignal(name: string | undefined): name is NodeJS.Signals {
  return name !== undefined && Object.hasOwn(constants.signals, name);
}

function leave(status: number): never {
  process.exit(status);
}

async function tell(context: CommandContext, ended: object): Promise<void> {
  const last = lastLineOfFile() ?? (await lastLineOfPane(context));
  await handToHook(context, {
    hook_event_name: programEvents.command,
    session_id: `run-${process.pid}`,
    ...ended,
    ...(last !== null && { last_assistant_message: last }),
  });
}

const TAIL_BYTES = 4_096;

/** Of standard output, if that is a file. */
function lastLineOfFile(): string | null {
  try {
    const stats = fstatSync(1);
    if (!stats.isFile()) return null;
    const file = openSync('/dev/fd/1', 'r');
    try {
      const tail = Buffer.alloc(TAIL_BYTES);
      const read = readSync(file, tail, 0, TAIL_BYTES, Math.max(0, stats.size - TAIL_BYTES));
      return lastLine(tail.subarray(0, read).toString('utf8'));
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/** Of the screen, if tmux can say what is on it: what goes to a terminal passes no one who could read it. */
async function lastLineOfPane({ env }: CommandContext): Promise<string | null> {
  const { TMUX: tmux, TMUX_PANE: tmux_pane } = env;
  if (!process.stdout.isTTY || tmux === undefined || tmux_pane === undefined) return null;
  const place = tmuxPaneOf({ tmux, tmux_pane });
  if (place === null) return null;
  const ask = askProgram({ env, platform: process.platform });
  return lastLine((await tmuxServer(ask, place.socket).screen(place.pane)) ?? '');
}

function lastLine(text: string): string | null {
  return (
    text
      .split(/[\r\n]+/)
      .findLast((line) => line.trim() !== '')
      ?.trim() ?? null
  );
}
