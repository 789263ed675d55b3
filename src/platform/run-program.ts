import { isAbsolute } from 'node:path';
import type { Readable } from 'node:stream';

export interface ProgramCall {
  /** Absolute path, as `findProgram` returns it. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** The whole environment of the program: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory; by default the daemon's. */
  readonly cwd?: string;
  /** Written to standard input, which is empty otherwise. */
  readonly input?: string;
  /** Timeout, ms; then the program and its process group are killed. */
  readonly timeoutMs: number;
  /** Kills them earlier. */
  readonly signal?: AbortSignal;
}

/** How a program ended. `reason` holds neither arguments nor output, so it may be logged. */
export interface ProgramResult {
  /** True only for exit code 0, reached by the program itself and in time. */
  readonly ok: boolean;
  readonly code: number | null;
  /** The signal that ended it, such as "SIGTRAP". */
  readonly signal: string | null;
  /** The first 64 KB; the rest is read and dropped, so that a talkative program still ends. */
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** False if it cannot have had an effect: it was not found, not executable, or stopped before its start. */
  readonly started: boolean;
  /** Follows the program's name in a sentence, such as "exited with code 1"; empty when `ok`. */
  readonly reason: string;
}

const MAX_OUTPUT_BYTES = 64 * 1024;

/** How long a program that has exited may leave its output open to a child process, ms. */
const OUTPUT_GRACE_MS = 300;

// Windows has none, and `detached` would open a console window there.
const HAS_PROCESS_GROUPS = process.platform !== 'win32';

/**
 * Runs a program, never through a shell, and waits for its exit. Never rejects.
 *
 * The program leads a separate process group, which is killed as a whole: execa's `timeout` and `cancelSignal` kill
 * only the program and then wait for any child that still holds the output.
 */
export async function runProgram(call: ProgramCall): Promise<ProgramResult> {
  // Anything else would be looked up on PATH at every run.
  if (!isAbsolute(call.program)) return notStarted('is not given by its absolute path');
  if (call.arguments.some((argument) => argument.includes('\0'))) {
    // No system can pass such an argument, and Node would throw.
    return notStarted('cannot take an argument with a NUL character');
  }
  // cmd reads the arguments of a batch file twice, and could find a program to run in a text.
  const isBatch = process.platform === 'win32' && /\.(?:cmd|bat)$/i.test(call.program);
  if (isBatch && call.arguments.some((argument) => /["%\r\n]/.test(argument))) {
    return notStarted('is a batch file, which cannot take a quote, "%" or a line break');
  }

  // Loaded on demand: its 130 modules would be a fifth of the daemon's start.
  const { execa } = await import('execa');
  if (call.signal?.aborted) return notStarted('was stopped before it began', true);
  const child = execa(call.program, call.arguments, {
    env: call.env,
    extendEnv: false,
    detached: HAS_PROCESS_GROUPS,
    windowsHide: true,
    ...(call.cwd !== undefined && { cwd: call.cwd }),
    reject: false,
    buffer: false,
    ...(call.input === undefined ? { stdin: 'ignore' } : { input: call.input }),
  });
  const stdout = keepBeginning(child.stdout);
  const stderr = keepBeginning(child.stderr);

  let stoppedBy: 'deadline' | 'abort' | null = null;
  const onAbort = (): void => {
    stoppedBy ??= 'abort';
    killGroup(child.pid);
  };
  const deadline = setTimeout(() => {
    stoppedBy ??= 'deadline';
    killGroup(child.pid);
  }, call.timeoutMs);
  call.signal?.addEventListener('abort', onAbort, { once: true });
  let grace: NodeJS.Timeout | undefined;
  const disarm = (): void => {
    clearTimeout(deadline);
    clearTimeout(grace);
    call.signal?.removeEventListener('abort', onAbort);
  };
  child.once('exit', () => {
    disarm();
    grace = setTimeout(() => {
      killGroup(child.pid);
      // A process that left the group still holds the other ends: only closing ours settles the promise.
      child.stdout.destroy();
      child.stderr.destroy();
    }, OUTPUT_GRACE_MS);
  });

  const result = await child;
  disarm();
  if (child.pid === undefined) return notStarted(spawnTrouble(result.code));

  const { exitCode: code = null, signal = null } = result;
  const timedOut = stoppedBy === 'deadline';
  const aborted = stoppedBy === 'abort';
  const ok = code === 0 && stoppedBy === null;
  const ended = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
  const stopped = timedOut ? `did not end within ${call.timeoutMs / 1_000} s` : 'was stopped';
  const reason = stoppedBy === null ? ended : stopped;
  const output = { stdout: stdout(), stderr: stderr() };
  return {
    ...output,
    ok,
    code,
    signal,
    timedOut,
    aborted,
    started: true,
    reason: ok ? '' : reason,
  };
}

function notStarted(reason: string, aborted = false): ProgramResult {
  const nothing = { code: null, signal: null, stdout: '', stderr: '', timedOut: false };
  return { ...nothing, ok: false, aborted, started: false, reason };
}

function spawnTrouble(code: string | undefined): string {
  if (code === 'ENOENT') return 'was not found';
  if (code === 'EACCES') return 'is not executable';
  return `could not be started (${code ?? 'unknown error'})`;
}

/** Drains a stream; the returned function gives the first 64 KB as text. */
function keepBeginning(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let room = MAX_OUTPUT_BYTES;
  stream.on('data', (chunk: Buffer) => {
    if (room === 0) return;
    const part = chunk.subarray(0, room);
    chunks.push(part);
    room -= part.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(HAS_PROCESS_GROUPS ? -pid : pid, 'SIGKILL');
  } catch {
    // The last of them exited meanwhile.
  }
}
