import type { FSWatcher } from 'node:fs';
import { statSync, watch } from 'node:fs';

import type { Log } from '../platform/log.ts';

export interface DirectoryWatch {
  stop(): void;
}

/**
 * Calls `wake` whenever a directory may have changed: immediately on the system's events, and every `everyMs` anyway.
 *
 * An event means "list again", without names: under load the system drops names (of 30,000 files it reported 8,192),
 * and it reports nothing after the directory is deleted or replaced. So the watch is renewed for each new inode.
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

  /** Polling every `everyMs` continues, so a failed watch is not fatal, and is logged once. */
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

/** Null if the directory cannot be watched. */
function inodeOf(directory: string): number | null {
  try {
    return statSync(directory).ino;
  } catch {
    return null;
  }
}
