import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';

import { errorCode } from './errors.ts';

/**
 * Writes a file in one step: readers see the old text or the new one, never a part. A link at `path` is replaced, not
 * followed.
 *
 * @param options.durable also after a power cut: file and directory are on the disk when this returns. Without it the new
 * file may be empty then, because a file system may write the name before the content.
 * @throws when the directory takes no file
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode, durable = false }: { readonly mode: number; readonly durable?: boolean },
): void {
  const fresh = `${path}.${randomUUID()}`;
  try {
    const file = openSync(fresh, 'wx', mode);
    try {
      writeFileSync(file, content);
      if (durable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameOver(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  if (durable) syncDirectory(dirname(path));
}

const IN_USE = ['EACCES', 'EBUSY', 'EPERM'];
const RENAME_MS = 2_000;

/** Renames; on Windows, it waits for programs that have a file open without sharing it, such as a virus scanner. */
export function renameOver(from: string, to: string): void {
  const until = performance.now() + (process.platform === 'win32' ? RENAME_MS : 0);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      return renameSync(from, to);
    } catch (error) {
      if (!IN_USE.includes(errorCode(error) ?? '') || performance.now() > until) throw error;
      Atomics.wait(pause, 0, 0, 20);
    }
  }
}

function syncDirectory(path: string): void {
  try {
    const directory = openSync(path, 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  } catch {
    // Windows cannot open directories, and some file systems do not sync.
  }
}

/** Keeps the mode, writes through links into repositories of users, and survives a power cut. */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600 }: { readonly mode?: number } = {},
): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const before = await stat(target).catch(() => null);
  const kept = before === null ? mode : before.mode & 0o777;
  replaceFile(target, content, { mode: kept, durable: true });
}

/** Lets a symbolic link point to `target` in one step, whatever stands at `path`. */
export async function replaceLink(path: string, target: string): Promise<void> {
  const fresh = `${path}.${randomUUID()}`;
  await symlink(target, fresh);
  try {
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
