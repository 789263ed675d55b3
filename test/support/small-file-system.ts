import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

import { needs } from './system-part.ts';

const run = promisify(execFile);

export interface SmallFileSystem extends AsyncDisposable {
  readonly path: string;
}

/** Mounts a file system of this size on a directory; it is gone at the end of an `await using` block. */
export async function mountSmall(path: string, megabytes: number): Promise<SmallFileSystem> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', path]);
  return {
    path,
    async [Symbol.asyncDispose]() {
      // Lazily, since the package's driver keeps a closed file open until its statements are collected.
      await run('umount', ['--lazy', path]);
    },
  };
}

/** The reason to skip a test that mounts something, or false. */
export function needsMount(): string | false {
  return needs('mount', 'umount') || (process.getuid?.() === 0 ? false : 'needs root');
}

/** Writes a file until the disk it is on takes nothing more. */
export async function fillDisk(path: string): Promise<void> {
  const piece = new Uint8Array(1024 * 1024);
  await using file = await open(path, 'w');
  for (let size = piece.length; size >= 1;) {
    try {
      await file.write(piece, 0, size);
    } catch {
      size = Math.floor(size / 16);
    }
  }
}
