import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { errorCode } from './errors.ts';

/**
 * Makes a directory and its parents, only for this user, unless they exist. `recursive: true` of Node 20 never ends in a
 * directory that exists and in which nothing can be made, such as /proc.
 *
 * @throws NodeJS.ErrnoException
 */
export async function makePrivateDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (await isDirectory(path)) return;
    if (errorCode(error) !== 'ENOENT' || path === dirname(path)) throw error;
    await makePrivateDirectory(dirname(path));
    await mkdir(path, { mode: 0o700 }).catch(async (again: unknown) => {
      // Another program was faster.
      if (!(await isDirectory(path))) throw again;
    });
  }
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
