import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program that runs until it is disposed of, without standard streams. */
export async function spawnHere(
  program: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<AsyncDisposable> {
  const child = spawn(program, words, { env, stdio: 'ignore' });
  await once(child, 'spawn');
  return {
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
