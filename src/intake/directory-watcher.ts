import type { FSWatcher } from 'node:fs';
import { statSync, watch } from 'node:fs';

import type { Log } from '../platform/log.ts';

export interface DirectoryWatch {
  stop(): void;
}

/**
 * Calls `wake` whenever a directory may have changed: at once by the system's events, and every `everyMs` in any case.
 *
 * An event says "look again", never what changed: under load the system drops names (of 30,000 files it reported
 * 8,192), and it goes blind when the directory is deleted or replaced. So the watch is renewed for each new inode.
 */
export function watchDirectory(
  directory: string,
  wake: () => void,
  { everyMs, log }: { readonly everyMs: number; readonly log: Log },
): DirectoryWatch {
  let watcher: FSWatcher | null = null;
  let watched: number | null = null;
  let isLost = false;

  function look(): void {
    const inode = inodeOf(directory);
    if (inode === null || inode !== watched) renew(inode);
    wake();
  }

  function renew(inode: number | null): void {
    watcher?.close();
    watcher = null;
    watched = null;
    if (inode === null) return;
    try {
      watcher = watch(directory, () => wake());
      watcher.on('error', (error) => lose(error));
      watched = inode;
      isLost = false;
    } catch (error) {
      lose(error);
    }
  }

  /** Looking every `everyMs` goes on, only slower: that is no reason to stop, and is said once. */
  function lose(error: unknown): void {
    watched = null;
    if (!isLost)
      log.warn({ err: error, directory }, 'Cannot watch the spool: new events may take longer');
    isLost = true;
  }

  const timer = setInterval(look, everyMs);
  look();
  return {
    stop() {
      clearInterval(timer);
      watcher?.close();
    },
  };
}

/** Null where nothing can be watched. */
function inodeOf(directory: string): number | null {
  try {
    return statSync(directory).ino;
  } catch {
    return null;
  }
}
