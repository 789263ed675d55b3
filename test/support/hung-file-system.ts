import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { until } from './hookbell-home.ts';
import { needs } from './system-part.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/** A FUSE file system that can stop answering, like that of a server which is gone. */
export interface HangingFileSystem extends AsyncDisposable {
  /** Where it is mounted. No test may touch what is below while it hangs: it would hang as well. */
  readonly path: string;
  /** The same files, which always answer. */
  readonly source: string;
  hang(): void;
  answer(): void;
}

/** Mounts one; it is gone at the end of an `await using` block, whatever hangs in it. */
export async function mountHanging(): Promise<HangingFileSystem> {
  const directory = await temporaryDirectory();
  const source = join(directory.path, 'source');
  const path = join(directory.path, 'mount');
  await mkdir(source, { mode: 0o700 });
  await mkdir(path, { mode: 0o700 });
  const mounted = await mountOver(path, source);
  return {
    ...mounted,
    source,
    async [Symbol.asyncDispose]() {
      await mounted[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** Puts one over a directory: what is in it stays there, and can hang. */
export async function mountOver(
  path: string,
  source = path,
): Promise<Omit<HangingFileSystem, 'source'>> {
  const server: ChildProcess = spawn('bindfs', ['-f', source, path], { stdio: 'ignore' });
  await until(async () => (await readFile('/proc/self/mountinfo', 'utf8')).includes(` ${path} `));
  // Mounted does not mean that it answers yet, and before that a request waits elsewhere.
  await readdir(path);
  return {
    path,
    hang() {
      server.kill('SIGSTOP');
      // A request that it has read already could not be interrupted, not even by SIGKILL.
      while (!isStopped(server.pid)) continue;
    },
    answer: () => void server.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      // When its server is gone the kernel fails whatever waits for it.
      const ended = once(server, 'exit');
      if (server.kill('SIGKILL')) await ended;
      await run('fusermount', ['-uz', path]);
    },
  };
}

/** Whether all threads of a process are stopped. */
function isStopped(pid: number | undefined): boolean {
  const threads = `/proc/${pid}/task`;
  return readdirSync(threads).every((thread) =>
    /^State:\tT/m.test(readFileSync(`${threads}/${thread}/status`, 'utf8')),
  );
}

/** The reason to skip a test that mounts one, or false. */
export function needsHanging(): string | false {
  return needs('bindfs', 'fusermount') || (existsSync('/dev/fuse') ? false : 'needs /dev/fuse');
}
