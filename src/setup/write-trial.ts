import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { errorCode } from '../platform/errors.ts';

/** The size of a small event: exhausted quotas and inodes show only on a write. */
const BYTES = 4_096;

const reasons: Readonly<Record<string, string>> = {
  EROFS: 'it is read-only',
  ENOSPC: 'it has no room, or no inodes, left',
  EDQUOT: 'your quota is used up',
  EIO: 'it reports I/O errors',
  ESHUTDOWN: 'it was shut down after an error',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

/** Writes a file and removes it. Null: that works, or there is no directory; else the reason. */
export function writeTrouble(directory: string): string | null {
  // Always the same name: one that a power cut left is removed by the next.
  const path = join(directory, '.trial');
  try {
    rmSync(path, { force: true });
    writeFileSync(path, new Uint8Array(BYTES), { flag: 'wx', mode: 0o600 });
    return null;
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    // EEXIST: another process runs the same check, and could write.
    return code === 'ENOENT' || code === 'EEXIST' ? null : (reasons[code] ?? code);
  } finally {
    try {
      rmSync(path, { force: true });
    } catch {
      // The next one removes it.
    }
  }
}
