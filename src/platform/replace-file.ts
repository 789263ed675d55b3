import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

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
  text: string,
  { mode, durable = false }: { readonly mode: number; readonly durable?: boolean },
): void {
  const fresh = `${path}.${randomUUID()}`;
  try {
    const file = openSync(fresh, 'wx', mode);
    try {
      writeFileSync(file, text);
      if (durable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  if (durable) syncDirectory(dirname(path));
}

function syncDirectory(path: string): void {
  // Windows cannot open directories, and some file systems do not sync.
  try {
    const directory = openSync(path, 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  } catch {
    return;
  }
}
