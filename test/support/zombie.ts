import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

import { until } from './until.ts';

/** A process (Linux) that has ended and that its parent does not wait for, as under a bare program as PID 1. */
export async function startZombie(): Promise<AsyncDisposable & { readonly pid: number }> {
  // The shell becomes `sleep`, which never waits for the child it inherits; only then may the child end.
  const parent = spawn('sh', ['-c', 'exec 3<&0; cat <&3 & echo $!; exec sleep 60']);
  const [output] = await once(parent.stdout, 'data');
  const pid = Number(String(output));
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
  parent.stdin.end();
  await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '));
  return {
    pid,
    async [Symbol.asyncDispose]() {
      parent.kill('SIGKILL');
      await once(parent, 'close');
    },
  };
}
