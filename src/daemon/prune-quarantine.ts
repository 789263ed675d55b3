import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../core/error-code.ts';

const NOTE = '.reason';

/**
 * Removes what was set aside before `before` (Unix ms), with its note; answers how many. A directory that is not there
 * holds nothing.
 */
export async function pruneQuarantine(directory: string, before: number): Promise<number> {
  let removed = 0;
  for (const id of await idsIn(directory)) {
    const place = join(directory, id);
    const since = await setAsideAt(place);
    if (since === null || since >= before) continue;
    await rm(place, { recursive: true, force: true });
    // The note goes last: what a crash leaves is found by it again.
    await rm(`${place}${NOTE}`, { force: true });
    removed += 1;
  }
  return removed;
}

async function idsIn(directory: string): Promise<ReadonlySet<string>> {
  try {
    const names = await readdir(directory);
    return new Set(names.map((name) => (name.endsWith(NOTE) ? name.slice(0, -NOTE.length) : name)));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Set();
    throw error;
  }
}

/**
 * The note is written when a file is set aside; the file itself keeps the time it was made. Where a crash came before
 * the note, the move into the directory counts. Null: it is gone meanwhile.
 */
async function setAsideAt(place: string): Promise<number | null> {
  const note = await lstat(`${place}${NOTE}`).catch(() => null);
  if (note !== null) return note.mtimeMs;
  const file = await lstat(place).catch(() => null);
  return file?.ctimeMs ?? null;
}
