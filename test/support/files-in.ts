import { once } from 'node:events';
import { watch } from 'node:fs';
import { readdir } from 'node:fs/promises';

/** Waits until the list of files in a directory is as wanted, and returns it in order. */
export async function filesIn(
  directory: string,
  wanted: (names: readonly string[]) => boolean,
): Promise<readonly string[]> {
  const watcher = watch(directory);
  try {
    for (;;) {
      // Listening before looking, so that a change in between is not missed.
      const changed = once(watcher, 'change');
      const names = await readdir(directory);
      if (wanted(names)) return names.toSorted();
      await changed;
    }
  } finally {
    watcher.close();
  }
}
