import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A hash of the names and contents of files, with which an installation detects changes.
 *
 * @param parts files and directories below `base`; missing ones are skipped
 */
export async function fingerprint(base: string, parts: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const part of parts.toSorted()) {
    for (const path of await filesBelow(join(base, part))) {
      hash.update(`${path.slice(base.length)}\0`);
      hash.update(await readFile(path));
      hash.update('\0');
    }
  }
  return hash.digest('hex');
}

async function filesBelow(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => null);
  if (entries === null) return (await readFile(path).catch(() => null)) === null ? [] : [path];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
