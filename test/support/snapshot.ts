import { createHash } from 'node:crypto';
import { lstat, readFile, readdir, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';

/**
 * Everything below a directory, one line a thing: "PATH MODE CONTENT", where the content is a hash, the target of a
 * link, or nothing. For comparing two states of a home directory.
 */
export async function snapshot(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const lines = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const mode = ((await lstat(path)).mode & 0o7777).toString(8);
    let content = '';
    if (entry.isFile()) {
      content = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
    }
    if (entry.isSymbolicLink()) content = `-> ${await readlink(path)}`;
    return `${relative(directory, path)} ${mode} ${content}`.trimEnd();
  });
  return (await Promise.all(lines)).toSorted();
}
