import { lstat, mkdir, chmod } from 'node:fs/promises';
import { dirname } from 'node:path';

import { ConfigError } from '../core/errors.ts';

/**
 * Makes sure that a directory exists, belongs to us alone (0700) and is no symlink; on Windows only that it exists.
 * Ours with looser rights is tightened; anybody else's is refused: another user could read events or plant them.
 *
 * @throws ConfigError when it cannot be trusted or made
 */
export async function ensurePrivateDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
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
  await refuseOpenParent(path);
}

/** In a directory that everybody may write to, others can swap ours, unless the sticky bit forbids it. */
async function refuseOpenParent(path: string): Promise<void> {
  const parent = await lstat(dirname(path));
  const isOpen = (parent.mode & 0o002) !== 0 && (parent.mode & 0o1000) === 0;
  if (isOpen) throw refuse(path, `everybody may write to its parent "${dirname(path)}"`);
}

function refuse(path: string, reason: string, cause?: unknown): ConfigError {
  return new ConfigError(`Cannot use directory "${path}": ${reason}`, {
    hint: 'Repair its owner and rights, or set HOOKBELL_STATE_DIR to a directory of your own',
    cause,
  });
}
