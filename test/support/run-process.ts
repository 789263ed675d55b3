import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
}

/** Runs a program to its end, with nothing of our own environment. */
export async function runProcess(
  program: string,
  words: readonly string[],
  { env, input = '', ...options }: RunOptions,
): Promise<Finished> {
  const child = spawn(program, words, { env, stdio: ['pipe', 'pipe', 'pipe'], ...options });
  // The program may end without reading its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: child.exitCode, stdout, stderr };
}
