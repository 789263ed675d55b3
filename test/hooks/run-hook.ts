import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { bash3 } from '../support/bash-3.ts';
import { needs } from '../support/system-part.ts';

export const shellHookPath = fileURLToPath(
  new URL('../../../hooks/hookbell-hook', import.meta.url),
);
const nodeHookPath = fileURLToPath(new URL('../../hooks/hook.js', import.meta.url));

/** One way to run the hook: the shell script under a certain shell, or the Node program. */
export interface HookVariant {
  readonly name: string;
  readonly command: readonly string[];
  /** Why it cannot run here, or false. */
  readonly skip: string | false;
}

/**
 * What is /bin/sh somewhere. On macOS that is bash 3.2, dash or zsh, as /private/var/select/sh says: sh(1) there. Not ksh93, whose printf
 * succeeds where the reader is gone, posh, which has no `test -O`, and yash, which changes what is not UTF-8.
 */
const shells: Readonly<Record<string, readonly string[]>> = {
  dash: ['dash'],
  bash: ['bash', '--posix'],
  busybox: ['busybox', 'sh'],
  zsh: ['zsh', '--emulate', 'sh'],
  ...(bash3 !== undefined && { 'bash 3.2': [bash3, '--posix'] }),
};

export const shellVariants: readonly HookVariant[] = Object.entries(shells).map(
  ([name, words]) => ({
    name,
    command: [...words, shellHookPath],
    skip: needs(words[0] ?? ''),
  }),
);
export const nodeVariant: HookVariant = {
  name: 'node',
  command: [process.execPath, nodeHookPath],
  skip: false,
};
export const hookVariants: readonly HookVariant[] = [...shellVariants, nodeVariant];

/** What every hook gets of this process's environment: NODE_V8_COVERAGE lets c8 see the Node hook. */
export const inherited = {
  PATH: process.env['PATH'],
  NODE_V8_COVERAGE: process.env['NODE_V8_COVERAGE'],
};

export interface HookOptions {
  readonly args?: readonly string[];
  /** The whole environment but {@link inherited}. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Words in front of the command, such as `sh -c 'ulimit -f 1; exec "$@"' sh`. */
  readonly wrapper?: readonly string[];
  /** When a hook that hangs is killed, ms; 15 s by default. */
  readonly patienceMs?: number;
}

export interface HookRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly elapsedMs: number;
  /** Whether everything written to its standard input was taken. */
  readonly tookInput: boolean;
}

/** What every run owes the agent: status 0 and no output. */
export const unnoticed = { code: 0, stdout: '', stderr: '' };

/** The part of a run that {@link unnoticed} is about. */
export function noticeable({ code, stdout, stderr }: HookRun): typeof unnoticed {
  return { code: code ?? -1, stdout, stderr };
}

/** For spawn(): a hook that hangs fails its test and does not hold up the others. */
export const hangsNoLonger = { timeout: 15_000, killSignal: 'SIGKILL' } as const;

/** Starts a hook whose standard input the test holds. `ended` resolves when it has ended and its output is closed. */
export function startHook(
  variant: HookVariant,
  { args = [], env = {}, cwd, wrapper = [], patienceMs = hangsNoLonger.timeout }: HookOptions = {},
): { readonly child: ChildProcessWithoutNullStreams; readonly ended: Promise<HookRun> } {
  const [program = '', ...words] = [...wrapper, ...variant.command, ...args];
  const startedAt = performance.now();
  const child = spawn(program, words, {
    cwd,
    env: { ...inherited, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...hangsNoLonger,
    timeout: patienceMs,
  });
  let tookInput = true;
  child.stdin.on('error', () => {
    tookInput = false;
  });
  return { child, ended: collect() };

  async function collect(): Promise<HookRun> {
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.stdout += String(chunk)));
    child.stderr.on('data', (chunk: Buffer) => (output.stderr += String(chunk)));
    await once(child, 'close');
    return {
      ...output,
      code: child.exitCode,
      elapsedMs: performance.now() - startedAt,
      tookInput,
    };
  }
}

/** Runs a hook with this as its whole standard input. */
export async function runHook(
  variant: HookVariant,
  input: string | Uint8Array,
  options: HookOptions = {},
): Promise<HookRun> {
  const { child, ended } = startHook(variant, options);
  child.stdin.end(input);
  return ended;
}
