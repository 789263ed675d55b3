import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { ConfigError, errorCode } from './errors.ts';
import { whyNotOurs } from './ownership.ts';

/**
 * Ensures that a directory exists, belongs only to us (0700) and is not a symlink; on Windows only that it exists. Ours
 * with looser permissions is tightened; another user's is refused, and so is one below a directory that another user
 * owns or may write to: they could read events, plant them, or replace the whole directory.
 *
 * @throws ConfigError when it cannot be trusted or made
 */
export async function ensurePrivateDirectory(path: string): Promise<void> {
  try {
    await makePrivateDirectory(path);
  } catch (error) {
    throw refuse(path, 'it cannot be created', error);
  }
  const uid = process.geteuid?.();
  if (uid === undefined) return;
  const found = await lstat(path);
  if (found.isSymbolicLink()) throw refuse(path, 'it is a symbolic link');
  if (!found.isDirectory()) throw refuse(path, 'it is not a directory');
  if (found.uid !== uid) throw refuse(path, `it belongs to user ${found.uid}, not to ${uid}`);
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700);
  const reason = await whyNotOurs(path, 'directory');
  if (reason !== null) throw refuse(path, reason);
}

function refuse(path: string, reason: string, cause?: unknown): ConfigError {
  return new ConfigError(`Cannot use directory "${path}": ${reason}`, {
    hint: 'Correct its owner and permissions, or set HOOKBELL_STATE_DIR to a directory that you own',
    cause,
  });
}

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
